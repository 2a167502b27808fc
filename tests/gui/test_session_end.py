"""Logout closes the windows: none refuses, whatever the person is at, and none asks."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from archivist.gui.lessons.window import LessonsWindow
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from helpers import gallery, windows
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(autouse=True)
def _session_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QGuiApplication, "isSavingSession", lambda _self: True)


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("session-end")
    gallery.make_profiles(folder)
    return folder


def closes(window: RoomWindow) -> bool:
    """Tell the window that the session ends, as Qt does; return whether it agrees."""
    event = QCloseEvent()
    QApplication.sendEvent(window, event)
    return event.isAccepted()


async def shown(it: Opened, room: Room) -> RoomWindow:
    it.rooms.go(room)
    window = it.rooms.window(room)
    await gallery.at_rest(it)
    await until(window.isActiveWindow)
    return window


@pytest.mark.parametrize("room", Room)
def test_no_window_refuses(room: Room, profiles: Path, qrun: Run) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, "filled")) as it:
            assert closes(await shown(it, room))

    qrun(story())


@pytest.mark.parametrize("room", Room)
def test_not_even_below_a_dialog(room: Room, profiles: Path, qrun: Run) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, "filled")) as it:
            window = await shown(it, room)
            window.show_keys()
            await until(lambda: window.findChildren(QDialog))
            assert window.close()
            assert not window.isVisible()

    qrun(story())


def test_a_sentence_in_hand_is_saved_and_not_asked_about(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it, Room.LESSONS)
            assert isinstance(window, LessonsWindow)
            QTest.keyClick(window.page.list, Qt.Key.Key_E)
            field = QApplication.focusWidget()
            assert field is not None
            QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClicks(field, "Always use pytest here.")
            assert closes(window)
            assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog)]
            await gallery.at_rest(it)
            texts = [lesson.text for lesson in await it.services.review.lessons()]
            assert "Always use pytest here." in texts

    qrun(story())
