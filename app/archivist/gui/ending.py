"""The end of the program: who may ask for it, and how long each part may take.

Windows and tray first, with what was being typed, then the model workers, capture, the database;
each part commits by itself all along, so what does not end in time is cut off without loss.
"""

import asyncio
import faulthandler
import logging
import os
import time
from collections.abc import Awaitable
from typing import Any, Final, NoReturn

_log = logging.getLogger(__name__)

OPENING_SECONDS: Final = 1.0
TYPED_SECONDS: Final = 0.3
MODELS_SECONDS: Final = 0.6
CAPTURE_SECONDS: Final = 0.9
DATABASE_SECONDS: Final = 0.7
LAST_SECONDS: Final = 2.7
THREADS_SECONDS: Final = 1.2


async def within(seconds: float, work: Awaitable[Any], *, name: str) -> None:
    """Await the end of a part, but not for ever."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        _log.warning("end cut off part=%s after=%.1f", name, seconds)


def leave(code: int) -> NoReturn:
    """End the process at once, whatever its threads do: nothing is left to be lost."""
    logging.shutdown()
    os._exit(code)


class LastResort:
    """Ends the process should a thread hold it, with all stacks in the crash log.

    Given as a number, because a program without a console has no `sys.stderr` to write to.
    """

    def __init__(self, crash_log: int) -> None:
        self._crash_log = crash_log
        self._when = float("inf")

    def begin(self) -> None:
        """The end was asked for: from now on time runs."""
        self._end_in(LAST_SECONDS)

    def all_is_closed(self) -> None:
        """Nothing is left to be lost; whatever still holds a thread is not waited for long."""
        self._end_in(THREADS_SECONDS)

    def _end_in(self, seconds: float) -> None:
        when = time.monotonic() + seconds
        if when < self._when:
            self._when = when
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._crash_log)
