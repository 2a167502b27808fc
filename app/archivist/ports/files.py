"""What the services need to write a memory file safely."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from archivist.domain.proposals import FileLook, FoundFile


class LockedFile(Protocol):
    """A memory file whose folder nobody else of us writes to meanwhile.

    Each method raises FileProblem when the disk is full, the file or folder read-only or gone, and
    Refused when the file is no plain file (a symbolic link). Then the file is as it was.
    """

    async def read(self) -> bytes | None:
        """Return the file as it is, None where there is none."""

    async def replace(self, data: bytes, *, expect: str | None) -> bool:
        """Replace the file in one step; False when its SHA-256 is not `expect` (None: no file)."""

    async def remove(self, *, expect: str) -> bool:
        """Delete the file; False when its SHA-256 is not `expect`."""


class MemoryPlaces(Protocol):
    """Where memory files usually stand."""

    def found(self, projects: Sequence[str]) -> list[FoundFile]:
        """Return the memory files of the projects and those for everywhere. Reads the disk."""


class MemoryFiles(Protocol):
    """The memory files on disk."""

    async def locate(self, path: Path) -> Path:
        """Return the path with its folder resolved. Raises Refused for a name that is not ours."""

    async def read(self, path: Path) -> bytes | None:
        """Return a located file as it is, None where there is none. Raises like LockedFile."""

    async def look(self, path: Path) -> FileLook:
        """Return a located file and what the system says of it. Raises like LockedFile."""

    def locked(self, path: Path) -> AbstractAsyncContextManager[LockedFile]:
        """Keep a located file for us. Raises FileProblem naming who holds it for too long."""
