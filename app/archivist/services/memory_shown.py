"""What the memory window is shown: files with their state, changes row by row, past writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from archivist.domain.care import Care, cares_of
from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.memory_diff import DiffLine
from archivist.domain.memory_readers import FileReader
from archivist.domain.problems import Problem
from archivist.domain.proposals import (
    FileLook,
    HunkId,
    PastWrite,
    ProposalId,
    StoredHunk,
    Target,
    WriteId,
    WriteState,
)
from archivist.domain.review import sessions_of


class FileState(StrEnum):
    """What a memory file is on disk."""

    READY = "ready"
    MISSING = "missing"
    READ_ONLY = "read-only"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class HunkSource:
    """A lesson that a change says, and in how many sessions it was said."""

    lesson: LessonId
    text: str
    sessions: int


@dataclass(frozen=True, slots=True)
class HunkView:
    """One change. `text` is its line without the bullet; `replaces` whether a line gives way."""

    id: HunkId
    heading: str
    text: str
    replaces: bool
    lines: tuple[DiffLine, ...]
    sources: tuple[HunkSource, ...]
    cares: tuple[Care, ...]

    @property
    def preselected(self) -> bool:
        """Whether it may be chosen before a person looked."""
        return not self.cares


@dataclass(frozen=True, slots=True)
class FileView:
    """A memory file in use. `problem` says why nothing new can be proposed to it, nor written.

    `hunks` are then those that waited before.
    `changed_at`: when somebody else changed it after it was shown or proposed to; UTC milliseconds.
    `sha` names the content that the changes are shown on.
    """

    target: Target
    state: FileState
    problem: Problem | None
    changed_at: int | None
    sha: str | None
    proposal: ProposalId | None
    hunks: tuple[HunkView, ...]
    readers: tuple[FileReader, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """The whole file as it would be: its lines, those that are new marked, and its size."""

    lines: tuple[DiffLine, ...]
    size: int


@dataclass(frozen=True, slots=True)
class WriteView:
    """One write of the past. `is_held`: the file still holds what was written, to take back."""

    id: WriteId
    path: str
    state: WriteState
    at: int
    hunks: int
    is_held: bool


def state_of(look: FileLook | None, problem: Problem | None) -> FileState:
    """Return what a file is, from what the disk says and what is wrong with it."""
    if problem is not None or look is None:
        return FileState.TROUBLE
    if not look.may_write:
        return FileState.READ_ONLY
    return FileState.MISSING if look.data is None else FileState.READY


def hunk_view(
    stored: StoredHunk,
    rows: tuple[DiffLine, ...],
    lessons: Sequence[Lesson],
    *,
    is_line_ours: bool,
) -> HunkView:
    """Return a waiting change as it is shown."""
    hunk = stored.hunk
    is_from_outside = any(lesson.untrusted for lesson in lessons)
    return HunkView(
        id=stored.id,
        heading=hunk.heading,
        text=hunk.added.removeprefix("- "),
        replaces=bool(hunk.removed),
        lines=rows,
        sources=tuple(_source(lesson) for lesson in lessons),
        cares=cares_of(hunk, is_from_outside=is_from_outside, is_line_ours=is_line_ours),
    )


def _source(lesson: Lesson) -> HunkSource:
    return HunkSource(lesson.id, lesson.text, sessions_of(lesson))


def write_view(write: PastWrite, *, is_held: bool) -> WriteView:
    """Return a write as the history shows it."""
    return WriteView(write.id, write.path, write.state, write.at, len(write.hunks), is_held)
