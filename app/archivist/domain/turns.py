"""Turns, tool calls and exchanges as they stand in the archive.

Times are UTC milliseconds, or None where the source had none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NewType

from archivist.domain.transcripts import Outcome, Role

TurnId = NewType("TurnId", int)
SessionId = NewType("SessionId", int)
SegmentId = NewType("SegmentId", str)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call with its result; both texts have passed the gate."""

    name: str
    arguments: str
    outcome: Outcome
    output: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said once, with its tool calls. `seq` orders the turns of a session.

    `text` has passed the gate. `until` is when its last tool answered or its text last grew.
    `failed_tools` is the line about tools that failed, or None.
    """

    id: TurnId
    session: SessionId
    seq: int
    role: Role
    text: str
    at: int | None = None
    until: int | None = None
    project: str | None = None
    failed_tools: str | None = None
    tools: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user turn (or a task) and the assistant turns that answer it."""

    turns: tuple[Turn, ...]

    @property
    def opening(self) -> Turn:
        """The turn that opens the exchange; an assistant turn when nobody asked."""
        return self.turns[0]

    @property
    def started(self) -> int | None:
        """When the exchange began."""
        return next((turn.at for turn in self.turns if turn.at is not None), None)

    @property
    def ended(self) -> int | None:
        """When the last thing in it happened: the end of the last reply or of its tools."""
        times = [time for turn in self.turns for time in (turn.at, turn.until) if time is not None]
        return max(times, default=None)


def exchanges(turns: Sequence[Turn]) -> Iterator[Exchange]:
    """Group the turns of one session, in order, into exchanges."""
    group: list[Turn] = []
    for turn in turns:
        if group and turn.role is not Role.ASSISTANT:
            yield Exchange(tuple(group))
            group = []
        group.append(turn)
    if group:
        yield Exchange(tuple(group))


def failed_tools_line(names: Sequence[str]) -> str | None:
    """Return the line stored with an assistant turn whose tools failed, in call order."""
    return f"Tools that failed in this turn: {', '.join(names)}" if names else None
