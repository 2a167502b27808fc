"""A model worker as the app sees it: one question at a time, each with a deadline.

The process starts with the first question, is started again when it stopped by itself (three times
in ten minutes at most) and is ended when it was idle for a while: only the end of a process gives
its memory back for certain.
"""

import asyncio
import logging
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import archivist
from archivist.domain.problems import ModelUnavailable
from archivist.models import child as children
from archivist.models import endings
from archivist.models.alarm import Alarm
from archivist.models.child import Child
from archivist.models.endings import Cause, Restarts, WorkerKind
from archivist.models.messages import Answer, Failed, Request

logger = logging.getLogger(__name__)

_MOST_THREADS: Final = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a worker may take to load its model, and to be idle before it is ended.

    `patience_seconds`: for an answer that nobody waits for any more, before it is killed.
    """

    start_seconds: float = 60.0
    idle_seconds: float = 300.0
    patience_seconds: float = 5.0


class WorkerState(StrEnum):
    """What a worker does now. Off is normal: it starts when it is asked something."""

    OFF = "off"
    READY = "ready"
    BUSY = "busy"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """For the status line: the state, the process id if it runs, why it last stopped by itself."""

    state: WorkerState
    pid: int | None
    stopped: str


def worker_command(kind: str) -> tuple[str, ...]:
    """Return the command line of a worker, from a checkout, an installed or a frozen program."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "--worker", kind)
    # -P: never import from the folder the app happens to be started in.
    return (sys.executable, "-P", "-m", "archivist", "--worker", kind)


def worker_environment(threads: int) -> dict[str, str]:
    """Return the environment of a worker: this program's own, its package, bounded thread pools."""
    pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    environment = {**os.environ, "PYTHONUTF8": "1", **dict.fromkeys(pools, str(threads))}
    root = str(Path(archivist.__file__).resolve().parent.parent)
    # Never for an installed package: site-packages would then stand before the standard library.
    if root not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        paths = (root, os.environ.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return environment


def threads_for_text() -> int:
    """Return how many threads a text model gets: half of the processors, so that one stays free.

    Two threads on a busy machine with two processors were slower than one.
    """
    if sys.platform == "linux":
        return max(1, min(_MOST_THREADS, len(os.sched_getaffinity(0)) // 2))
    return max(1, min(_MOST_THREADS, (os.cpu_count() or 2) // 2))


class WorkerProcess:
    """Asks a model worker. `load` is the first message to each new process.

    Questions wait for each other in order. A cancelled question leaves the process in step: its
    answer is dropped when it comes, and the next question waits for that, or, after
    `limits.patience_seconds`, gets a new process.
    """

    def __init__(
        self,
        kind: WorkerKind,
        load: Request,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kind = kind
        self._load = load
        self._command = worker_command(kind) if command is None else command
        self._environment = worker_environment(1) if environment is None else environment
        self._limits = limits
        self._restarts = Restarts(clock)
        self._last = ""
        self._lock = asyncio.Lock()
        self._child: Child | None = None
        self._started: set[Child] = set()
        self._idle = Alarm(self._unload)
        self._deadline = Alarm(self._be_late)
        self._late: asyncio.Future[None] | None = None

    @property
    def status(self) -> WorkerStatus:
        child = self._child
        if child is not None and not child.ended.done():
            state = WorkerState.BUSY if child.pending is not None else WorkerState.READY
            return WorkerStatus(state, child.pid, self._last)
        state = WorkerState.PAUSED if self._restarts.wait() else WorkerState.OFF
        return WorkerStatus(state, None, self._last)

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """Return the answer, within `seconds` of its turn. Raises ModelUnavailable."""
        async with self._lock:
            self._idle.clear()
            try:
                child = await self._ready_child()
                answer = await self._wait(child, child.send(request), seconds)
            finally:
                self._start_idle_timer()
        if isinstance(answer, Failed):
            raise endings.failed(self._kind, answer.cause, answer.detail)
        return answer

    async def close(self) -> None:
        """End the process and wait until it is gone; the next question starts a new one."""
        self._idle.clear()
        self._child = None
        for child in self._started:
            child.end()
        await _gone(self._started)
        self._started = {child for child in self._started if not child.ended.done()}

    def kill(self) -> None:
        """End the process without waiting, for the end of the desktop session."""
        self._idle.clear()
        self._child = None
        for child in self._started:
            child.kill(Cause.ASKED)

    async def _ready_child(self) -> Child:
        """Return a process that has loaded its model and owes no answer."""
        if self._child is not None:
            await self._settle(self._child)
        child = self._child or await self._start()
        answer = await self._wait(child, child.loading, self._limits.start_seconds)
        if isinstance(answer, Failed):
            self._child = None
            child.end()
            raise self._note(endings.failed(self._kind, answer.cause, answer.detail))
        return child

    async def _settle(self, child: Child) -> None:
        """Wait a little for the answer to a question given up; forget a process that is gone."""
        if child.pending is not None and child.pending is not child.loading:
            done, _ = await asyncio.wait({child.pending}, timeout=self._limits.patience_seconds)
            if not done:
                child.kill(Cause.ASKED)
                self._child = None
                return
        if child.ended.done():
            self._note_stop(child)

    async def _start(self) -> Child:
        if wait := self._restarts.wait():
            raise endings.paused(self._kind, wait=wait, last=self._last)
        try:
            child = await children.start(self._command, self._environment, self._load)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise self._note(endings.not_started(self._kind, reason)) from error
        self._started = {one for one in self._started if not one.ended.done()} | {child}
        self._child = child
        return child

    async def _wait(
        self, child: Child, answer: asyncio.Future[Answer | None], seconds: float
    ) -> Answer:
        """Wait for an answer without cancelling it when this question is cancelled."""
        self._late = late = asyncio.get_running_loop().create_future()
        self._deadline.set(seconds)
        try:
            await asyncio.wait({answer, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._deadline.clear()
        is_answered = answer.done()
        if not is_answered:
            child.kill(Cause.DEADLINE)
            await _gone({child})
        value = answer.result() if is_answered else None
        if value is None:
            raise self._note_stop(child, seconds)
        return value

    def _note_stop(self, child: Child, seconds: float = 0.0) -> ModelUnavailable:
        """Forget a process that is gone; count it unless it was asked to go."""
        if self._child is child:
            self._child = None
        problem = endings.stopped(self._kind, child.cause, code=child.exit_code, seconds=seconds)
        if child.cause is Cause.ASKED:
            return problem
        logger.warning(
            "model worker stopped kind=%s cause=%s code=%s stderr=%r",
            self._kind,
            child.cause,
            child.exit_code,
            child.log_tail,
        )
        return self._note(problem)

    def _note(self, problem: ModelUnavailable) -> ModelUnavailable:
        self._restarts.stopped()
        self._last = problem.message
        return problem

    def _start_idle_timer(self) -> None:
        if self._child is not None:
            self._idle.set(self._limits.idle_seconds)

    def _be_late(self) -> None:
        if self._late is not None and not self._late.done():
            self._late.set_result(None)

    def _unload(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


async def _gone(started: set[Child]) -> None:
    """Wait until processes that were told to end are gone, but not for ever."""
    if started:
        await asyncio.wait({child.ended for child in started}, timeout=10.0)
