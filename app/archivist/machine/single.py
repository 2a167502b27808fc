"""One app per profile: a lock in the data folder, and JSON lines to the one that holds it.

The lock is released by the system when its process dies, however it dies. On Windows the socket is
a named pipe whose name comes from the data folder.
"""

import asyncio
import hashlib
import json
import os
import socket as sockets
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
_CONNECT_SECONDS: Final = 1.0
_READ_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 5.0
_ASK_SECONDS: Final = 6.0
"""Whoever asks waits longer than an answer may take: the app says itself that it is busy."""

_END_SECONDS: Final = 0.3
_PRIVATE: Final = 0o177
_UNREADABLE: Final[Message] = {"ok": False, "error": "unreadable"}
_BUSY: Final[Message] = {"ok": False, "error": "busy"}
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
        where, talks = address(self._socket), _Talks(answer)
        if sys.platform == "win32":
            async with _pipe_server(where, talks):
                yield
                await talks.end()
            return
        server = await _socket_server(where, talks)
        try:
            yield
        finally:
            server.close()
            await talks.end()
            await server.wait_closed()  # from Python 3.12 on this waits for every talk
            Path(where).unlink(missing_ok=True)

    async def ask(self, message: Message) -> Message | None:
        """Ask the running app; None when none takes the question in a second or answers in six."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                reader, writer = await _connect(address(self._socket))
            async with asyncio.timeout(_ASK_SECONDS):
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


class _Talks:
    """Answers those who connect, one line each. A silent one does not keep the app from ending."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._silent: set[asyncio.StreamWriter] = set()
        self._all: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one line; a broken or foreign one gets an error, never silence."""
        task = asyncio.current_task()
        if task is not None:
            self._all.add(task)
            task.add_done_callback(self._all.discard)
        # Nobody awaits this task: a cancelled one would be told as a fault by the library.
        with suppress(OSError, TimeoutError, asyncio.CancelledError):
            reply = await self._reply(reader, writer)
            writer.write(json.dumps(dict(reply)).encode() + b"\n")
            async with asyncio.timeout(_READ_SECONDS):
                await writer.drain()
        writer.close()

    async def end(self) -> None:
        """Hang up on those who have asked nothing; give answers that are due a moment."""
        await asyncio.sleep(0)  # who has just connected is known a turn later
        for writer in self._silent:
            writer.close()
        if self._all:
            await asyncio.wait(self._all, timeout=_END_SECONDS)
        for task in self._all:
            task.cancel()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Message:
        self._silent.add(writer)
        try:
            async with asyncio.timeout(_READ_SECONDS):
                message = _read(await reader.readline())
        except ValueError:  # longer than a line may be
            return _UNREADABLE
        finally:
            self._silent.discard(writer)
        if message is None:
            return _UNREADABLE
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await self._answer(message)
        except TimeoutError:
            return _BUSY
        except Problem as problem:
            return {"ok": False, "error": problem.message, "advice": problem.advice}


async def _socket_server(where: str, talks: _Talks) -> asyncio.Server:
    try:
        Path(where).unlink(missing_ok=True)
        return await asyncio.start_unix_server(talks.serve, sock=_bound(where), limit=_LINE)
    except OSError as error:
        raise Problem(
            tr("No program could be answered at {path} ({why}).", path=where, why=error.strerror),
            advice=tr("Move what lies there away, or mend the rights of its folder."),
            key="app-socket",
        ) from error


def _bound(where: str) -> sockets.socket:
    """Make the socket so that nobody else can connect, not even before its rights are set."""
    bound = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    before = os.umask(_PRIVATE)
    try:
        bound.bind(where)
    except BaseException:
        bound.close()
        raise
    finally:
        os.umask(before)
    return bound


@asynccontextmanager
async def _pipe_server(where: str, talks: _Talks) -> AsyncIterator[None]:
    """The same over a named pipe of the Proactor loop."""
    loop: Any = asyncio.get_running_loop()

    def protocol() -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=_LINE), talks.serve)

    servers = await loop.start_serving_pipe(protocol, where)
    try:
        yield
    finally:
        for server in servers:
            server.close()


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
