"""A time that is moved often and reached seldom, for few timers of the loop.

In the loop of the windows a cancelled timer stays alive until its time (qasync 0.28), so a timer
for each of thousands of questions would be thousands of timers. This one is let run out instead,
and set again for what is left.
"""

import asyncio
from collections.abc import Callable


class Alarm:
    """Calls once when the time comes for which it was set last."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._at: float | None = None
        self._timer: asyncio.Handle | None = None
        self._rings_at = 0.0

    def set(self, seconds: float) -> None:
        """Call after so many seconds, whatever it was set for before."""
        loop = asyncio.get_running_loop()
        self._at = loop.time() + seconds
        if self._timer is None or self._rings_at > self._at:
            self._arm(loop, self._at)

    def clear(self) -> None:
        """Call no more."""
        self._at = None

    def _arm(self, loop: asyncio.AbstractEventLoop, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = at
        self._timer = loop.call_later(at - loop.time(), self._ring)

    def _ring(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        if self._at is None:
            return
        if loop.time() < self._at:
            self._arm(loop, self._at)
        else:
            self._at = None
            self._call()
