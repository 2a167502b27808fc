"""What goes through the gate into the store, and the counts that come back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from archivist.domain.transcripts import Cursor, Seen, Source, Tally


@dataclass(frozen=True, slots=True)
class Intake:
    """One chunk of a file after the gate: what is written in one transaction with its cursor.

    redacted: per message key the kinds that were taken out. withheld: keys of turns whose text the
    gate could not clean, stored without text. projects: the project of each `cwd` that occurs.
    last: whether the file was read to its end. at: now, UTC milliseconds.
    """

    source: Source
    path: str
    seen: tuple[Seen, ...]
    cursor: Cursor
    tally: Tally
    last: bool
    at: int
    redacted: Mapping[str, str] = field(default_factory=dict)
    withheld: frozenset[str] = frozenset()
    projects: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What the store knows of a file from earlier reads."""

    cursor: Cursor | None
    tally: Tally
    trouble: str | None
    unfinished: bool


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file of an import; `skipped` counts lines that hold no record."""

    path: str
    source: str
    tally: Tally
    new_turns: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SourceState:
    """The counts of one source for `status`; copies counted once, times UTC milliseconds."""

    source: str
    sessions: int
    user: int
    assistant: int
    last_read: int | None
    files: int
    skipped: int
