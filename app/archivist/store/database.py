"""The connections to the archive: one writer, a few read-only readers, and how they close.

Readers close before the writer: the last connection to close removes the `-wal` file, and a
read-only one cannot.
"""

import asyncio
import contextlib
import errno
import os
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiosqlite

from archivist.domain.problems import Problem
from archivist.store.episode_index import bring_up_to_date, is_outdated
from archivist.store.migrate import NO_MARKS, migrate, scripts
from archivist.texts import tr

BUSY_MS: Final = 10_000
_GLANCE_MS: Final = 100
"""How long SQLite itself waits for a lock of others to write: nothing can wake it from that."""

READERS: Final = 2
_AT_ONCE_SECONDS: Final = 0.1

COMMITS_ELSEWHERE: Final = """
pragma data_version
"""
GET_MARK: Final = """
select value from meta where key = ?
"""
_READING: Final = ("query_only = on",)
_WRITING: Final = ("journal_mode = wal", "synchronous = normal", "foreign_keys = on")
_HURRY_MS: Final = 300
_PRIMARY: Final = 0xFF
"""SQLite's code of a fault without its finer kinds."""

_FULL = ("database or disk is full", "disk I/O error")


class Database:
    """The open archive. Make it with `open_database`."""

    def __init__(self, path: Path, writer: aiosqlite.Connection) -> None:
        self.path = path
        self._identity = _identity(path)
        self._writer = writer
        self._turn = asyncio.Lock()
        self._idle: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        self._readers: list[aiosqlite.Connection] = []
        self._opening = asyncio.Lock()
        self._version: int | None = None
        self._stamps: list[tuple[int, int] | None] = []
        self._is_in_hurry = False

    @asynccontextmanager
    async def write(self) -> AsyncIterator[aiosqlite.Connection]:
        """Give the writer inside one transaction: committed at the end, rolled back on any error.

        Raises Problem when the disk is full, another program keeps the database locked, or the
        file was deleted or replaced under us.
        """
        async with self._turn:
            self._still_there()
            with world_faults(self.path):
                try:
                    await self._begin()
                    yield self._writer
                    await self._writer.execute("commit")
                except BaseException:
                    # A cancelled statement may still run in the writer's thread; the rollback
                    # queues behind it, so nothing of this transaction is committed later.
                    await asyncio.shield(self._roll_back())
                    raise

    async def _begin(self) -> None:
        """Wait for the lock in many short steps, so that a cancelled writer is free again soon."""
        clock = asyncio.get_running_loop().time
        began = clock()
        while True:
            try:
                await self._writer.execute("begin immediate")
                return
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_BUSY
                patience = _HURRY_MS if self._is_in_hurry else BUSY_MS
                if not is_busy or clock() - began >= patience / 1000:
                    raise

    def hurry(self) -> None:
        """Wait no longer for a lock of others, for the program ends; what waits now, too."""
        self._is_in_hurry = True

    def _still_there(self) -> None:
        """A deleted file would take every write and lose it at the end."""
        if _identity(self.path) != self._identity:
            raise Problem(
                tr("{path} was deleted or replaced while it was open.", path=self.path),
                advice=tr("Start Archivist again; `archivist import` reads what is missing."),
                key="database-gone",
            )

    async def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.OperationalError):  # SQLite has rolled back already
            await self._writer.execute("rollback")

    @asynccontextmanager
    async def read(self) -> AsyncIterator[aiosqlite.Connection]:
        """Give a read-only connection that nobody else uses meanwhile."""
        with world_faults(self.path):
            connection = await self._reader()
        try:
            with world_faults(self.path):
                yield connection
        finally:
            self._idle.put_nowait(connection)

    async def changed_elsewhere(self) -> bool:
        """Whether another process committed since this was asked last; at first it is not.

        SQLite's number for the writer moves with every commit but the writer's own. Where no file
        was written since, SQLite and its thread are not woken.
        """
        before, self._stamps = self._stamps, [_stamp(self.path), _stamp(_wal(self.path))]
        if self._stamps == before:
            return False
        with world_faults(self.path):
            rows = list(await self._writer.execute_fetchall(COMMITS_ELSEWHERE))
        known, self._version = self._version, int(rows[0][0])
        return known is not None and known != self._version

    async def _reader(self) -> aiosqlite.Connection:
        async with self._opening:
            if self._idle.empty() and len(self._readers) < READERS:
                connection = await _connect(self.path, read_only=True)
                self._readers.append(connection)
                return connection
        return await self._idle.get()

    async def close(self) -> None:
        """Close the readers, then the writer; afterwards no `-wal` file is left.

        A search that still runs is broken off: nobody waits for it any more.
        """
        async with self._turn:
            for connection in self._readers:
                await connection.interrupt()
                await connection.close()
            await self._writer.close()


