"""Write memory files so that nothing is lost: locked, compared, replaced in one step, durable.

Other programs' editors take no lock: what they save is noticed up to the moment of the replacement
(the file is compared again just before), never after it.
"""

import asyncio
import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import portalocker

from archivist.domain.memory_file import MAX_BYTES, MEMORY_FILES, fingerprint
from archivist.domain.problems import FileProblem, Refused
from archivist.domain.proposals import FileLook
from archivist.machine.file_faults import faults, linked, not_plain
from archivist.machine.folder_lock import acquire, busy, release
from archivist.machine.folders import Folder, is_link
from archivist.ports.files import LockedFile
from archivist.ports.machine import Clock
from archivist.texts import tr

PATIENCE: Final = 30.0

_TEMP: Final = re.compile(r"\.(?:MEMORY|SKILL)\.md\.[0-9a-f]{16}\.archivist")

Result = TypeVar("Result")


class MemoryFiles:
    """The memory files on disk; one object serves one event loop.

    `program` names us to whoever waits for the lock. `patience`: how many seconds we wait.
    """

    def __init__(
        self, *, clock: Clock, program: str = "archivist", patience: float = PATIENCE
    ) -> None:
        self._clock = clock
        self._program = program
        self._patience = patience
        self._queues: dict[Path, asyncio.Lock] = {}

    async def locate(self, path: Path) -> Path:
        """Return the path with its folder resolved. Raises Refused for a name that is not ours."""
        return await asyncio.to_thread(_locate, path)

    async def read(self, path: Path) -> bytes | None:
        """Return a located file as it is, None where there is none."""
        return (await self.look(path)).data

    async def look(self, path: Path) -> FileLook:
        """Return a located file and what the system says of it."""
        return await finished(partial(_look, path))

    @asynccontextmanager
    async def locked(self, path: Path) -> AsyncIterator[LockedFile]:
        """Keep a located file for us: in this process by a queue, between processes by a lock."""
        _check_name(path)
        async with self._queued(path):
            with faults(path):
                folder = await finished(partial(Folder.open, path.parent))
            try:
                with faults(path):
                    lock = await self._lock(folder)
                try:
                    await finished(partial(_sweep, folder))
                    yield _Locked(folder, path)
                finally:
                    release(lock)
            finally:
                folder.close()

    @asynccontextmanager
    async def _queued(self, path: Path) -> AsyncIterator[None]:
        queue = self._queues.setdefault(path.parent, asyncio.Lock())
        try:
            async with asyncio.timeout(self._patience):
                await queue.acquire()
        except TimeoutError:
            raise busy(path.parent, tr("another task of this program")) from None
        try:
            yield
        finally:
            queue.release()

    async def _lock(self, folder: Folder) -> int:
        stop = threading.Event()
        when = datetime.fromtimestamp(self._clock() / 1000, UTC).isoformat(timespec="seconds")
        note = f"{self._program} {os.getpid()} {when}\n"
        work = partial(acquire, folder, note=note, patience=self._patience, stop=stop)
        try:
            return await finished(work, stop=stop, discard=release)
        except portalocker.exceptions.LockException as error:
            raise FileProblem(
                tr("Files in {folder} cannot be locked.", folder=folder.path),
                advice=tr("Network folders often cannot; keep the memory file on a local disk."),
            ) from error


class _Locked:
    """A file in a folder whose lock we hold."""

    def __init__(self, folder: Folder, path: Path) -> None:
        self._folder = folder
        self._path = path

    async def read(self) -> bytes | None:
        """Return the file as it is, None where there is none."""
        return await self._do(partial(_read, self._folder, self._path.name))

    async def replace(self, data: bytes, *, expect: str | None) -> bool:
        """Replace the file in one step; False when its SHA-256 is not `expect` (None: no file)."""
        return await self._do(partial(_replace, self._folder, self._path.name, data, expect))

    async def remove(self, *, expect: str) -> bool:
        """Delete the file; False when its SHA-256 is not `expect`."""
        return await self._do(partial(_remove, self._folder, self._path.name, expect))

    async def _do(self, work: Callable[[], Result]) -> Result:
        with faults(self._path):
            return await finished(work)


