"""Exceptions that nobody caught, from slots, tasks, threads and Qt: each is told once.

It goes to the log with its traceback and to the list of problems. What kills the interpreter
itself leaves its stacks in `crash.log` of the data folder.
"""

import asyncio
import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from archivist.domain.problems import Problem
from archivist.services.supervise import bug_report
from archivist.texts import tr

_log = logging.getLogger(__name__)

_LEVELS: Final = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_HARMLESS: Final = (
    # Qt 6 asks the X11 platform for a signal that only some builds have (seen in 6.8 to 6.11).
    "No such signal QPlatformNativeInterface::systemTrayWindowChanged",
    # Said by the offscreen platform about every window that is brought to the front.
    "This plugin does not support",
    # Said where no portal runs, which is most desktops that are not GNOME or KDE (seen in 6.11).
    "Failed to register with host portal",
)

Tell = Callable[[Problem], None]


class Bugs:
    """Catches them between `watching` and its end. `tell` runs on the loop, in its thread."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, tell: Tell, stop: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._tell = tell
        self._stop = stop

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Install all hooks, and put back those that were there."""
        before, before_threads = sys.excepthook, threading.excepthook
        sys.excepthook = self._on_slot_exception
        threading.excepthook = self._on_thread_exception
        self._loop.set_exception_handler(self._on_loop_exception)
        qInstallMessageHandler(_log_qt)
        try:
            yield
        finally:
            qInstallMessageHandler(None)
            self._loop.set_exception_handler(None)
            sys.excepthook, threading.excepthook = before, before_threads

    def _on_slot_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self._stop()
            return
        self._report(error, "window")

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._loop.call_soon_threadsafe(self._report, args.exc_value, "thread")

    def _on_loop_exception(
        self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]
    ) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._report(error, "loop")
        else:
            _log.error("loop message=%r", context.get("message"))

    def _report(self, error: BaseException, where: str) -> None:
        _log.error("bug where=%s", where, exc_info=error)
        if isinstance(error, Problem):
            self._tell(error)
        elif isinstance(error, Exception):
            self._tell(bug_report(error, where))


def open_crash_log(path: Path) -> tuple[int, Problem | None]:
    """Let the interpreter write all stacks to a file should it die; return the file's number.

    It stays open until the process is gone, for the interpreter may die in its last moments, too.
    Where the file cannot be written the stacks go nowhere, and the second value says why.
    """
    fault = None
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        number, fault = os.open(os.devnull, os.O_WRONLY), _unwritable(path, error.strerror)
    faulthandler.enable(number)
    return number, fault


def _unwritable(path: Path, why: object) -> Problem:
    return Problem(
        tr("{path} cannot be written ({why}): a crash would leave no trace.", path=path, why=why),
        advice=tr("Move it away or mend its rights, then start Archivist again."),
        key="log-crash",
    )


def _log_qt(kind: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
    text = message or ""
    if not any(sign in text for sign in _HARMLESS):
        _log.log(_LEVELS.get(kind, logging.WARNING), "qt category=%s %s", context.category, text)
