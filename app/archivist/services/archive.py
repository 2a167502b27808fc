"""File turns into segments, close segments, and run the stages that follow, until nothing is due.

Each step commits by itself and may be killed at any point: what is undone is found again. A failure
of a stage is written into its job row; the loop never raises for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from archivist.domain.jobs import LEASE, Job, Stage
from archivist.domain.problems import Problem
from archivist.domain.segments import CloseReason
from archivist.ports.machine import Clock
from archivist.ports.stores import Closings, Jobs
from archivist.services.bus import Bus, SegmentsChanged
from archivist.services.filing import Filer
from archivist.services.supervise import settled

_log = logging.getLogger(__name__)

_EXIT_SECONDS: Final = 0.5

RunStage = Callable[[Job], Awaitable[int]]
"""Does one stage and writes its result with the job's end; returns how many things it found."""

Tell = Callable[[int, int, Stage | None], None]
"""Hears before each step: how many are done, how many wait with this one, and which it is."""


@dataclass(slots=True)
class Done:
    """What one run has done."""

    closed: int = 0
    recapped: int = 0
    lessons: int = 0
    failed: int = 0


@dataclass(slots=True)
class _Hand:
    """The job in hand, whose lease is to be renewed."""

    job: Job | None = None


def _nobody(_done: int, _waiting: int, _stage: Stage | None) -> None:
    """Nobody wants to hear of the steps."""


class Archive:
    """The loop over filing, closing and stages."""

    def __init__(
        self,
        filer: Filer,
        segments: Closings,
        jobs: Jobs,
        stages: Mapping[Stage, RunStage],
        *,
        idle_ms: int,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._filer = filer
        self._segments = segments
        self._jobs = jobs
        self._stages = stages
        self._idle_ms = idle_ms
        self._bus = bus
        self._clock = clock
        self._started = clock()

    async def sweep(self) -> int:
        """Close what an earlier run left open and quiet; once, at start."""
        return await self._close_quiet(CloseReason.SWEEP, opened_before=self._started - 1)

    async def close_idle(self) -> int:
        """Close open segments in which nothing was said for the idle time."""
        return await self._close_quiet(CloseReason.IDLE, opened_before=self._clock())

    async def _close_quiet(self, reason: CloseReason, *, opened_before: int) -> int:
        now = self._clock()
        closed = await self._segments.close_quiet(
            reason, before=now - self._idle_ms, opened_before=opened_before, at=now
        )
        if closed:
            self._bus.tell(SegmentsChanged())
        return closed

    async def close_for_exit(self) -> int:
        """Close every open segment; the stages run at the next start, never while quitting.

        What is not filed within half a second is filed at the next start.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_SECONDS):
                await self._filer.file_all(at_exit=True)
        return await self._segments.close_all(CloseReason.EXIT, at=self._clock())

    async def step(self, done: Done, *, tell: Tell = _nobody) -> None:
        """File, close what is idle, and run every stage that is due.

        It may be cancelled at any point: the job in hand is given back untried.
        """
        done.closed += await self._filer.file_all(busy=lambda: tell(0, 0, None))
        done.closed += await self._segments.close_ended(at=self._clock())
        done.closed += await self.close_idle()
        await self.run_jobs(done, tell=tell)

    async def run_jobs(self, done: Done, *, tell: Tell = _nobody) -> None:
        """Run stages until none is due for this process."""
        job = await self._jobs.take(now=self._clock())
        if job is None:
            return
        hand = _Hand()
        async with asyncio.TaskGroup() as group:
            # One keeper for all of them: a timer that is cancelled early lives on in some loops.
            keeper = group.create_task(self._keep(hand), name="lease")
            try:
                await self._run_from(job, hand, done, tell)
            finally:
                keeper.cancel()

    async def _run_from(self, job: Job | None, hand: _Hand, done: Done, tell: Tell) -> None:
        ran = waiting = 0
        while job is not None:
            if not waiting:
                due, _running, _later, _failed = await self._jobs.left(now=self._clock())
                waiting = due + 1
            tell(ran, waiting, job.stage)
            hand.job = job
            await self._run(job, done)
            hand.job = None
            ran, waiting = ran + 1, waiting - 1
            job = await self._jobs.take(now=self._clock())

    async def finish(self, done: Done, *, pause: Callable[[], Awaitable[None]]) -> None:
        """Do everything due, and wait for stages that another process has taken."""
        await self.sweep_into(done)
        while True:
            await self.step(done)
            due, running, _later, _failed = await self._jobs.left(now=self._clock())
            if not due and not running:
                return
            await pause()

    async def sweep_into(self, done: Done) -> None:
        """Sweep and count what it closed."""
        done.closed += await self.sweep()

    async def _run(self, job: Job, done: Done) -> None:
        """Run one stage; its failure is written into its row. Cancelled, it is given back."""
        try:
            found = await settled(self._stages[job.stage](job), where=f"stage {job.stage}")
        except asyncio.CancelledError:
            await asyncio.shield(self._jobs.give_back(job))
            raise
        if isinstance(found, Problem):
            done.failed += 1
            _log.info(
                "stage failed stage=%s attempts=%d key=%s", job.stage, job.attempts, found.key
            )
            await self._jobs.failed(job, found.message, now=self._clock())
        else:
            _count(done, job.stage, found)

    async def _keep(self, hand: _Hand) -> None:
        """Renew the lease of the job in hand."""
        while True:
            await asyncio.sleep(LEASE / 3_000)
            if hand.job is not None:
                await self._jobs.renew(hand.job, now=self._clock())


def _count(done: Done, stage: Stage, found: int) -> None:
    if stage is Stage.RECAP:
        done.recapped += found
    elif stage is Stage.LESSONS:
        done.lessons += found
