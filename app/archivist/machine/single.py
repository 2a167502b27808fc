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
from typing import Any, Final

import portalocker

Message = Mapping[str, Any]
Answer = Callable[[Message], Awaitable[Message]]

_LINE: Final = 64 * 1024
_SECONDS: Final = 5.0
_PATH_MOST: Final = 100
"""A Unix socket's path must fit into about 104 bytes on every system."""


class Instance:
    """The running app of one profile, this process or another. `data` is the data folder."""

    def __init__(self, data: Path) -> None:
        self._lock = data / "app.lock"
        self._socket = data / "app.sock"

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the profile's lock; gives False when another app holds it."""
        flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
        with self._lock.open("a+b") as file:
            try:
                portalocker.lock(file, flags)
            except portalocker.LockException:
                yield False
                return
            try:
                yield True
            finally:
                portalocker.unlock(file)

    @asynccontextmanager
    async def listening(self, answer: Answer) -> AsyncIterator[None]:
        """Answer JSON lines while the context lasts. Call it only while holding the lock."""
        where = address(self._socket)
        if sys.platform == "win32":
            async with _pipe_server(where, answer):
                yield
            return
        Path(where).unlink(missing_ok=True)
        server = await asyncio.start_unix_server(
            lambda reader, writer: _serve(reader, writer, answer), where, limit=_LINE
        )
        Path(where).chmod(0o600)
        try:
            yield
        finally:
            server.close()
            await server.wait_closed()
            Path(where).unlink(missing_ok=True)

    async def ask(self, message: Message) -> Message | None:
        """Ask the running app; None when none answers within five seconds."""
        try:
            async with asyncio.timeout(_SECONDS):
                reader, writer = await _connect(address(self._socket))
                try:
                    writer.write(json.dumps(message).encode() + b"\n")
                    await writer.drain()
                    return _parse(await reader.readline())
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
    with suppress(OSError, TimeoutError, ValueError):
        async with asyncio.timeout(_SECONDS):
            reply = await answer(_parse(await reader.readline()))
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()
    writer.close()


def _parse(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except ValueError:
        return {"do": "unreadable"}
    return message if isinstance(message, dict) else {"do": "unreadable"}


async def _connect(where: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform != "win32":
        return await asyncio.open_unix_connection(where, limit=_LINE)
    loop: Any = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.create_pipe_connection(lambda: protocol, where)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
