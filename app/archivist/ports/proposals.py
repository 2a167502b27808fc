"""What the services need of the store for memory files.

Every method that writes is one transaction; each raises Problem when the disk is full or the
database is locked, damaged or read-only.
"""

from collections.abc import Sequence
from typing import Protocol

from archivist.domain.knowledge import Lesson, LessonState
from archivist.domain.memory_file import Hunk
from archivist.domain.proposals import (
    FileWrite,
    HunkId,
    Note,
    PastWrite,
    Plan,
    Proposal,
    Target,
    TargetId,
    WriteId,
    WriteState,
    WrittenBullet,
)


class KeptLessons(Protocol):
    """The lessons, to be asked for those that were kept."""

    async def lessons(self, state: LessonState | None) -> list[Lesson]:
        """Return the lessons in a state, or all, oldest first."""


class Targets(Protocol):
    """The memory files that the person chose."""

    async def targets(self) -> list[Target]:
        """Return the enabled files, by path."""

    async def enable(self, path: str, project: str, *, note: Note) -> Target:
        """Enable a file, or give it another project; logged unless nothing changes."""

    async def disable(self, target: Target, *, note: Note) -> None:
        """Disable a file; its proposals are kept, and hidden."""

    async def restore(self, target: TargetId, *, project: str, enabled: bool, at: int) -> None:
        """Bring a file back to what a command's inverse says."""


class OpenProposals(Protocol):
    """The open proposal of each memory file."""

    async def proposals(self) -> list[Proposal]:
        """Return the open proposals of enabled files, with all their hunks."""

    async def refresh(
        self, target: TargetId, base: bytes | None, hunks: Sequence[Hunk], *, at: int
    ) -> None:
        """Make the open proposal say exactly these hunks.

        The same words keep their number; what was once written or rejected does not come back,
        but as the new wording of a bullet that stands.
        """

    async def reject(self, hunks: Sequence[HunkId], *, note: Note) -> None:
        """Reject open hunks and log it."""

    async def reopen(self, hunks: Sequence[HunkId]) -> None:
        """Bring rejected hunks back."""


class PastWrites(Protocol):
    """What was written to memory files, to be looked at."""

    async def find(self, write: WriteId) -> FileWrite | None:
        """Return one write with its contents."""

    async def past(
        self, states: Sequence[WriteState], *, path: str | None = None, limit: int
    ) -> list[PastWrite]:
        """Return the writes in these states without their contents, newest first."""

    async def bullets(self, path: str) -> list[WrittenBullet]:
        """Return what the standing writes of a file added, oldest first."""


class Writes(Protocol):
    """The record of what was written to memory files."""

    async def find(self, write: WriteId) -> FileWrite | None:
        """Return one write."""

    async def writes(
        self, states: Sequence[WriteState], *, path: str | None = None, limit: int | None = None
    ) -> list[FileWrite]:
        """Return the writes in these states, newest first."""

    async def bullets(self, path: str) -> list[WrittenBullet]:
        """Return what the standing writes of a file added, oldest first."""

    async def plan(self, plan: Plan, *, at: int) -> WriteId:
        """Note what is about to be written."""

    async def forget(self, write: WriteId) -> None:
        """Take back a plan that did not happen."""

    async def record_written(self, write: WriteId, *, note: Note) -> None:
        """Note that a planned write happened: its hunks are written, and it can be undone."""

    async def mark(self, write: WriteId, state: WriteState) -> None:
        """Note that a write is being taken back, or that this did not happen."""

    async def refit(self, write: WriteId, *, before: bytes | None, after: bytes) -> None:
        """Let a write say what the file is with and without it now that a person edited it."""

    async def record_undone(self, write: WriteId, *, now: bytes | None, at: int) -> None:
        """Note that a write was taken back, and what the file holds by now.

        Its hunks wait again, its command is undone.
        """
