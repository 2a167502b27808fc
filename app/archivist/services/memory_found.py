"""The memory files to choose from: those in use, and those that stand where one is usual."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from archivist.domain.memory_readers import FileReader, readers_of
from archivist.ports.files import MemoryPlaces
from archivist.ports.proposals import Targets


class KnownProjects(Protocol):
    """Where projects are known."""

    async def projects(self) -> list[str]:
        """Return the projects that turns belong to."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory file; `project` is what it takes, `stands_in` where it is; "" is everywhere."""

    path: str
    project: str
    stands_in: str
    is_enabled: bool
    readers: tuple[FileReader, ...]


async def candidates(
    targets: Targets, places: MemoryPlaces, known: KnownProjects
) -> Sequence[Candidate]:
    """Return the files by path."""
    found = await asyncio.to_thread(places.found, await known.projects())
    stands_in = {file.path: file.project for file in found}
    enabled = {target.path: target.project for target in await targets.targets()}
    return [
        Candidate(path, project, stands_in.get(path, ""), path in enabled, readers_of(path))
        for path, project in sorted((stands_in | enabled).items())
    ]
