"""Times as people read them."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from archivist import texts
from archivist.services import times

MINUTE = 60_000
NOW = datetime(2026, 11, 16, 9, 30).astimezone()  # a Monday on this clock


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute).timestamp() * 1000)  # noqa: DTZ001 - as NOW


@pytest.fixture
def berlin() -> Iterator[None]:
    """A zone with another time in summer."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(
    "when, word",
    [
        (at(2026, 11, 16, 0, 5), "today"),
        (at(2026, 11, 15, 23, 59), "yesterday"),
        (at(2026, 11, 13, 12, 0), "Friday"),
        (at(2026, 11, 9, 12, 0), "Monday"),
        (at(2026, 11, 9, 9, 0), "9 Nov"),
        (at(2025, 11, 21, 9, 0), "21 Nov 2025"),
        (at(2026, 11, 17, 9, 0), "17 Nov"),
    ],
)
def test_days_are_said_as_people_say_them(when: int, word: str) -> None:
    assert times.day(when, NOW) == word


def test_a_moment_is_a_day_and_the_hour() -> None:
    assert times.moment(at(2026, 11, 16, 8, 5), NOW) == "today 08:05"
    assert times.on_day(at(2026, 11, 15), NOW) == "yesterday"
    assert times.on_day(at(2026, 11, 13, 12), NOW) == "on Friday"


@pytest.mark.usefixtures("berlin")
@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set here")
def test_a_time_of_summer_is_told_by_the_clock_of_summer() -> None:
    winter = datetime(2026, 11, 16, 8, 30, tzinfo=UTC).astimezone()
    late = int(datetime(2026, 7, 1, 21, 30, tzinfo=UTC).timestamp() * 1000)
    later = int(datetime(2026, 7, 1, 22, 30, tzinfo=UTC).timestamp() * 1000)
    assert times.moment(late, winter) == "1 Jul 23:30"
    assert times.moment(later, winter) == "2 Jul 00:30"


@pytest.fixture
def other_words() -> Iterator[None]:
    """Another language than English."""
    texts.use({"Tue": "mar.", "Nov": "nov."})
    yield
    texts.use({})


def test_a_time_of_the_clock_has_its_day_unless_it_is_today() -> None:
    assert times.clock_time(at(2026, 11, 16, 23, 5), NOW) == "23:05"
    assert times.clock_time(at(2026, 11, 17, 8, 5), NOW) == "Tue 08:05"
    assert times.clock_time(at(2026, 11, 10, 8, 5), NOW) == "Tue 08:05"
    assert times.clock_time(at(2026, 11, 9, 8, 5), NOW) == "2026-11-09 08:05"


@pytest.mark.usefixtures("other_words")
def test_days_and_months_are_named_in_the_language_of_the_person() -> None:
    assert times.clock_time(at(2026, 11, 17, 8, 5), NOW) == "mar. 08:05"
    assert times.day(at(2026, 11, 2), NOW) == "2 nov."


@pytest.mark.parametrize(
    "past, expected",
    [
        (-5, "just now"),
        (59_999, "just now"),
        (4 * MINUTE, "4 min ago"),
        (3 * 60 * MINUTE, "3 h ago"),
        (26 * 60 * MINUTE, "1 day ago"),
        (50 * 60 * MINUTE, "2 days ago"),
    ],
)
def test_how_long_ago(past: int, expected: str) -> None:
    assert times.ago(1_000_000_000, 1_000_000_000 + past) == expected
