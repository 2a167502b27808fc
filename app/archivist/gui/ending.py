"""The end of the program: who may ask for it, and how long each part may take.

Windows and tray first, then the model workers, capture, the database; each part commits by itself
all along, so what does not end in time is cut off without loss.
"""

import asyncio
import faulthandler
import logging
import signal
from collections.abc import Awaitable, Callable
from typing import Any, Final

_log = logging.getLogger(__name__)

MODELS_SECONDS: Final = 0.6
CAPTURE_SECONDS: Final = 0.9
DATABASE_SECONDS: Final = 0.7
_LAST_SECONDS: Final = 2.7
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Let SIGTERM, Ctrl+C and their like end the program in order."""
    loop = asyncio.get_running_loop()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop)
        except (NotImplementedError, RuntimeError):  # Windows: the handler runs in Python's turn
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


async def within(seconds: float, work: Awaitable[Any], *, name: str) -> None:
    """Await the end of a part, but not for ever."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        _log.warning("end cut off part=%s after=%.1f", name, seconds)


def last_resort() -> None:
    """Should a thread hold the process, end it all the same, with all stacks in the crash log.

    Call it when `crash_log` is in force.
    """
    faulthandler.dump_traceback_later(_LAST_SECONDS, exit=True)