def checkpoint(path: Path) -> None:
    """Bring what the `-wal` file holds into the database, at once and without a loop.

    Does less, and never harm, where another connection is at work.
    """
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(path, timeout=_AT_ONCE_SECONDS)) as connection,
    ):
        connection.execute("pragma wal_checkpoint(truncate)")


class world_faults:  # noqa: N801 - used as a statement, like contextlib.suppress
    """Turn SQLite's faults of the world into Problems; bugs in our SQL pass unchanged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin to watch."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise the Problem for a full disk, a lock, a read-only or a damaged file."""
        if not isinstance(error, sqlite3.DatabaseError):
            return
        told = _tell(error, self._path)
        if told is not None:
            raise told from error


def _tell(error: sqlite3.DatabaseError, path: Path) -> Problem | None:
    text = str(error)
    if any(sign in text for sign in _FULL):
        return Problem(
            tr("The disk that holds {path} is full or cannot be written.", path=path),
            advice=tr("Free some space; recording goes on by itself, nothing is lost."),
            key="disk-full",
        )
    if "locked" in text or "busy" in text:
        return Problem(
            tr("Another program keeps {path} locked.", path=path),
            advice=tr("Close the program that has the archive open, then try again."),
            key="database-locked",
        )
    if "readonly" in text or "unable to open" in text:
        return Problem(
            tr("{path} cannot be opened for writing.", path=path),
            advice=tr("Check the rights of the file and of its folder."),
            key="database-read-only",
        )
    if "malformed" in text or "not a database" in text:
        return Problem(
            tr("{path} is damaged ({text}).", path=path, text=text),
            advice=tr("Keep the file, restore the last copy from `backups`, import again."),
            key="database-damaged",
        )
    return None


async def _connect(path: Path, *, read_only: bool) -> aiosqlite.Connection:
    mode = "ro" if read_only else "rw"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = await aiosqlite.connect(uri, uri=True, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        more = _READING if read_only else (*_WRITING, f"busy_timeout = {_GLANCE_MS}")
        for pragma in (f"busy_timeout = {BUSY_MS}", *more):
            await connection.execute(f"pragma {pragma}")
    except BaseException:
        await connection.close()  # its thread would keep the program from ending
        raise
    return connection


@asynccontextmanager
async def open_database(
    path: Path,
    *,
    backups: Path,
    steps: Sequence[str] | None = None,
    marks: Mapping[str, str] = NO_MARKS,
) -> AsyncIterator[Database]:
    """Migrate and open the archive. Raises SchemaTooNew or Problem; the file is then unchanged.

    `marks` are written into a new archive, and into no other.
    """
    with world_faults(path):
        _make_private(path)
        steps = scripts() if steps is None else steps
        await asyncio.to_thread(migrate, path, steps, backups=backups, marks=marks)
        writer = await _connect(path, read_only=False)
    database = Database(path, writer)
    try:
        await _prepare(database, writer)
        yield database
    finally:
        await database.close()


async def _prepare(database: Database, writer: aiosqlite.Connection) -> None:
    with world_faults(database.path):
        must_rebuild = await is_outdated(writer)
    if must_rebuild:
        async with database.write() as connection:
            await bring_up_to_date(connection)


async def read_mark(database: Database, key: str) -> str | None:
    """Return what was written into the archive when it was new, None when nothing was."""
    async with database.read() as connection:
        rows = list(await connection.execute_fetchall(GET_MARK, (key,)))
    return str(rows[0][0]) if rows else None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _make_private(path: Path) -> None:
    """Make the file with owner-only rights before SQLite does; `-wal` takes the same mode.

    A link is refused: through one, another folder's settings would rule this archive.
    """
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    try:
        if path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        handle = os.open(path, flags, 0o600)
        try:
            if os.fstat(handle).st_nlink > 1:
                raise OSError(errno.EMLINK, os.strerror(errno.EMLINK))
        finally:
            os.close(handle)
    except OSError as error:
        raise Problem(
            tr("{path} cannot be made or opened ({why}).", path=path, why=error.strerror),
            advice=tr("Check the rights of the data folder, or choose another: --profile-dir."),
            key="database-read-only",
        ) from error
