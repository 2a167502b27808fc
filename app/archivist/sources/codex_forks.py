"""Codex forks and sub-agents: which session one came out of, and which turns it copied from it."""

import re
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path
from typing import Final

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Relation
from archivist.sources.files import look, readable
from archivist.sources.records import Record, moment, slices, table_in, text_in

_ID: Final = re.compile(r"[\w-]+")
_UUID: Final = re.compile(
    r"([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)
HOMES: Final = ("sessions", "archived_sessions")
_TURN: Final = re.compile(rb'"turn_id"\s*:\s*"([^"\\]+)"')
_MARK: Final = re.compile(rb'"type"\s*:\s*"(?:turn_context|task_started|turn_started)"')


class Origin(Enum):
    """Whose records come: the session's own, not known yet, or a copy of its parent's."""

    OWN = auto()
    UNDECIDED = auto()
    COPIED = auto()


class ParentCopy:
    """The copy of its parent with which a rollout may begin, the times stamped anew."""

    def __init__(self) -> None:
        self.origin = Origin.OWN
        self._is_parents: Callable[[str], bool] = _never

    def expect(self, is_parents: Callable[[str], bool]) -> None:
        """Wait for the first turn: if it is the parent's, what comes is a copy."""
        if self.origin is Origin.OWN:
            self.origin = Origin.UNDECIDED
            self._is_parents = is_parents

    def ends_with(self, turn: str | None) -> bool:
        """Take in which turn begins; True when the copy is over and the session's own begin."""
        if self.origin is Origin.OWN or turn is None:
            return False
        was_copied = self.origin is Origin.COPIED
        self.origin = Origin.COPIED if self._is_parents(turn) else Origin.OWN
        return was_copied and self.origin is Origin.OWN


def _never(_turn: str) -> bool:
    return False


def parents_turns(
    child: Path, session: str, parent: str, *, is_told: bool
) -> Callable[[str], bool] | None:
    """Return what tells the turns that a session copied and may leave out, None for nothing.

    The parent's own rollout tells best. Where it is not there any more, the file itself shows by
    the times in its ids where the copy ends. `is_told`: the file holds the parent's head, and may
    leave out the copy though the parent is gone.
    """
    path = _rollout(child, parent)
    if path is not None:
        turns = _turns_of(path)
        return turns.__contains__ if turns else None
    if is_told and _made_at(session) is not None:
        return lambda turn: time_of_older(turn, session) is not None
    return None


def time_of_older(turn: str, session: str) -> int | None:
    """Return when a turn was begun if that was before its session was; ids carry their time."""
    at = _made_at(turn)
    is_older = at is not None and _made_at(session) is not None and turn < session
    return moment(at) if is_older else None


def is_uuid(name: str) -> bool:
    """Tell an id that no other turn in the world has."""
    return _UUID.fullmatch(name) is not None


def _made_at(name: str) -> int | None:
    """Return the milliseconds that a uuid of version 7 begins with; None for any other name."""
    found = _UUID.fullmatch(name)
    return int(found[1] + found[2], 16) if found is not None and found[3] == "7" else None


def _turns_of(path: Path) -> frozenset[str]:
    """Return the ids of all turns of a rollout; none when it is not there any more."""
    try:
        pieces = slices(path, 0, look(path).size)
        return frozenset(
            found[1].decode("utf-8", "replace")
            for piece in pieces
            for line in (piece.data or b"").split(b"\n")
            if b'"turn_id"' in line and _MARK.search(line) and (found := _TURN.search(line))
        )
    except FileProblem:
        return frozenset()


def _rollout(child: Path, session: str) -> Path | None:
    if not _ID.fullmatch(session):
        return None
    pattern = f"rollout-*{session}.jsonl"
    home = next((above for above in child.parents if above.name in HOMES), None)
    if home is None:
        return next(iter(sorted(child.parent.glob(pattern))), None)
    for name in HOMES:
        found = sorted((home.parent / name).rglob(pattern))
        if found:
            return found[0]
    return None


def origin_of(payload: Record) -> tuple[str | None, Relation | None]:
    """Return the session that a head names as its origin, and how it came out of it."""
    source = payload.get("source")
    parent = text_in(payload, "parent_thread_id")
    is_agent = payload.get("thread_source") == "subagent"
    if isinstance(source, dict) and "subagent" in source:
        is_agent = True
        spawn = table_in(table_in(source, "subagent"), "thread_spawn")
        parent = text_in(spawn, "parent_thread_id") or parent
    forked = text_in(payload, "forked_from_id")
    if is_agent:
        return parent or forked, Relation.SUBAGENT
    return forked, Relation.FORK if forked else None


def session_named(path: Path) -> str:
    """Return the session that the name of a rollout tells."""
    stem = readable(path.stem)
    tail = stem[-36:]
    is_uuid = stem.startswith("rollout-") and tail.count("-") == 4 and len(tail) == 36
    return tail if is_uuid else stem
