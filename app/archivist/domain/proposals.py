"""Memory files, the changes proposed to them, and what was written, as they stand in the archive.

Times are UTC milliseconds. A content of None is a file that does not exist.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from archivist.domain.knowledge import LessonId
from archivist.domain.memory_file import TITLES, Hunk, fingerprint

TargetId = NewType("TargetId", int)
ProposalId = NewType("ProposalId", int)
HunkId = NewType("HunkId", int)
WriteId = NewType("WriteId", int)


class HunkState(StrEnum):
    """What became of a proposed change."""

    OPEN = "open"
    WRITTEN = "written"
    REJECTED = "rejected"


class WriteState(StrEnum):
    """How far the writing of a file, or taking it back, has come."""

    PLANNED = "planned"
    WRITTEN = "written"
    UNDOING = "undoing"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Target:
    """A memory file that lessons may be proposed to; `project` is "" for what holds everywhere."""

    id: TargetId
    path: str
    project: str
    enabled_at: int


@dataclass(frozen=True, slots=True)
class FileLook:
    """A memory file on disk: what it holds, when it was changed last, whether it may be written."""

    data: bytes | None
    changed_at: int | None
    may_write: bool


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A memory file that stands where one is usual; `project` as for a target."""

    path: str
    project: str


@dataclass(frozen=True, slots=True)
class StoredHunk:
    """A hunk under the number that a person names it by; another wording has another number."""

    id: HunkId
    hunk: Hunk
    state: HunkState


def in_order(hunks: Iterable[StoredHunk]) -> tuple[StoredHunk, ...]:
    """Return hunks by heading and oldest lesson: a new wording stands where the old one did.

    What stands under another heading than ours comes last.
    """
    titles = list(TITLES.values())

    def place(stored: StoredHunk) -> tuple[int, int]:
        heading, lessons = stored.hunk.heading, stored.hunk.lessons
        known = titles.index(heading) if heading in titles else len(titles)
        return known, min(lessons, default=LessonId(0))

    return tuple(sorted(hunks, key=place))


@dataclass(frozen=True, slots=True)
class Proposal:
    """The open change of one memory file. `base` is the file that the hunks were made for."""

    id: ProposalId
    target: Target
    base: bytes | None
    made_at: int
    hunks: tuple[StoredHunk, ...]

    @property
    def open_hunks(self) -> tuple[StoredHunk, ...]:
        """The hunks that wait for a decision."""
        return tuple(stored for stored in self.hunks if stored.state is HunkState.OPEN)


@dataclass(frozen=True, slots=True)
class Plan:
    """A write that is about to happen."""

    proposal: ProposalId
    path: str
    before: bytes | None
    after: bytes
    hunks: tuple[HunkId, ...]


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One write of a memory file, with the whole file before and after."""

    id: WriteId
    path: str
    state: WriteState
    before: bytes | None
    after: bytes
    hunks: tuple[HunkId, ...]
    planned_at: int
    written_at: int | None

    @property
    def before_sha(self) -> str | None:
        """The SHA-256 of the file before, None when there was none."""
        return fingerprint(self.before)

    @property
    def after_sha(self) -> str | None:
        """The SHA-256 of the file after."""
        return fingerprint(self.after)


@dataclass(frozen=True, slots=True)
class PastWrite:
    """One write of a memory file, by the SHA-256 of the file before and after alone."""

    id: WriteId
    path: str
    state: WriteState
    before_sha: str | None
    after_sha: str
    hunks: tuple[HunkId, ...]
    at: int


@dataclass(frozen=True, slots=True)
class WrittenBullet:
    """A bullet that a write which still stands put into a file, and the lessons that it says."""

    write: WriteId
    added: str
    lessons: tuple[LessonId, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What the command log says of an action: its sentence, the program that asked, and when."""

    label: str
    caller: str | None
    at: int
