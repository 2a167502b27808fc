"""Exceptions that nobody caught: each is told once, with its traceback in the log."""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import QTimer, qWarning

from archivist.domain.problems import Problem
from archivist.gui.bugs import Bugs
from helpers.windows import until

pytestmark = [pytest.mark.gui, pytest.mark.allow_logs]

Run = Callable[[Coroutine[Any, Any, None]], None]


class Told:
    """What was put on the list of problems, and whether the end was asked for."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.stopped = 0

    def bugs(self) -> Bugs:
        return Bugs(asyncio.get_running_loop(), self.problems.append, self._stop)

    def _stop(self) -> None:
        self.stopped += 1


def fail() -> None:
    raise KeyError("a word of the conversation")


def tracebacks(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.exc_info is not None for record in caplog.records)


def test_in_a_slot(qrun: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        told = Told()
        with told.bugs().watching():
            QTimer.singleShot(0, fail)
            await until(lambda: told.problems)
        assert [problem.key for problem in told.problems] == ["bug-window-KeyError"]
        assert "conversation" not in told.problems[0].message
        assert tracebacks(caplog) == 1

    qrun(story())


def test_in_a_callback_of_the_loop(qrun: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        told = Told()
        with told.bugs().watching():
            asyncio.get_running_loop().call_soon(fail)
            await until(lambda: told.problems)
        assert [problem.key for problem in told.problems] == ["bug-loop-KeyError"]
        assert tracebacks(caplog) == 1

    qrun(story())


def test_in_a_task_that_nobody_awaits(qrun: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> None:
        fail()

    async def story() -> None:
        told = Told()
        with told.bugs().watching():
            task = asyncio.get_running_loop().create_task(broken())
            await until(task.done)
            del task
            await until(lambda: told.problems)
        assert [problem.key for problem in told.problems] == ["bug-loop-KeyError"]
        assert tracebacks(caplog) == 1

    qrun(story())


def test_in_a_thread(qrun: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        told, seen = Told(), []
        bugs = told.bugs()
        bugs._tell = lambda problem: seen.append((problem.key, threading.current_thread()))
        with bugs.watching():
            threading.Thread(target=fail).start()
            await until(lambda: seen)
        assert seen == [("bug-thread-KeyError", threading.main_thread())]
        assert tracebacks(caplog) == 1

    qrun(story())


def test_ctrl_c_in_a_slot_is_the_end_and_no_bug(
    qrun: Run, caplog: pytest.LogCaptureFixture
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def story() -> None:
        told = Told()
        with told.bugs().watching():
            QTimer.singleShot(0, interrupt)
            await until(lambda: told.stopped)
        assert told.problems == []
        assert tracebacks(caplog) == 0

    qrun(story())


def test_a_problem_nobody_caught_keeps_its_words(
    qrun: Run, caplog: pytest.LogCaptureFixture
) -> None:
    def full() -> None:
        raise Problem("The disk is full.", advice="Free some space.", key="disk")

    async def story() -> None:
        told = Told()
        with told.bugs().watching():
            QTimer.singleShot(0, full)
            await until(lambda: told.problems)
        assert told.problems[0].advice == "Free some space."

    qrun(story())


def test_what_qt_says_is_logged(qrun: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        with Told().bugs().watching():
            qWarning("something odd")
            qWarning("Failed to register with host portal QDBusError")
        said = [record for record in caplog.records if record.name == "archivist.gui.bugs"]
        assert [record.levelno for record in said] == [logging.WARNING]
        assert "something odd" in said[0].getMessage()

    qrun(story())


def test_afterwards_all_is_as_it_was(qrun: Run) -> None:
    async def story() -> None:
        before = sys.excepthook, threading.excepthook
        with Told().bugs().watching():
            assert sys.excepthook is not before[0]
        assert (sys.excepthook, threading.excepthook) == before

    qrun(story())
