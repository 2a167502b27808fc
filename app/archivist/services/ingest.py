"""Read transcripts through the gate into the store, each chunk with its cursor."""

import asyncio
import errno
import logging
import stat
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from archivist.domain.intake import FileReport, Intake, StoredFile
from archivist.domain.problems import FileProblem, Problem
from archivist.domain.redaction import Gate
from archivist.domain.transcripts import Chunk, Cursor, Tally, TurnSeen
from archivist.ports.machine import Clock, Projects
from archivist.ports.sources import Home, Reader
from archivist.ports.stores import Transcripts
from archivist.services.bus import Bus, TurnsArrived
from archivist.services.cleaning import Cleaning, stored_name
from archivist.services.supervise import is_bug, settled
from archivist.texts import tr

_log = logging.getLogger(__name__)

_HEAD: Final = 64 * 1024
_QUIET_MS: Final = 60_000
"""A file that was quiet for so long has no half-written last line any more."""

_Item = TypeVar("_Item")
_END: Final = object()


@dataclass(slots=True)
class Progress:
    """How far an import is; shown while it runs."""

    files: int = 0
    done: int = 0
    new_turns: int = 0
    path: str = ""
    listeners: list[Callable[["Progress"], None]] = field(default_factory=list)

    def step(self, path: str) -> None:
        """Tell the listeners which file is next."""
        self.path = path
        for listener in self.listeners:
            listener(self)


