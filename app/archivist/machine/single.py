"""One app per profile: a lock in the data folder, and JSON lines to the one that holds it.

The lock is released by the system when its process dies, however it dies. On Windows the socket is
a named pipe whose name comes from the data folder.
"""

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import portalocker

from archivist.domain.problems import Problem
from archivist.texts import tr

Message = Mapping[str, Any]
Answer = Callable[[Message], Awaitable[Message]]

_LINE: Final = 64 * 1024
_SECONDS: Final = 5.0
_UNREADABLE: Final[Message] = {"ok": False, "error": "unreadable"}
_PATH_MOST: Final = 100
"""A Unix socket's path must fit into about 104 bytes on every system."""


class Instance:
    """The running app of one profile, this process or another."""

    def __init__(self, *, lock: Path, socket: Path) -> None:
        self._lock = lock
        self._socket = socket

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the profile's lock; gives False when another app holds it.

        Raises Problem when the file cannot be locked at all.
        """
        flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
        with _opened(self._lock) as file:
            try:
                portalocker.lock(file, flags)
            except portalocker.AlreadyLocked:
                yield False
                return
            except portalocker.LockException as error:
                raise _unlockable(self._lock, error.strerror) from error
            try:
                yield True
            finally:
                portalocker.unlock(file)

    @asynccontextmanager
    async def listening(self, answer: Answer) -> AsyncIterator[None]:
        """Answer JSON lines while the context lasts. Call it only while holding the lock.

        Raises Problem when there is no place to listen at.
        """
        where = address(self._socket)
        if sys.platform == "win32":
            async with _pipe_server(where, answer):
                yield
            return
        server = await _socket_server(where, answer)
        try:
            yield
        finally:
            server.close()
            await server.wait_closed()
            Path(where).unlink(missing_ok=True)

    async def ask(self, message: Message) -> Message | None:
        """Ask the running app; None when none answers in five seconds, or nothing that is JSON."""
        try:
            async with asyncio.timeout(_SECONDS):
                reader, writer = await _connect(address(self._socket))
                try:
                    writer.write(json.dumps(message).encode() + b"\n")
                    await writer.drain()
                    return _read(await reader.readline())
                finally:
                    writer.close()
        except (OSError, TimeoutError, ValueError):
            return None


def address(socket: Path) -> str:
    """Return where the app of a profile listens: a socket path, or a pipe's name on Windows."""
    mark = hashlib.sha256(str(socket.absolute()).encode()).hexdigest()[:24]
    if sys.platform == "win32":
        return rf"\\.\pipe\archivist-{mark}"
    path = str(socket.absolute())
    if len(os.fsencode(path)) <= _PATH_MOST:
        return path
    return str(Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp")) / f"archivist-{mark}.sock")  # noqa: S108


def _opened(lock: Path) -> BinaryIO:
    try:
        return lock.open("a+b")
    except OSError as error:
        raise _unlockable(lock, error.strerror) from error


def _unlockable(lock: Path, why: object) -> Problem:
    return Problem(
        tr("{path} cannot be locked ({why}).", path=lock, why=why),
        advice=tr("Move it away or mend its rights: it is an empty file of this user."),
        key="app-lock",
    )


async def _socket_server(where: str, answer: Answer) -> asyncio.Server:
    try:
        Path(where).unlink(missing_ok=True)
        server = await asyncio.start_unix_server(
            lambda reader, writer: _serve(reader, writer, answer), where, limit=_LINE
        )
        Path(where).chmod(0o600)
    except OSError as error:
        raise Problem(
            tr("No program could be answered at {path} ({why}).", path=where, why=error.strerror),
            advice=tr("Move what lies there away, or mend the rights of its folder."),
            key="app-socket",
        ) from error
    return server


@asynccontextmanager
async def _pipe_server(where: str, answer: Answer) -> AsyncIterator[None]:
    """The same over a named pipe of the Proactor loop."""
    loop: Any = asyncio.get_running_loop()

    def protocol() -> asyncio.StreamReaderProtocol:
        reader = asyncio.StreamReader(limit=_LINE)
        return asyncio.StreamReaderProtocol(reader, lambda r, w: _serve(r, w, answer))

    servers = await loop.start_serving_pipe(protocol, where)
    try:
        yield
    finally:
        for server in servers:
            server.close()


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer
) -> None:
    """Answer one line; a broken or foreign one gets an error, never silence."""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_SECONDS):
            reply = await _reply(reader, answer)
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()
    writer.close()


async def _reply(reader: asyncio.StreamReader, answer: Answer) -> Message:
    try:
        line = await reader.readline()
    except ValueError:  # longer than a line may be
        return _UNREADABLE
    message = _read(line)
    if message is None:
        return _UNREADABLE
    try:
        return await answer(message)
    except Problem as problem:
        return {"ok": False, "error": problem.message, "advice": problem.advice}


def _read(line: bytes) -> Message | None:
    """Return the message on a line, None when it holds none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


async def _connect(where: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform != "win32":
        return await asyncio.open_unix_connection(where, limit=_LINE)
    loop: Any = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.create_pipe_connection(lambda: protocol, where)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
