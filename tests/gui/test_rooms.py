"""The windows as a whole: made once, brought to the front, told when the last one closes."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtWidgets import QToolBar

from archivist.domain.waiting import Waiting
from archivist.gui.places import Room
from archivist.gui.problems.window import ProblemsWindow
from helpers import windows
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


def test_a_window_is_made_once_and_comes_back(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            closed: list[bool] = []
            it.rooms.all_closed.connect(lambda: closed.append(True))
            it.rooms.go(Room.PROBLEMS)
            window = it.rooms.window(Room.PROBLEMS)
            window.showMinimized()
            it.rooms.go(Room.PROBLEMS)
            assert not window.isMinimized()
            assert it.rooms.shown == [window]
            window.close()
            await until(lambda: closed)
            it.rooms.go(Room.PROBLEMS)
            assert it.rooms.shown == [window]

    qrun(story())


def test_the_bar_of_every_window_says_how_much_waits(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            there = it.rooms.window(Room.SEGMENTS)
            it.rooms.desk.signals.tell_waiting(Waiting(lessons=3, changes=2, problems=1))
            for window in (there, it.rooms.window(Room.MEMORY)):  # one made before, one after
                ways = window.findChildren(QToolBar)[0].actions()
                shown = [way.text() for way in ways if way.isVisible() and way.isCheckable()]
                assert shown == ["Segments", "Lessons 3", "Memory 2", "Problems 1"]

    qrun(story())


def test_no_window_comes_back_once_the_end_has_begun(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            it.rooms.go(Room.PROBLEMS)
            it.rooms.end()
            it.rooms.go_with(Room.LESSONS, "")  # a notification may still be clicked
            it.rooms.go(Room.PROBLEMS)
            assert it.rooms.shown == []

    qrun(story())


def test_the_token_of_another_program_is_taken_along(
    qrun: Run, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"):
        monkeypatch.setenv(name, "old")

    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            it.rooms.go_with(Room.PROBLEMS, "")
            assert os.environ["XDG_ACTIVATION_TOKEN"] == "old"
            it.rooms.go_with(Room.PROBLEMS, "token-1")
            assert os.environ["XDG_ACTIVATION_TOKEN"] == "token-1"
            assert os.environ["DESKTOP_STARTUP_ID"] == "token-1"

    qrun(story())


def test_work_that_outlives_its_window_writes_into_no_deleted_one(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        written: list[str] = []
        async with windows.opened(empty_profile) as it:
            it.rooms.go(Room.PROBLEMS)
            window = it.rooms.window(Room.PROBLEMS)
            assert isinstance(window, ProblemsWindow)
            goes_on = asyncio.Event()

            async def late() -> None:
                await goes_on.wait()
                window.details.message.setText("late")
                written.append(window.details.message.text())

            it.rooms.desk.spawn(late(), name="late")
            it.rooms.end()
            await until(lambda: not window.isVisible())
            goes_on.set()
            await until(lambda: written)
        assert written == ["late"]

    qrun(story())
