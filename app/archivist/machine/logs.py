"""The log file: what the program did, never what was said.

Tracebacks are written without the text of the exception, which may quote a conversation. A log that
cannot be written, as on a full disk, is no reason to end: its lines are counted and left out.
"""

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

from archivist.domain.problems import Problem
from archivist.texts import tr

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


class _Patient(RotatingFileHandler):
    """Leaves out what the disk does not take, and says how much it was once it takes some again."""

    _left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, and before it how many are missing."""
        missing, self._left_out = self._left_out, 0
        if missing:
            text = "lines left out n=%d"
            super().emit(
                logging.LogRecord(__name__, logging.WARNING, "", 0, text, (missing,), None)
            )
        if self._left_out:  # not even that
            self._left_out = missing + 1
            return
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Count it; the file is opened anew for the next line, so nothing piles up in memory."""
        if not isinstance(sys.exc_info()[1], OSError):  # our mistake, not the disk's
            super().handleError(record)
            return
        self._left_out += 1
        self.close()

    def close(self) -> None:
        """Close the file, also when its last lines do not fit on the disk."""
        with suppress(OSError):
            super().close()


@contextmanager
def logging_to(path: Path) -> Iterator[Problem | None]:
    """Write the program's log to a file while the context lasts; it is turned over at 1 MB.

    Gives the Problem when the file cannot be made; there is no log then.
    """
    fault: Problem | None = None
    handler: logging.Handler
    try:
        handler = _Patient(path, maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8")
    except OSError as error:
        handler, fault = logging.NullHandler(), _unwritable(path, error.strerror)
    handler.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("archivist")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield fault
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        handler.close()


def _unwritable(path: Path, why: object) -> Problem:
    return Problem(
        tr("{path} cannot be written ({why}): this run keeps no log.", path=path, why=why),
        advice=tr("Move it away or mend its rights, then start Archivist again."),
        key="log-file",
    )
