"""The turns of one Codex rollout: what their keys are made of, and when they were said."""

from collections import Counter
from dataclasses import dataclass

from archivist.domain.transcripts import Role, TurnSeen
from archivist.sources.codex_forks import is_uuid, time_of_older
from archivist.sources.content import key_of
from archivist.sources.records import Record, moment, text_in
from archivist.sources.session import OpenSession


@dataclass(frozen=True, slots=True)
class When:
    """When something was said: the time of its record, and the id of the turn that was on."""

    stamp: str | None
    turn: str | None


class Turns:
    """Makes turns of what records say, with the folder and the model of their context."""

    def __init__(self) -> None:
        self.turn_id: str | None = None
        self.cwd: str | None = None
        self.model: str | None = None
        self.root: str | None = None
        """The session whose turns a fork may begin with."""
        self._keys: Counter[str] = Counter()

    def now(self, record: Record) -> When:
        """Return when a record was written."""
        return When(text_in(record, "timestamp"), self.turn_id)

    def turn(
        self, session: OpenSession, role: Role, text: str, when: When, *, call: str = ""
    ) -> TurnSeen:
        """Return a turn of a session; one without words is named after its first call."""
        return TurnSeen(
            key=self.key(*self._scope(session, when), role, text or call),
            session=session.name,
            role=role,
            text=text,
            at=self.at(session, when),
            cwd=self.cwd,
            branch=session.about.branch,
            model=self.model if role is Role.ASSISTANT else None,
        )

    def at(self, session: OpenSession, when: When) -> int | None:
        """Return when something was said; for a copied turn when the turn was begun."""
        begun = None
        if when.turn is not None and session.about.parent is not None:
            begun = time_of_older(when.turn, session.name)
        return moment(when.stamp) if begun is None else begun

    def key(self, *parts: str | None) -> str:
        """Return a key of what a record says; equal records are told apart by their number."""
        key = key_of(*parts)
        self._keys[key] += 1
        return key if self._keys[key] == 1 else f"{key}:{self._keys[key]}"

    def _scope(self, session: OpenSession, when: When) -> tuple[str | None, ...]:
        """Return what a turn's key is made of beside what it says.

        A fork copies turns under their ids and stamps their times anew: the keys of a copy meet
        those of its parent. Only ids that are uuids stand alone; what a sub-agent copied is no
        person's word, so its keys never meet others.
        """
        if when.turn is None:
            return session.name, when.stamp
        if session.role is Role.TASK:
            return session.name, when.turn
        return (when.turn,) if is_uuid(when.turn) else (self.root or session.name, when.turn)
