import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from archivist.domain.pause import Paused
from archivist.services.bus import PauseChanged
from archivist.services.pause import Pause, PauseFor, next_midnight
from archivist.store.marks import MarkStore
from helpers.stored import Stored, stored


def pause_of(archive: Stored) -> tuple[Pause, list[Paused | None]]:
    """Return the service, and what it tells."""
    told: list[Paused | None] = []
    archive.bus.listen(PauseChanged, lambda event: told.append(event.paused))
    return Pause(MarkStore(archive.database), bus=archive.bus, clock=archive.clock), told


async def test_a_pause_ends_by_itself_when_its_minutes_are_over(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        pause, told = pause_of(archive)
        until = archive.clock.now + 60 * 60_000
        assert await pause.pause_for(60) == Paused(until)
        archive.clock.tick(seconds=3_599)
        assert pause.current == Paused(until)
        archive.clock.tick(seconds=1)
        assert pause.current is None
        assert told == [Paused(until)]
        assert pause.check_clock() is None
        assert told == [Paused(until), None]


async def test_a_clock_that_jumps_nine_hours_ends_it_once(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        pause, told = pause_of(archive)
        await pause.pause_for(60)
        archive.clock.tick(seconds=9 * 3_600)
        for _ in range(3):
            pause.check_clock()
        assert told[1:] == [None]


async def test_until_resumed_outlives_a_restart_and_any_time(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        pause, _ = pause_of(archive)
        await pause.until_resumed()
    async with stored(tmp_path) as archive:
        pause, told = pause_of(archive)
        archive.clock.tick(seconds=365 * 86_400)
        assert pause.current is None, "not known before the first look"
        assert await pause.look() == Paused(None)
        assert await pause.resume() is None
        assert told == [Paused(None), None]
        assert await archive.rows("select count(*) from meta where key = 'paused_until'") == [(0,)]


async def test_another_process_s_pause_is_seen_at_the_next_look_and_told_once(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive, stored(tmp_path) as other:
        pause, told = pause_of(archive)
        theirs, _ = pause_of(other)
        begun = await theirs.pause_for(30)
        assert await pause.look() == begun
        assert await pause.look() == begun
        await theirs.resume()
        assert await pause.look() is None
        assert told == [begun, None]


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9", "٣", "9" * 40])
async def test_a_mark_that_is_no_time_pauses_nothing(tmp_path: Path, value: str) -> None:
    async with stored(tmp_path) as archive:
        await MarkStore(archive.database).put("paused_until", value)
        pause, told = pause_of(archive)
        assert await pause.look() is None
        assert told == []


@pytest.fixture
def berlin() -> Iterator[None]:
    """A zone whose days do not all have 24 hours."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.usefixtures("berlin")
@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set here")
@pytest.mark.parametrize(
    "now,midnight",
    [
        ("2026-11-30T12:00", "2026-11-30T23:00"),
        ("2026-11-30T22:59:59", "2026-11-30T23:00"),
        ("2026-11-30T23:00", "2026-12-01T23:00"),
        ("2026-03-28T23:30", "2026-03-29T22:00"),  # a day of 23 hours
        ("2026-10-24T22:30", "2026-10-25T23:00"),  # a day of 25 hours
    ],
)
def test_tomorrow_begins_at_the_person_s_midnight(now: str, midnight: str) -> None:
    assert next_midnight(utc(now)) == utc(midnight)


async def test_until_tomorrow_is_until_midnight(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        pause, _ = pause_of(archive)
        begun = await pause.until_tomorrow()
        assert begun == Paused(next_midnight(archive.clock.now))


async def test_the_lengths_of_the_menus(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        pause, _ = pause_of(archive)
        now = archive.clock.now
        assert await pause.pause(PauseFor.HOUR) == Paused(now + 60 * 60_000)
        assert await pause.pause(PauseFor.TOMORROW) == Paused(next_midnight(now))
        assert await pause.pause(PauseFor.RESUMED) == Paused(None)
