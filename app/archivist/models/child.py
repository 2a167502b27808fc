"""One running worker process: frames in and out, the tail of its stderr, and why it ended.

An asyncio protocol rather than streams, because a protocol needs no reader task: nothing is lost
or out of step when whoever waits for an answer is cancelled.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final, cast

from archivist.models import frames, messages
from archivist.models.endings import Cause
from archivist.models.frames import FrameError
from archivist.models.messages import Answer, Request

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_TAIL: Final = 4096
_GRACE: Final = 0.4
"""Seconds between "please end" and the kill: less than the whole program may take to end."""

_DEAF: Final = 1.0
"""Seconds that a process which has closed its pipes may live on."""


class Child(asyncio.SubprocessProtocol):
    """A worker process. `ended` is done once it is gone and all that it wrote has been read.

    `loading` is the answer to its first message, which loads the model.
    """

    def __init__(self) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.cause = Cause.EXIT
        self.exit_code: int | None = None
        self.loading: asyncio.Future[Answer | None]
        self._transport: asyncio.SubprocessTransport
        self._unpacker = frames.Unpacker()
        self._stderr = bytearray()
        self._number = 0
        self._answer: asyncio.Future[Answer | None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._leaving = False

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    @property
    def pending(self) -> asyncio.Future[Answer | None] | None:
        """The answer that is still owed, also when nobody waits for it any more."""
        return self._answer

    @property
    def log_tail(self) -> str:
        """The last lines that it wrote to stderr; a worker writes no conversation text there."""
        return self._stderr.decode("utf-8", "replace").strip()

    def send(self, request: Request) -> asyncio.Future[Answer | None]:
        """Write one request; the future yields its answer, or None when the process ends instead.

        Raises FrameError for a request over the limit.
        """
        data = frames.pack(messages.to_frame(self._number + 1, request))
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        if self._leaving or self.ended.done():
            answer.set_result(None)
            return answer
        self._number += 1
        self._answer = answer
        pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(_STDIN))
        pipe.write(data)
        return answer

    def end(self) -> None:
        """Ask it to end by closing its stdin; it is killed when it does not soon."""
        if self._leaving or self.ended.done():
            return
        self._leaving = True
        self.cause = Cause.ASKED
        if (pipe := self._transport.get_pipe_transport(_STDIN)) is not None:
            pipe.close()
        self._kill_in(_GRACE)

    def kill(self, cause: Cause) -> None:
        """End it at once; the first cause stays."""
        if self.ended.done():
            return
        if not self._leaving:
            self.cause = cause
        self._leaving = True
        self._kill()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self._stderr = (self._stderr + data)[-_TAIL:]
            return
        try:
            for frame in self._unpacker.feed(data):
                self._deliver(frame)
        except FrameError:
            self.kill(Cause.GARBLED)

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        # A process that ends closes its pipes first: only one that lives on is deaf.
        if fd != _STDERR and not self._leaving and self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_DEAF, self.kill, Cause.DEAF)

    def process_exited(self) -> None:
        self.exit_code = self._transport.get_returncode()

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._transport.close()
        self._settle(None)
        self.ended.set_result(None)

    def _deliver(self, frame: frames.Frame) -> None:
        if self._answer is None or frame.number != self._number:
            raise FrameError("an answer that nobody asked for")
        self._settle(messages.parse_answer(frame))

    def _settle(self, answer: Answer | None) -> None:
        waiting, self._answer = self._answer, None
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _kill_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._kill)

    def _kill(self) -> None:
        if self._transport.get_returncode() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._transport.kill()
            else:
                # transport.kill() polls first and can take the exit code away from the loop's own
                # watcher (CPython gh-87744, mended in 3.12).
                os.kill(self._transport.get_pid(), signal.SIGKILL)


async def start(command: Sequence[str], environment: Mapping[str, str], load: Request) -> Child:
    """Start a worker and have it load its model. Raises OSError when the system refuses."""
    # No console window may flash up.
    flags: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows only
    _, child = await asyncio.get_running_loop().subprocess_exec(
        Child,
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environment),
        creationflags=flags,
    )
    child.loading = child.send(load)
    return child
