"""A laptop that slept for a night wakes up: what was due is done once, not once for each poll."""

import asyncio
from pathlib import Path

import pytest

from archivist.services.archive import Archive
from helpers.stored import said, stored
from unit.services.test_archive import service
from unit.services.test_loop import holds, looping

NIGHT = 9 * 3_600
POLL_SECONDS = 5.0
"""Six thousand polls of a night."""


async def test_after_a_night_it_archives_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.sources.follow._IDLE_STEP_MS", 50)
    loop, slept, steps = asyncio.get_running_loop(), [0.0], [0]
    awake, step = loop.time, Archive.step

    async def counted(self: Archive, *arguments: object, **named: object) -> None:
        steps[0] += 1
        await step(self, *arguments, **named)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(Archive, "step", counted)
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now))
        async with looping(
            archive, tmp_path / "home", work=service(archive), poll_seconds=POLL_SECONDS
        ):
            await holds(lambda: steps[0] >= 1)
            before = await _settled(steps)
            # Both clocks have gone on: timers that are late now fire all at once.
            slept[0] = NIGHT
            monkeypatch.setattr(loop, "time", lambda: awake() + slept[0])
            archive.clock.tick(seconds=NIGHT)
            await holds(lambda: steps[0] > before)
            assert await _settled(steps) == before + 1
            assert await archive.rows("select distinct state, reason from segment") == [
                ("closed", "idle")
            ]
        monkeypatch.undo()


async def _settled(steps: list[int]) -> int:
    """Let the loop turn until it has nothing left to do for now."""
    count = -1
    while count != steps[0]:
        count = steps[0]
        await asyncio.sleep(0.2)
    return count
