import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from archivist.domain.jobs import Job, Stage
from archivist.domain.segments import CutRules
from archivist.services.archive import Archive, Done
from archivist.services.filing import Filer
from helpers.archiving import filer_over
from helpers.stored import Stored, said, stored, talk

IDLE_MS = 600_000
SEGMENTS = "select state, reason from segment order by rowid"


def service(
    archive: Stored,
    *,
    owner: str = "me",
    do: Callable[[Job], Awaitable[None]] | None = None,
) -> Archive:
    jobs = archive.jobs(owner)

    async def run(job: Job) -> int:
        if do is not None:
            await do(job)
        await jobs.done(job)
        return 1

    return Archive(
        filer_over(archive),
        archive.segments,
        jobs,
        dict.fromkeys(Stage, run),
        idle_ms=IDLE_MS,
        bus=archive.bus,
        clock=archive.clock,
    )


async def test_a_segment_is_closed_after_ten_quiet_minutes_and_not_before(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        loop, done = service(archive), Done()
        archive.clock.tick(seconds=599)
        await loop.step(done)
        assert await archive.rows(SEGMENTS) == [("open", None)]
        archive.clock.tick(seconds=2)
        await loop.step(done)
        assert await archive.rows(SEGMENTS) == [("closed", "idle")]
        assert (done.closed, done.recapped, done.lessons) == (1, 1, 1)


async def test_what_an_earlier_run_left_open_is_swept_at_start(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=200)
        await service(archive).step(Done())
        archive.clock.tick(seconds=3_600)
        await archive.take_in(said("v1", "fresh", session="s2", at=archive.clock.now))
        later = service(archive)
        assert await later.sweep() == 1
        assert await archive.rows(SEGMENTS) == [("closed", "sweep")]


async def test_at_exit_everything_is_filed_and_closed_and_no_stage_is_run(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        assert await service(archive).close_for_exit() == 1
        assert await archive.rows(SEGMENTS) == [("closed", "exit")]
        assert await archive.rows("select distinct state from job") == [("waiting",)]


async def test_closing_twice_makes_one_set_of_jobs(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        await service(archive).close_for_exit()
        results = await asyncio.gather(*(service(archive).close_for_exit() for _ in range(3)))
        assert results == [0, 0, 0]
        assert await archive.rows("select count(*) from job") == [(len(Stage),)]


async def test_two_loops_share_the_work_and_do_nothing_twice(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        archive.living |= {"me", "you"}
        ran: list[tuple[str, Stage]] = []

        async def note(job: Job) -> None:
            ran.append((job.segment, job.stage))
            await asyncio.sleep(0)

        for number in range(6):
            text = said(f"u{number}", "hello", session=f"s{number}", at=archive.clock.now)
            await archive.take_in(text)
        archive.clock.tick(seconds=700)
        loops = [service(archive, owner=name, do=note) for name in ("me", "you")]

        async def pause() -> None:
            await asyncio.sleep(0.01)

        await asyncio.gather(*(loop.finish(Done(), pause=pause) for loop in loops))
        assert len(ran) == len(set(ran)) == 6 * len(Stage)


async def test_a_bug_in_a_stage_is_written_into_its_row(tmp_path: Path, allow_logs: None) -> None:
    async with stored(tmp_path) as archive:

        async def fail(job: Job) -> None:
            if job.stage is Stage.EVENTS:
                raise KeyError("what was said")

        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=700)
        done = Done()
        await service(archive, do=fail).step(done)
        assert done.failed == 1
        (row,) = await archive.rows("select state, trouble from job where stage = 'events'")
        assert row[0] == "waiting"
        assert "KeyError" in str(row[1])
        assert "what was said" not in str(row[1])
        assert await archive.rows("select count(*) from job where state = 'done'") == [(3,)]


async def test_a_clock_that_runs_ahead_does_not_keep_a_segment_open_for_ever(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        ahead = archive.clock.now + 365 * 86_400_000
        await archive.take_in(said("u1", "hello", at=ahead))
        loop, done = service(archive), Done()
        await loop.step(done)
        assert await archive.rows(SEGMENTS) == [("open", None)]
        archive.clock.tick(seconds=601)
        await loop.step(done)
        assert await archive.rows(SEGMENTS) == [("closed", "idle")]


async def test_a_session_whose_file_is_gone_has_ended(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        archive.clock.now = 500_000
        await archive.take_in(said("u1", "hello", at=100_000))
        await service(archive).step(Done())
        assert await archive.rows(SEGMENTS) == [("open", None)]
        await archive.transcripts.mark_gone(["/t.jsonl"], at=archive.clock())
        done = Done()
        await service(archive).step(done)
        assert await archive.rows(SEGMENTS) == [("closed", "end")]
        assert done.closed == 1


async def test_at_exit_a_session_with_much_to_file_is_left_to_the_next_start(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(*talk([f"number {n}" for n in range(120)]))
        assert await service(archive).close_for_exit() == 0
        assert await archive.rows("select count(*) from segment") == [(0,)]
        await service(archive).step(Done())
        assert await archive.rows("select count(*) from episode where segment_id is null") == [(0,)]


async def test_at_exit_what_takes_too_long_does_not_keep_the_rest_from_closing(
    tmp_path: Path,
) -> None:
    class Slow(Filer):
        async def file_all(self, *, at_exit: bool = False, busy: object = None) -> int:
            await asyncio.Event().wait()
            return 0

    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=200)
        await service(archive).step(Done())
        slow = service(archive)
        slow._filer = Slow(
            archive.segments,
            None,
            rules=CutRules(),
            opens_topic=lambda _text: False,
            bus=archive.bus,
            clock=archive.clock,
        )
        assert await asyncio.wait_for(slow.close_for_exit(), 5) == 1
        assert await archive.rows(SEGMENTS) == [("closed", "exit")]


async def test_a_cancelled_stage_is_given_back_and_counts_as_no_try(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        began = asyncio.Event()

        async def endless(job: Job) -> None:
            began.set()
            await asyncio.Event().wait()

        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=700)
        step = asyncio.ensure_future(service(archive, do=endless).step(Done()))
        await asyncio.wait_for(began.wait(), 5)
        step.cancel()
        with suppress(asyncio.CancelledError):
            await step
        rows = await archive.rows("select distinct state, attempts, owner from job")
        assert rows == [("waiting", 0, None)]
        done = Done()
        await service(archive, owner="me").step(done)
        assert done.recapped == 1


async def test_each_step_is_told_with_how_many_wait(tmp_path: Path) -> None:
    told: list[tuple[int, int, Stage | None]] = []
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=700)
        loop = service(archive)
        await loop.step(Done(), tell=lambda *step: told.append(step))
        assert told[0] == (0, 0, None)
        stages = [step[2] for step in told[1:]]
        assert sorted(filter(None, stages)) == sorted(Stage)
        assert [step[:2] for step in told[1:]] == [(n, 5 - n) for n in range(5)]
        told.clear()
        await loop.step(Done(), tell=lambda *step: told.append(step))
        assert told == []


async def test_the_lease_of_the_step_in_hand_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.services.archive.LEASE", 30)
    async with stored(tmp_path) as archive:
        first: list[object] = []

        async def slow(job: Job) -> None:
            if first:
                return
            first.append(job)
            archive.clock.tick(seconds=50)
            query = "select lease_until from job where state = 'running'"
            (before,) = await archive.rows(query)
            async with asyncio.timeout(5):
                while await archive.rows(query) == [before]:
                    await asyncio.sleep(0.01)

        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        archive.clock.tick(seconds=700)
        done = Done()
        await service(archive, do=slow).step(done)
        assert done.failed == 0
        assert done.recapped == 1
