"""Pause reading and archiving: for a time, until tomorrow, or until the person resumes it.

The pause stands in the archive, so that it outlives a restart and another process can begin or end
it. It ends by the wall clock: after a sleep of the computer it is over at once.
"""

import logging
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final, Protocol

from archivist.domain.pause import Paused
from archivist.ports.machine import Clock
from archivist.services.bus import Bus, PauseChanged

_log = logging.getLogger(__name__)

_KEY: Final = "paused_until"
_FOR_EVER: Final = "resumed"
_MINUTE_MS: Final = 60_000
_HOUR_MINUTES: Final = 60
_DIGITS: Final = 14


class PauseFor(StrEnum):
    """The lengths that a menu offers."""

    HOUR = "hour"
    TOMORROW = "tomorrow"
    RESUMED = "resumed"


class Marks(Protocol):
    """Single values that the archive keeps about itself."""

    async def get(self, key: str) -> str | None:
        """Return a mark, None when there is none."""

    async def put(self, key: str, value: str) -> None:
        """Write a mark."""

    async def drop(self, key: str) -> None:
        """Take a mark out."""


class Pause:
    """Begins and ends the pause, and tells of it."""

    def __init__(self, marks: Marks, *, bus: Bus, clock: Clock) -> None:
        self._marks = marks
        self._bus = bus
        self._clock = clock
        self._known: Paused | None = None
        self._told: Paused | None = None

    @property
    def current(self) -> Paused | None:
        """The pause that holds now, as it was last looked up; None when there is none."""
        known = self._known
        return None if known is None or known.is_over(self._clock()) else known

    async def look(self) -> Paused | None:
        """Return the pause that holds now; another process may have begun or ended it."""
        self._known = _parsed(await self._marks.get(_KEY))
        return self.check_clock()

    async def pause(self, length: PauseFor) -> Paused | None:
        """Rest for one of the lengths that a menu offers."""
        match length:
            case PauseFor.HOUR:
                return await self.pause_for(_HOUR_MINUTES)
            case PauseFor.TOMORROW:
                return await self.until_tomorrow()
            case PauseFor.RESUMED:
                return await self.until_resumed()

    async def pause_for(self, minutes: int) -> Paused | None:
        """Rest for some minutes from now."""
        return await self._set(Paused(self._clock() + minutes * _MINUTE_MS))

    async def until_tomorrow(self) -> Paused | None:
        """Rest until the person's next midnight."""
        return await self._set(Paused(next_midnight(self._clock())))

    async def until_resumed(self) -> Paused | None:
        """Rest until `resume`."""
        return await self._set(Paused(None))

    async def resume(self) -> Paused | None:
        """End the pause."""
        await self._marks.drop(_KEY)
        self._known = None
        return self.check_clock()

    async def _set(self, paused: Paused) -> Paused | None:
        value = _FOR_EVER if paused.until is None else str(paused.until)
        await self._marks.put(_KEY, value)
        self._known = paused
        return self.check_clock()

    def check_clock(self) -> Paused | None:
        """Return the pause that holds, and tell of it when it is another than was told."""
        now = self.current
        if now != self._told:
            self._told = now
            _log.info("pause until=%s", "none" if now is None else now.until)
            self._bus.tell(PauseChanged(now))
        return now


def next_midnight(now: int) -> int:
    """Return the begin of the person's next day; some days have 23 or 25 hours."""
    day = datetime.fromtimestamp(now / 1000).astimezone().date() + timedelta(days=1)
    return int(datetime.combine(day, time.min).astimezone().timestamp() * 1000)


def _parsed(value: str | None) -> Paused | None:
    """Read the mark; what is no time was not written by us and pauses nothing."""
    if value == _FOR_EVER:
        return Paused(None)
    if value is None or not value.isascii() or not value.isdigit() or len(value) > _DIGITS:
        return None
    return Paused(int(value))