class Ingest:
    """Imports files and folders. One file at a time; the reader works in a thread."""

    def __init__(
        self,
        store: Transcripts,
        readers: Sequence[Reader],
        gate: Callable[[], Gate],
        projects: Projects,
        *,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._store = store
        self._readers = readers
        self._gate = gate
        self._projects = projects
        self._bus = bus
        self._clock = clock
        self._one = asyncio.Lock()

    async def import_home(
        self, home: Home, *, off: Sequence[str] = (), progress: Progress | None = None
    ) -> AsyncIterator[FileReport]:
        """Import what every source that is on keeps below its roots."""
        for reader in self._readers:
            if reader.source in off:
                continue
            there: set[str] = set()
            for root in reader.roots(home):
                paths = await asyncio.to_thread(_files, reader, root)
                there |= await asyncio.to_thread(self._names, paths)  # makes the gate
                async for report in self._import_files(reader, paths, progress):
                    yield report
            await self._mark_all_gone(reader, home, there)

    async def import_paths(
        self, paths: Sequence[Path], *, progress: Progress | None = None
    ) -> AsyncIterator[FileReport]:
        """Import single files, or every transcript below folders, whatever their source."""
        for path in paths:
            if await asyncio.to_thread(_is_folder, path):
                for reader in self._readers:
                    found = await asyncio.to_thread(_files, reader, path)
                    async for report in self._import_files(reader, found, progress):
                        yield report
            else:
                yield await self._import_single(path)

    async def _import_single(self, path: Path) -> FileReport:
        try:
            reader = await asyncio.to_thread(self.reader_of, path)
        except Problem as problem:
            return FileReport(self._name(path), "", Tally(), 0, problem.message)
        if reader is None:
            return FileReport(
                self._name(path), "", Tally(), 0, tr("no source writes files of this form")
            )
        return await self.read_file(reader, path, settled=True)

    async def _import_files(
        self, reader: Reader, paths: Sequence[Path], progress: Progress | None
    ) -> AsyncIterator[FileReport]:
        if progress is not None:
            progress.files += len(paths)
        for path in paths:
            if progress is not None:
                progress.step(self._name(path))
            report = await self._read_one(reader, path)
            if progress is not None:
                progress.done += 1
                progress.new_turns += report.new_turns
            yield report

    async def _read_one(self, reader: Reader, path: Path) -> FileReport:
        """Read a file of many: a bug that it brings out is told, and the others are read."""
        report = await settled(self.read_file(reader, path, settled=True), where="read")
        if not isinstance(report, Problem):
            return report
        if not is_bug(report):
            raise report
        return FileReport(self._name(path), reader.source, Tally(), 0, report.message)

    def reader_of(self, path: Path) -> Reader | None:
        """Return the reader of a single file, None when no source claims it. Raises FileProblem."""
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise OSError(errno.EINVAL, tr("it is no plain file"))
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            raise FileProblem(
                tr("{path} cannot be read ({why}).", path=path, why=error.strerror),
                advice=tr("Check that the file is there and that you may read it."),
            ) from error
        return next((reader for reader in self._readers if reader.claims(path, head)), None)

    def reader_below(self, home: Home, path: Path) -> Reader | None:
        """Return the reader whose roots hold a path that changed."""
        for reader in self._readers:
            if any(path.is_relative_to(root) for root in reader.roots(home)):
                return reader
        return None

    async def mark_if_gone(self, path: Path) -> None:
        """Note when a known file is no longer there: its session has ended, its turns stay."""
        if not await asyncio.to_thread(_is_there, path):
            await self._store.mark_gone([self._name(path)], at=self._clock())

    async def _mark_all_gone(self, reader: Reader, home: Home, there: set[str]) -> None:
        """Note the files of a source that an assistant or a person has deleted meanwhile."""
        roots = [self._name(root) for root in reader.roots(home)]
        missing = [n for n in await self._store.paths(reader.source) if n not in there]
        gone = await asyncio.to_thread(_vanished, missing, roots)
        if gone:
            await self._store.mark_gone(gone, at=self._clock())

    async def read_file(
        self, reader: Reader, path: Path, *, settled: bool | None = None
    ) -> FileReport:
        """Read what is new in one file. `settled=None`: settled when it was quiet for a minute.

        Never raises for the file's fault: the report and the store carry the reason.
        """
        async with self._one:
            try:
                return await self._read(reader, path, settled=settled)
            except FileProblem as problem:
                if await self._is_kept_already(path):
                    return FileReport(self._name(path), reader.source, Tally(), 0)
                gone = not await asyncio.to_thread(_is_there, path)
                await self._store.trouble(
                    reader.source, self._name(path), problem.message, gone=gone, at=self._clock()
                )
                _log.info("unreadable source=%s key=%s", reader.source, problem.key)
                return FileReport(self._name(path), reader.source, Tally(), 0, problem.message)

    async def _is_kept_already(self, path: Path) -> bool:
        """Whether a compressed transcript was read before its assistant compressed it."""
        if path.suffix != ".zst":
            return False
        known = await self._store.file(self._name(path.with_suffix("")))
        return known is not None and known.cursor is not None

    async def _read(self, reader: Reader, path: Path, *, settled: bool | None) -> FileReport:
        known = await self._store.file(self._name(path))
        since = _since(known)
        quiet = await asyncio.to_thread(self._is_quiet, path) if settled is None else settled
        tally = known.tally if known else Tally()
        new = 0
        chunks = reader.read(path, since, settled=quiet)
        async for chunk, is_last in _with_last(_in_thread(chunks)):
            tally = chunk.tally
            intake = await asyncio.to_thread(self._clean, reader, path, chunk, is_last=is_last)
            new += await self._store.commit(intake)
        if new:
            self._bus.tell(TurnsArrived(reader.source, self._name(path), new))
        return FileReport(self._name(path), reader.source, tally, new)

    def _is_quiet(self, path: Path) -> bool:
        try:
            changed = path.stat().st_mtime_ns // 1_000_000
        except OSError:
            return False
        return self._clock() - changed > _QUIET_MS

    def _clean(self, reader: Reader, path: Path, chunk: Chunk, *, is_last: bool) -> Intake:
        """Put a chunk through the gate: nothing of it is written before."""
        cleaning = Cleaning(self._gate())
        seen = tuple(cleaning.clean(item) for item in chunk.seen)
        folders = {item.cwd for item in chunk.seen if isinstance(item, TurnSeen) and item.cwd}
        return Intake(
            source=reader.source,
            path=self._name(path),
            seen=seen,
            cursor=chunk.cursor,
            tally=chunk.tally,
            last=is_last,
            at=self._clock(),
            redacted={
                key: ", ".join(dict.fromkeys(found)) for key, found in cleaning.found.items()
            },
            withheld=frozenset(cleaning.withheld),
            projects={
                cleaning.plain(cwd): cleaning.plain(self._projects.project_of(cwd))
                for cwd in folders
            },
        )

    def _names(self, paths: Iterable[Path]) -> set[str]:
        return {self._name(path) for path in paths}

    def _name(self, path: Path) -> str:
        """Return the name under which a file is known; any bytes and secrets are written out."""
        return stored_name(path, self._gate())


def _since(known: StoredFile | None) -> Cursor | None:
    """Return where to read on; a read that was cut off without a mark of its own begins anew."""
    if known is None or known.cursor is None or (known.unfinished and not known.cursor.mark):
        return None
    return known.cursor


def _vanished(missing: Sequence[str], roots: Sequence[str]) -> list[str]:
    """Return the files below these roots that are not there; others may lie elsewhere."""
    return [
        name
        for name in missing
        if any(Path(name).is_relative_to(root) for root in roots) and not _is_there(Path(name))
    ]


def _is_there(path: Path) -> bool:
    """Whether a path exists; one that may not be looked at counts as there."""
    try:
        return path.exists()
    except OSError:
        return True


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _files(reader: Reader, root: Path) -> list[Path]:
    return list(reader.files(root))


def _next(items: Iterator[_Item]) -> _Item | object:
    return next(items, _END)


async def _in_thread(items: Iterator[_Item]) -> AsyncIterator[_Item]:
    """Run a blocking iterator in a thread, one item at a time."""
    while (item := await asyncio.to_thread(_next, items)) is not _END:
        yield item  # type: ignore[misc]  # everything but the end mark is an item


async def _with_last(items: AsyncIterator[_Item]) -> AsyncIterator[tuple[_Item, bool]]:
    """Pair each item with whether it is the last one."""
    held: list[_Item] = []
    async for item in items:
        if held:
            yield held.pop(), False
        held.append(item)
    if held:
        yield held.pop(), True
