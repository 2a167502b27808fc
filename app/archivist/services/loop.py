"""The background loop: import what is there, then follow what changes, and archive what is due.

Runs the same with and without a window, and rests while it is paused. Each piece of work may be
cancelled at any point: what is written stands, the cursors say where to go on. Ends at its stop
event; open segments are then closed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from archivist.domain.activity import Archiving, Importing
from archivist.domain.jobs import Stage
from archivist.domain.problems import Problem
from archivist.ports.machine import Clock
from archivist.ports.sources import Home, Reader
from archivist.services.activity import Activities
from archivist.services.archive import Archive, Done
from archivist.services.bus import AskedFailed, Bus, PauseChanged, SegmentsChanged
from archivist.services.ingest import Ingest, Progress
from archivist.services.pause import Pause
from archivist.services.supervise import Supervisor, settled

_log = logging.getLogger(__name__)

_TICK: Final = 5.0
"""Seconds between looks at the clock, by which a pause ends."""

_IMPORT: Final = "import"
_READ: Final = "read"
_ARCHIVE: Final = "archive"


class Follow(Protocol):
    """Tells of changed files below folders."""

    def __call__(
        self, roots: Callable[[], Sequence[Path]], *, stop: asyncio.Event, poll_seconds: float
    ) -> AsyncIterator[frozenset[Path]]:
        """Yield the sets of paths that changed, until the stop event is set."""


class CatchUp(Protocol):
    """Writes what the archive could not take before."""

    def __call__(self, *, works: bool) -> Awaitable[None]:
        """Try again; `works`: no piece of work fails any more."""


async def _nothing_kept(*, works: bool) -> None:
    """Stand in where nothing is kept."""


class Loop:
    """Keeps the archive up to date until it is told to stop. `maker`: who makes the recaps."""

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
        pause: Pause,
        activities: Activities,
        bus: Bus,
        clock: Clock,
        maker: str,
        catch_up: CatchUp = _nothing_kept,
    ) -> None:
        self._ingest = ingest
        self._archive = archive
        self._readers = [reader for reader in readers if reader.source not in off]
        self._off = off
        self._home = home
        self._follow = follow
        self._poll_seconds = poll_seconds
        self._supervisor = supervisor
        self._pause = pause
        self._activities = activities
        self._bus = bus
        self._clock = clock
        self._maker = maker
        self._catch_up = catch_up
        self._news = asyncio.Event()
        self._due = asyncio.Event()
        self._pieces: dict[str, asyncio.Task[None]] = {}
        self._asked: set[str] = set()
        self._asked_for: set[str] = set()
        self._again: set[Path] = set()
        self._must_import = False
        self._must_sweep = True
        self.done = Done()

    def read_now(self) -> None:
        """Read every source, also while paused: a person asked for it."""
        self._must_import = True
        self._asked.add(_IMPORT)
        self._news.set()

    def cancel_import(self) -> None:
        """Stop reading the sources; what was read stays, `read_now` goes on from there."""
        self._must_import = False
        self._asked.discard(_IMPORT)
        self._cancel(_IMPORT)

    def archive_now(self) -> None:
        """Archive what is due, also while paused."""
        self._asked.add(_ARCHIVE)
        self._due.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set. What fails in a step is reported, and the step tried again."""
        end_listening = self._bus.listen(PauseChanged, self._on_pause_changed)
        try:
            await self._is_paused()
            self._activities.paused(self._pause.current)
            async with asyncio.TaskGroup() as group:
                following = self._keep_following(stop)
                work = (self._keep_reading(), self._keep_archiving(), self._keep_ticking())
                tasks = [group.create_task(one) for one in (following, *work)]
                await stop.wait()
                for task in tasks:
                    task.cancel()
        finally:
            end_listening()
        await self._guarded(self._close(), "close")

    async def _guarded(self, work: Awaitable[None], name: str) -> None:
        await self._supervisor.guarded(work, name=name)

    async def _judged(self, work: Awaitable[None], name: str, piece: str = "") -> None:
        """Do a piece of work; note whether it failed, before that is reported."""
        failed = await settled(work, where=name)
        piece = piece or name
        if isinstance(failed, Problem):
            self._activities.failed(piece, failed)
            if name in self._asked_for:
                self._bus.tell(AskedFailed(failed))
            raise failed
        self._activities.succeeded(piece)

    async def _piece(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do work that can be cancelled by its name, without the end of whoever waits for it."""
        judged = self._judged(work, name)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self._guarded(judged, name), name=name)
            self._pieces[name] = task
        self._pieces.pop(name, None)
        self._asked_for.discard(name)
        judged.close()  # both: cancelled before it began
        work.close()
        await self._guarded(self._catch_up(works=not self._activities.is_troubled), "catch-up")

    def _cancel(self, *names: str) -> None:
        for name in names:
            task = self._pieces.get(name)
            if task is not None:
                task.cancel()

    async def _is_paused(self) -> bool:
        """Ask the archive: the command line may have paused or resumed."""
        await self._guarded(self._look(), "pause")
        return self._pause.current is not None

    async def _look(self) -> None:
        await self._pause.look()

    def _on_pause_changed(self, event: PauseChanged) -> None:
        self._activities.paused(event.paused)
        if event.paused is not None:
            self._cancel(_IMPORT, _READ, _ARCHIVE)
        else:
            self._news.set()
            self._due.set()

    async def _may(self, *names: str) -> bool:
        """Whether to work now; what a person asks for is done once, also while paused."""
        is_asked = not self._asked.isdisjoint(names)
        self._asked_for |= self._asked & set(names)
        self._asked.difference_update(names)
        return not await self._is_paused() or is_asked

    async def _keep_ticking(self) -> None:
        """Look at the clock, and at every poll at what only time makes due.

        One timer that always runs out: in the loop of the windows one that is cancelled lives on.
        """
        waited = 0.0
        rest = min(_TICK, self._poll_seconds)
        while True:
            await asyncio.sleep(rest)
            self._pause.check_clock()
            waited += rest
            if waited >= self._poll_seconds:
                waited = 0.0
                self._news.set()
                self._due.set()

    def _roots(self) -> list[Path]:
        return [root for reader in self._readers for root in reader.roots(self._home)]

    async def _keep_following(self, stop: asyncio.Event) -> None:
        changes = self._follow(self._roots, stop=stop, poll_seconds=self._poll_seconds)
        is_watched = False
        async for paths in changes:
            if not is_watched:  # now the folders are watched: nothing after this is missed
                self._must_import = is_watched = True
            self._again.update(paths)
            self._news.set()

    async def _keep_reading(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if not (self._must_import or self._again) or not await self._may(_IMPORT):
                continue
            if self._must_import:
                await self._piece(self._import_all(), _IMPORT)
            await self._piece(self._read_all(), _READ)
            self._due.set()

    async def _import_all(self) -> None:
        """Read every source from where its cursors stand."""
        progress = Progress(listeners=[self._show_import])
        reports = self._ingest.import_home(self._home, off=self._off, progress=progress)
        ended: int | None = None
        try:
            async for report in reports:
                if report.new_turns:
                    self._due.set()
            self._must_import = False
            ended = self._clock()
        finally:
            self._activities.importing(None, at=ended)

    def _show_import(self, now: Progress) -> None:
        shown = Importing(now.done, now.files, now.new_turns, now.path)
        self._activities.importing(shown, at=self._clock())

    async def _read_all(self) -> None:
        """Read what changed; a file whose rows could not be written stays on the list."""
        for path in sorted(self._again):
            await self._guarded(self._judged(self._read(path), _READ, str(path)), _READ)

    async def _read(self, path: Path) -> None:
        reader = await asyncio.to_thread(self._reader_of, path)
        if reader is not None:
            report = await self._ingest.read_file(reader, path)
            if report.new_turns:
                self._activities.worked(at=self._clock())
            else:  # the last turn may have become longer, or its tools have answered
                self._bus.tell(SegmentsChanged())
        else:
            await self._ingest.mark_if_gone(path)
        self._again.discard(path)

    def _reader_of(self, path: Path) -> Reader | None:
        """Return who reads a changed path; None for what is no transcript, or of a source off."""
        reader = self._ingest.reader_below(self._home, path)
        if reader is None or reader.source in self._off or not path.is_file():
            return None
        return reader if path in set(reader.files(path.parent)) else None

    async def _keep_archiving(self) -> None:
        """Archive after each change, and at every poll for what only time makes due."""
        self._due.set()
        while True:
            await self._due.wait()
            self._due.clear()
            if await self._may(_ARCHIVE):
                await self._piece(self._archive_all(), _ARCHIVE)

    async def _archive_all(self) -> None:
        ended: int | None = None
        try:
            if self._must_sweep:
                await self._archive.sweep_into(self.done)
                self._must_sweep = False
            await self._archive.step(self.done, tell=self._show_step)
            ended = self._clock()
        finally:
            self._activities.archiving(None, at=ended)

    def _show_step(self, done: int, waiting: int, stage: Stage | None) -> None:
        shown = Archiving(done, waiting, stage, self._maker)
        self._activities.archiving(shown, at=self._clock())

    async def _close(self) -> None:
        closed = await self._archive.close_for_exit()
        _log.info("loop ended closed=%d", closed)
