"""Read transcripts through the gate into the store, each chunk with its cursor."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from archivist.domain.intake import FileReport, Intake, StoredFile
from archivist.domain.problems import FileProblem, Problem
from archivist.domain.redaction import Cleaned, Gate
from archivist.domain.transcripts import (
    Chunk,
    Cursor,
    Seen,
    SessionSeen,
    Tally,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)
from archivist.ports.machine import Clock, Projects
from archivist.ports.sources import Home, Reader
from archivist.ports.stores import Transcripts
from archivist.services.bus import Bus, TurnsArrived
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
            for root in reader.roots(home):
                paths = await asyncio.to_thread(_files, reader, root)
                async for report in self._import_files(reader, paths, progress):
                    yield report

    async def import_paths(
        self, paths: Sequence[Path], *, progress: Progress | None = None
    ) -> AsyncIterator[FileReport]:
        """Import single files, or every transcript below folders, whatever their source."""
        for path in paths:
            if await asyncio.to_thread(path.is_dir):
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
            return FileReport(str(path), "", Tally(), 0, problem.message)
        if reader is None:
            return FileReport(str(path), "", Tally(), 0, tr("no source writes files of this form"))
        return await self.read_file(reader, path, settled=True)

    async def _import_files(
        self, reader: Reader, paths: Sequence[Path], progress: Progress | None
    ) -> AsyncIterator[FileReport]:
        if progress is not None:
            progress.files += len(paths)
        for path in paths:
            if progress is not None:
                progress.step(str(path))
            report = await self.read_file(reader, path, settled=True)
            if progress is not None:
                progress.done += 1
                progress.new_turns += report.new_turns
            yield report

    def reader_of(self, path: Path) -> Reader | None:
        """Return the reader of a single file, None when no source claims it. Raises FileProblem."""
        try:
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
                gone = not await asyncio.to_thread(path.exists)
                await self._store.trouble(
                    reader.source, str(path), problem.message, gone=gone, at=self._clock()
                )
                _log.info("unreadable source=%s key=%s", reader.source, problem.key)
                return FileReport(str(path), reader.source, Tally(), 0, problem.message)

    async def _read(self, reader: Reader, path: Path, *, settled: bool | None) -> FileReport:
        known = await self._store.file(str(path))
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
            self._bus.tell(TurnsArrived(reader.source, str(path), new))
        return FileReport(str(path), reader.source, tally, new)

    def _is_quiet(self, path: Path) -> bool:
        try:
            changed = path.stat().st_mtime_ns // 1_000_000
        except OSError:
            return False
        return self._clock() - changed > _QUIET_MS

    def _clean(self, reader: Reader, path: Path, chunk: Chunk, *, is_last: bool) -> Intake:
        """Put a chunk through the gate: nothing of it is written before."""
        cleaning = _Cleaning(self._gate())
        seen = tuple(cleaning.clean(item) for item in chunk.seen)
        folders = {item.cwd for item in seen if isinstance(item, TurnSeen) and item.cwd}
        return Intake(
            source=reader.source,
            path=str(path),
            seen=seen,
            cursor=chunk.cursor,
            tally=chunk.tally,
            last=is_last,
            at=self._clock(),
            redacted={
                key: ", ".join(dict.fromkeys(found)) for key, found in cleaning.found.items()
            },
            withheld=frozenset(cleaning.withheld),
            projects={cwd: self._projects.project_of(cwd) for cwd in folders},
        )


def _since(known: StoredFile | None) -> Cursor | None:
    """Return where to read on; a read that was cut off without a mark of its own begins anew."""
    if known is None or known.cursor is None or (known.unfinished and not known.cursor.mark):
        return None
    return known.cursor


class _Cleaning:
    """The gate over one chunk; remembers per turn what was taken out."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.found: dict[str, list[str]] = {}
        self.withheld: set[str] = set()

    def clean(self, seen: Seen) -> Seen:
        """Return the record with its free texts cleaned; ids, paths and times stay."""
        match seen:
            case TurnSeen():
                return replace(seen, text=self._text(seen.key, seen.text))
            case ToolCalled():
                return replace(seen, arguments=self._json(seen.turn, seen.arguments))
            case ToolAnswered():
                return replace(seen, output=self._text(seen.turn, seen.output))
            case SessionSeen() if seen.title:
                return replace(seen, title=self._gate.clean(seen.title).text)
            case _:
                return seen

    def _text(self, turn: str, text: str) -> str:
        return self._kept(turn, text, self._gate.clean)

    def _json(self, turn: str, text: str) -> str:
        return self._kept(turn, text, self._gate.clean_json)

    def _kept(self, turn: str, text: str, clean: Callable[[str], Cleaned]) -> str:
        """Clean a text; one that cannot be cleaned is withheld: the row stays, without its text."""
        try:
            cleaned = clean(text)
        except (RecursionError, MemoryError):
            self.withheld.add(turn)
            return ""
        if cleaned.kinds:
            self.found.setdefault(turn, []).extend(cleaned.kinds)
        return cleaned.text


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
