"""Controls that come only with an act: while one edits, is asked why, finds nothing, looks back."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from archivist.domain.problems import Problem
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from helpers import gallery, windows
from helpers.audit import clipped, nameless, unreached
from helpers.windows import Opened, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
Key = Qt.Key


async def shown(it: Opened, room: Room) -> RoomWindow:
    window = it.rooms.window(room)
    window.resize(790, 760)
    it.rooms.go(room)
    await gallery.at_rest(it)
    await until(window.isActiveWindow)
    return window


@pytest.mark.parametrize(
    "room, keys, words",
    [
        (Room.LESSONS, [Key.Key_E], ""),
        (Room.LESSONS, [Key.Key_R], ""),
        (Room.MEMORY, [Key.Key_E], ""),
        (Room.MEMORY, [Key.Key_P], ""),
        (Room.SEGMENTS, [], "nothing of that kind was ever said"),
        (Room.SEGMENTS, [], "colour:red deploy"),
    ],
    ids=["edit", "why", "edit line", "preview", "no match", "no filter"],
)
def test_controls_of_a_mode_are_named_reached_and_fit(
    room: Room, keys: list[Qt.Key], words: str, profiles: Path, qrun: Run
) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, "filled")) as it:
            window = await shown(it, room)
            before = controls(window)
            for key in keys:
                QTest.keyClick(QApplication.focusWidget() or window, key)
            if words:
                QTest.keyClick(window, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
                QTest.keyClicks(QApplication.focusWidget() or window, words)
            await until(lambda: controls(in_front(window)) != before)
            front = in_front(window)
            if front is window:
                await gallery.at_rest(it)
            await until(front.isActiveWindow)
            assert nameless(front) == []
            assert clipped(front) == []
            assert unreached(front) == []

    qrun(story())


def in_front(window: RoomWindow) -> QWidget:
    """Return the window, or the dialog above it."""
    return QApplication.activeModalWidget() or window


def controls(window: QWidget) -> list[tuple[str, str]]:
    """What is to be seen of a window's controls."""
    return [
        (type(each).__name__, each.property("text") or "")
        for each in window.findChildren(QWidget)
        if each.isVisibleTo(window)
    ]


@pytest.mark.parametrize("room", Room)
def test_trouble_is_named_reached_and_fits(room: Room, profiles: Path, qrun: Run) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, "filled")) as it:
            window = await shown(it, room)
            window.trouble(Problem("The disk is full. " * 6, advice="Free some space, then retry."))
            window.notice("Kept.", undoable=True)
            await gallery.at_rest(it)
            assert window.banner.isVisible()
            assert nameless(window) == []
            assert clipped(window) == []
            assert unreached(window) == []

    qrun(story())
