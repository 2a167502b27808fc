import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from archivist.domain.jobs import Job, Stage
from archivist.services.archive import Archive, Done
from helpers.archiving import filer_over
from helpers.stored import Stored, said, stored

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
