"""Times as people read them, on the person's own clock and calendar: the one place for them.

`at` is UTC milliseconds, `now` the present moment in the person's zone.
"""

from datetime import datetime, timedelta
from typing import Final

from archivist.texts import tr, tr_n

_WEEK: Final = timedelta(days=7)
_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


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


def clock_time(at: int, now: datetime | None = None) -> str:
    """Return a time as the person's clock shows it, with the day unless it is today."""
    when, today = _local(at), (now or datetime.now().astimezone()).date()
    days = abs((when.date() - today).days)
    if not days:
        return f"{when:%H:%M}"
    name = _weekday_in_short(when.weekday()) if days < _WEEK.days else f"{when:%Y-%m-%d}"
    return tr("{day} {time}", day=name, time=f"{when:%H:%M}")


def ago(at: int, now: int) -> str:
    """Return how long ago something was."""
    past = max(0, now - at)
    if past < _MINUTE:
        return tr("just now")
    if past < _HOUR:
        return tr("{n} min ago", n=past // _MINUTE)
    if past < _DAY:
        return tr("{n} h ago", n=past // _HOUR)
    return tr_n("{n} day ago", "{n} days ago", past // _DAY)


def _local(at: int) -> datetime:
    """Return the time on the clock of its own day: in half of the year that is not today's zone."""
    return datetime.fromtimestamp(at / 1000).astimezone()


def _weekday(number: int) -> str:
    return (
        tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"),
        tr("Friday"), tr("Saturday"), tr("Sunday"),
    )[number]  # fmt: skip


def _weekday_in_short(number: int) -> str:
    return (
        tr("Mon"), tr("Tue"), tr("Wed"), tr("Thu"), tr("Fri"), tr("Sat"), tr("Sun"),
    )[number]  # fmt: skip


def _month(number: int) -> str:
    return (
        tr("Jan"), tr("Feb"), tr("Mar"), tr("Apr"), tr("May"), tr("Jun"),
        tr("Jul"), tr("Aug"), tr("Sep"), tr("Oct"), tr("Nov"), tr("Dec"),
    )[number - 1]  # fmt: skip
