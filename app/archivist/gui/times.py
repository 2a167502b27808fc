"""Times as windows write them, on the person's own clock and calendar. Without Qt.

`at` is UTC milliseconds, `now` the present moment in the person's zone.
"""

from datetime import datetime, timedelta
from typing import Final

from archivist.texts import tr

_WEEK: Final = timedelta(days=7)


def moment(at: int, now: datetime) -> str:
    """Return a time within a list: day and hour."""
    return tr("{day} {time}", day=day(at, now), time=f"{_local(at):%H:%M}")


def day(at: int, now: datetime) -> str:
    """Return a day as people say it: today, yesterday, Monday, 21 Nov, 21 Nov 2025."""
    when = _local(at)
    if when.date() == now.date():
        return tr("today")
    if when.date() == (now - timedelta(days=1)).date():
        return tr("yesterday")
    if timedelta() < now - when < _WEEK:
        return _weekday(when.weekday())
    date = {"day": when.day, "month": _month(when.month), "year": when.year}
    return (
        tr("{day} {month}", **date) if when.year == now.year else tr("{day} {month} {year}", **date)
    )


def on_day(at: int, now: datetime) -> str:
    """Return a day within a sentence."""
    when = day(at, now)
    return when if when in {tr("today"), tr("yesterday")} else tr("on {day}", day=when)


def _local(at: int) -> datetime:
    """Return the time on the clock of its own day: in half of the year that is not today's zone."""
    return datetime.fromtimestamp(at / 1000).astimezone()


def _weekday(number: int) -> str:
    return (
        tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"),
        tr("Friday"), tr("Saturday"), tr("Sunday"),
    )[number]  # fmt: skip


def _month(number: int) -> str:
    return (
        tr("Jan"), tr("Feb"), tr("Mar"), tr("Apr"), tr("May"), tr("Jun"),
        tr("Jul"), tr("Aug"), tr("Sep"), tr("Oct"), tr("Nov"), tr("Dec"),
    )[number - 1]  # fmt: skip
