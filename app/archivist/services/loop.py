"""The background loop: import what is there, then follow what changes, and archive what is due.

Runs the same with and without a window. Ends at its stop event; open segments are then closed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from archivist.ports.sources import Home, Reader
from archivist.services.archive import Archive, Done
from archivist.services.ingest import Ingest
from archivist.services.supervise import Supervisor

_log = logging.getLogger(__name__)


class Follow(Protocol):
    """Tells of changed files below folders."""

    def __call__(
        self, roots: Callable[[], Sequence[Path]], *, stop: asyncio.Event, poll_seconds: float
    ) -> AsyncIterator[frozenset[Path]]:
        """Yield the sets of paths that changed, until the stop event is set."""


class Loop:
    """Keeps the archive up to date until it is told to stop."""

    def __init__(
        self,
        ingest: Ingest,
        archive: Archive,
        readers: Sequence[Reader],
        home: Home,
        follow: Follow,
        *,
        off: Sequence[str],
        poll_seconds: float,
        supervisor: Supervisor,
    ) -> None:
        self._ingest = ingest
        self._archive = archive
        self._readers = [reader for reader in readers if reader.source not in off]
        self._off = off
        self._home = home
        self._follow = follow
        self._poll_seconds = poll_seconds
        self._supervisor = supervisor
        self._wake = asyncio.Event()
        self._again: set[Path] = set()
        self.done = Done()

    def _roots(self) -> list[Path]:
        return [root for reader in self._readers for root in reader.roots(self._home)]

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set. What fails in a step is reported, and the step tried again."""
        await self._guarded(self._archive.sweep_into(self.done), "sweep")
        async with asyncio.TaskGroup() as group:
            archiving = group.create_task(self._keep_archiving(stop), name="archive")
            await self._keep_following(stop)
            self._wake.set()
            await archiving
        await self._guarded(self._close(), "close")

    async def _guarded(self, work: Awaitable[None], name: str) -> None:
        await self._supervisor.guarded(work, name=name)

    async def _import_all(self) -> None:
        """Read every source from where its cursors stand."""
        async for report in self._ingest.import_home(self._home, off=self._off):
            if report.new_turns:
                self._wake.set()

    async def _close(self) -> None:
        closed = await self._archive.close_for_exit()
        _log.info("loop ended closed=%d", closed)

    async def _keep_following(self, stop: asyncio.Event) -> None:
        changes = self._follow(self._roots, stop=stop, poll_seconds=self._poll_seconds)
        is_imported = False
        async for paths in changes:
            if not is_imported:  # now the folders are watched: nothing after this is missed
                await self._guarded(self._import_all(), "import")
                is_imported = True
            await self._read_all(paths)
            self._wake.set()
            if stop.is_set():
                return

    async def _read_all(self, paths: Iterable[Path]) -> None:
        """Read what changed; a file whose rows could not be written stays on the list."""
        self._again.update(paths)
        for path in sorted(self._again):
            await self._guarded(self._read(path), "read")

    async def _read(self, path: Path) -> None:
        reader = await asyncio.to_thread(self._reader_of, path)
        if reader is not None:
            await self._ingest.read_file(reader, path)
        else:
            await self._ingest.mark_if_gone(path)
        self._again.discard(path)

    def _reader_of(self, path: Path) -> Reader | None:
        """Return who reads a changed path; None for what is no transcript, or of a source off."""
        reader = self._ingest.reader_below(self._home, path)
        if reader is None or reader.source in self._off or not path.is_file():
            return None
        return reader if path in set(reader.files(path.parent)) else None

    async def _keep_archiving(self, stop: asyncio.Event) -> None:
        """Archive after each change, and at every poll for what only time makes due."""
        while not stop.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll_seconds):
                    await self._wake.wait()
            self._wake.clear()
            if not stop.is_set():
                await self._read_all(())
                await self._guarded(self._archive.step(self.done), "archive")