async def finished(
    work: Callable[[], Result],
    *,
    stop: threading.Event | None = None,
    discard: Callable[[Result], None] | None = None,
) -> Result:
    """Do blocking work in a thread and see its end even when the caller is cancelled.

    On cancelling `stop` is set, and a result that nobody gets is given to `discard`.
    """
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if stop is not None:
            stop.set()
        while not future.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([future])
        if future.exception() is None and discard is not None:
            discard(future.result())
        raise


def _locate(path: Path) -> Path:
    _check_name(path)
    with faults(path):
        folder = path.parent.resolve(strict=True)
        found = folder / path.name
        if found.is_symlink():
            raise linked(found)
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return found


def _check_name(path: Path) -> None:
    if path.name not in MEMORY_FILES:
        names = tr(" or ").join(sorted(MEMORY_FILES))
        raise Refused(
            tr("{path} is not a memory file.", path=path),
            advice=tr("Choose a file that is called {names}, exactly so.", names=names),
        )


def _look(path: Path) -> FileLook:
    _check_name(path)
    with faults(path):
        folder = Folder.open(path.parent)
        try:
            found = folder.stat(path.name)
            data = _read(folder, path.name)
            changed_at = None if found is None else found.st_mtime_ns // 1_000_000
            return FileLook(data, changed_at, may_write=folder.may_write(path.name))
        finally:
            folder.close()


def _read(folder: Folder, name: str) -> bytes | None:
    try:
        fd = folder.open_file(name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise not_plain(folder.path / name)
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(
            tr("{path} is larger than a memory file can be.", path=folder.path / name),
            advice=tr("Shorten it to less than one megabyte."),
        )
    return data


def _replace(folder: Folder, name: str, data: bytes, expect: str | None) -> bool:
    if not _is_as_expected(folder, name, expect):
        return False
    temp = f".{name}.{secrets.token_hex(8)}.archivist"
    try:
        _write_new(folder, temp, data, like=folder.stat(name))
        if not _is_as_expected(folder, name, expect):
            return False
        folder.replace(temp, name)
    finally:
        folder.unlink(temp)
    folder.sync()
    return True


def _remove(folder: Folder, name: str, expect: str) -> bool:
    if not _is_as_expected(folder, name, expect):
        return False
    folder.unlink(name)
    folder.sync()
    return True


def _is_as_expected(folder: Folder, name: str, expect: str | None) -> bool:
    """Compare the file; its folder must still be where it was, and the file may be written to."""
    if not folder.is_in_place():
        raise FileProblem(
            tr("{folder} was moved or replaced meanwhile.", folder=folder.path),
            advice=tr("Look where the memory file is now, then try again."),
        )
    found = folder.stat(name)
    if found is not None and is_link(found):
        raise linked(folder.path / name)
    if not folder.may_write(name):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return fingerprint(_read(folder, name)) == expect


def _write_new(folder: Folder, name: str, data: bytes, *, like: os.stat_result | None) -> None:
    """Write a durable new file with the rights and, where allowed, the owner of another."""
    mode = 0o666 if like is None else 0o600
    fd = folder.open_file(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        if like is not None and sys.platform != "win32":
            with contextlib.suppress(PermissionError):
                os.fchown(fd, like.st_uid, like.st_gid)
            os.fchmod(fd, stat.S_IMODE(like.st_mode))
        os.fsync(fd)


def _sweep(folder: Folder) -> None:
    """Delete what a killed process left half-written; we hold the lock, so nobody is writing."""
    with contextlib.suppress(OSError):
        for name in folder.names():
            if _TEMP.fullmatch(name):
                folder.unlink(name)
