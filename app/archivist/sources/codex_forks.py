"""Codex forks and sub-agents: which session one came out of, and which turns it copied from it."""

import re
from enum import Enum, auto
from pathlib import Path
from typing import Final

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Relation
from archivist.sources.files import look
from archivist.sources.records import Record, slices, table_in, text_in

_ID: Final = re.compile(r"[\w-]+")
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
        self._turns: frozenset[str] = frozenset()

    def expect(self, turns: frozenset[str]) -> None:
        """Wait for the first turn: if the parent has it, what comes is a copy."""
        if self.origin is Origin.OWN:
            self.origin = Origin.UNDECIDED
            self._turns = turns

    def ends_with(self, turn: str | None) -> bool:
        """Take in which turn begins; True when the copy is over and the session's own begin."""
        if self.origin is Origin.OWN:
            return False
        if turn is not None and turn in self._turns:
            self.origin = Origin.COPIED
            return False
        was_copied = self.origin is Origin.COPIED
        if turn is not None or not was_copied:
            self.origin = Origin.OWN
        return was_copied and turn is not None


def turns_of_parent(child: Path, parent: str) -> frozenset[str] | None:
    """Return the ids of all turns of the parent's rollout; None when it is not there any more."""
    path = _rollout(child, parent)
    if path is None:
        return None
    try:
        pieces = slices(path, 0, look(path).size)
        return frozenset(
            found[1].decode("utf-8", "replace")
            for piece in pieces
            for line in (piece.data or b"").split(b"\n")
            if b'"turn_id"' in line and _MARK.search(line) and (found := _TURN.search(line))
        )
    except FileProblem:
        return None


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
    stem = path.stem
    tail = stem[-36:]
    is_uuid = stem.startswith("rollout-") and tail.count("-") == 4 and len(tail) == 36
    return tail if is_uuid else stem
