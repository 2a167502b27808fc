import asyncio
from pathlib import Path

from archivist.domain.jobs import LEASE, MAX_ATTEMPTS, NEEDS, Stage, next_try
from archivist.domain.segments import CloseReason
from helpers.archiving import filer_over
from helpers.stored import Stored, said, stored


async def closed_segment(archive: Stored) -> None:
    await archive.take_in(said("u1", "one", at=0))
    await filer_over(archive).file_all()
    assert await archive.segments.close_all(CloseReason.EXIT, at=archive.clock()) == 1


async def test_stages_are_given_out_once_and_in_order(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        jobs = archive.jobs()
        given = []
        while (job := await jobs.take(now=archive.clock())) is not None:
            given.append(job.stage)
            await jobs.done(job)
        assert given == list(Stage)
        assert await jobs.left(now=archive.clock()) == (0, 0, 0, 0)


async def test_a_stage_waits_for_what_it_needs(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        jobs = archive.jobs()
        taken = [await jobs.take(now=archive.clock()) for _ in Stage]
        stages = {job.stage for job in taken if job is not None}
        assert stages == set(Stage) - set(NEEDS)


async def test_two_owners_never_get_the_same_stage(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        archive.living = {"me", "you"}
        pairs = await asyncio.gather(
            *(archive.jobs(name).take(now=archive.clock()) for name in ["me", "you"] * 4)
        )
        given = [job.stage for job in pairs if job is not None]
        assert len(given) == len(set(given)) == len(set(Stage) - set(NEEDS))


async def test_a_living_owner_keeps_its_stage_until_the_lease_ends(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        archive.living = {"me", "you"}
        mine = await archive.jobs("me").take(now=archive.clock())
        assert mine is not None
        archive.clock.tick(seconds=LEASE / 1000 - 1)
        assert await archive.jobs("me").renew(mine, now=archive.clock())
        archive.clock.tick(seconds=LEASE / 1000 - 1)
        others = [await archive.jobs("you").take(now=archive.clock()) for _ in Stage]
        assert mine.stage not in [job.stage for job in others if job]
        archive.clock.tick(seconds=2)
        again = await archive.jobs("you").take(now=archive.clock())
        assert again is not None
        assert again.stage is mine.stage
        assert not await archive.jobs("me").renew(mine, now=archive.clock())


async def test_the_stage_of_a_dead_owner_is_free_at_once(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        dead = await archive.jobs("dead").take(now=archive.clock())
        again = await archive.jobs("me").take(now=archive.clock())
        assert dead is not None
        assert again is not None
        assert (again.stage, again.attempts) == (dead.stage, 2)


async def test_a_failed_stage_comes_back_later_and_is_given_up_in_the_end(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await closed_segment(archive)
        jobs = archive.jobs()
        for attempt in range(1, MAX_ATTEMPTS + 1):
            job = await jobs.take(now=archive.clock())
            assert job is not None
            assert (job.stage, job.attempts) == (Stage.RECAP, attempt)
            await jobs.failed(job, "no model", now=archive.clock())
            archive.clock.tick(seconds=3_601)
        job = await jobs.take(now=archive.clock())
        assert job is not None
        assert job.stage is Stage.VECTOR
        (row,) = await archive.rows("select state, trouble from job where stage = 'recap'")
        assert row == ("failed", "no model")


def test_the_waits_double_up_to_an_hour() -> None:
    waits = [next_try(attempts, now=0) for attempts in range(1, MAX_ATTEMPTS + 1)]
    assert waits == [30_000, 60_000, 120_000, 240_000, 480_000, None]
