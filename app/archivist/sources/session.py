"""A session while its records are read: what it emits, what it counts, which calls are open.

The state is small and depends on the records alone, so that reading on equals reading at once.
"""

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from archivist.domain.transcripts import (
    Compacted,
    Outcome,
    Relation,
    Role,
    Seen,
    SessionSeen,
    Tally,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)

_HELD: Final = 100
_ANSWERED: Final = 64
"""So many answered calls are remembered, for news that comes after the answer."""

_FAILURES: Final = frozenset({Outcome.FAILED, Outcome.REJECTED})


@dataclass(slots=True)
class Counts:
    """The counts of a file, or of the part of it that is sub-agents."""

    user: int = 0
    assistant: int = 0
    tools: int = 0
    failed: int = 0
    queued: int = 0
    rejected: int = 0

    def tally(self, bad_lines: int) -> Tally:
        return Tally(
            user=self.user,
            assistant=self.assistant,
            tools=self.tools,
            failed=self.failed,
            queued=self.queued,
            rejected=self.rejected,
            bad_lines=bad_lines,
        )


class OpenSession:
    """Puts the events of one session into `out`, in order.

    Nothing comes out before a person's words or a tool call: usage probes and title requests
    have neither, and are no sessions.
    """

    __slots__ = ("_held", "_out", "about", "counts", "home", "role")

    def __init__(
        self, about: SessionSeen, counts: Counts, out: list[Seen], *, role: Role = Role.USER
    ) -> None:
        self.about = about
        self.counts = counts
        self.role = role
        self.home: str | None = None
        """The latest assistant turn since the last prompt: where calls without a text belong."""
        self._out = out
        self._held: list[Seen] | None = []

    @property
    def name(self) -> str:
        return self.about.session

    def prompt(self, turn: TurnSeen) -> None:
        self.home = None
        self._emit(turn, is_real=True)

    def answer(self, turn: TurnSeen) -> None:
        self.home = turn.key
        self._emit(turn)

    def called(self, call: ToolCalled) -> None:
        self._emit(call, is_real=True)

    def answered(self, news: ToolAnswered) -> None:
        self._emit(news)

    def compacted(self, at: int | None) -> None:
        self._emit(Compacted(self.name, at))

    def learn(self, **news: str | Relation | int | None) -> None:
        """Take in what a record says about the session; tell it when it is news."""
        told = {key: value for key, value in news.items() if value is not None}
        fresh = {key: value for key, value in told.items() if getattr(self.about, key) != value}
        if not fresh:
            return
        self.about = replace(self.about, **fresh)  # type: ignore[arg-type]  # fields of SessionSeen
        if self._held is None:
            self._out.append(replace(SessionSeen(self.name), **fresh))  # type: ignore[arg-type]  # same

    def restart(self) -> None:
        """Forget that anything was told: what came so far belongs to another session."""
        self._held = []
        self.home = None

    def _emit(self, seen: Seen, *, is_real: bool = False) -> None:
        if self._held is None:
            self._out.append(seen)
            return
        self._held.append(seen)
        if is_real or len(self._held) > _HELD:
            self._out.append(self.about)
            self._out.extend(self._held)
            self._held = None


@dataclass(slots=True)
class _Call:
    session: OpenSession
    turn: str
    outcome: Outcome = Outcome.PENDING


class Calls:
    """The tool calls of a file: each counted once, each answer brought to its turn."""

    __slots__ = ("_answered", "_calls", "_known")

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._calls: dict[str, _Call] = {}
        self._answered: deque[str] = deque()

    def is_known(self, call: str) -> bool:
        return hash(call) in self._known

    def add(self, session: OpenSession, called: ToolCalled) -> None:
        """Emit a call, unless its id was seen before in this file."""
        if hash(called.call) in self._known:
            return
        self._known.add(hash(called.call))
        self._calls[called.call] = _Call(session, called.turn)
        session.counts.tools += 1
        session.called(called)

    def answer(self, call: str, outcome: Outcome, output: str, at: int | None) -> None:
        """Emit the result of a call of this file; a call that failed once has failed."""
        known = self._calls.get(call)
        if known is None:
            return
        if known.outcome in _FAILURES:
            outcome = known.outcome
        elif outcome in _FAILURES:
            known.session.counts.failed += 1
            known.session.counts.rejected += outcome is Outcome.REJECTED
        if known.outcome is Outcome.PENDING:
            self._retire(call)
        known.outcome = outcome
        known.session.answered(ToolAnswered(known.turn, call, outcome, output, at))

    def forget(self) -> None:
        """Drop the open calls: their turns belong to another session."""
        self._calls.clear()
        self._answered.clear()

    def _retire(self, call: str) -> None:
        self._answered.append(call)
        if len(self._answered) > _ANSWERED:
            self._calls.pop(self._answered.popleft(), None)
