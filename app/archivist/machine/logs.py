"""The log file: what the program did, never what was said.

Tracebacks are written without the text of the exception, which may quote a conversation.
"""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

_SIZE: Final = 1_000_000
_KEPT: Final = 2
_Fault: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


class _Discreet(logging.Formatter):
    """Formats a fault as its type and its frames."""

    def formatException(self, ei: _Fault) -> str:  # noqa: N802 - the library's name
        kind, _, trace = ei
        frames = traceback.format_tb(trace)
        return "".join(["Traceback:\n", *frames, kind.__name__ if kind else "no fault"])


@contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """Write the program's log to a file while the context lasts; it is turned over at 1 MB."""
    handler = RotatingFileHandler(path, maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8")
    handler.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("archivist")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        handler.close()
