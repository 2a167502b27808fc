"""Every window, at every scale, light and dark: nothing cut off, everything named and reached."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from archivist.gui.application import Application
from archivist.gui.dialogs import Question
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from helpers import gallery, windows
from helpers.audit import clipped, nameless, reachable, unreached
from helpers.palettes import PALETTES

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]

SCREEN = (1600, 1200)
"""Pixels; 800×600 is left of it at 200 percent."""
_MOST_ESCAPES = 4


@pytest.mark.long
@pytest.mark.parametrize("scale, font", [("1", "1"), ("1.25", "1"), ("2", "1"), ("1", "1.5")])
def test_nothing_is_cut_off_and_everything_has_a_name(
    scale: str, font: str, profiles: Path
) -> None:
    words = ["--scale", scale, "--font", font, "--audit"]
    done = gallery.at_scale(scale, profiles, words, SCREEN)
    assert done.returncode == 0
    faults: dict[str, list[str]] = json.loads(done.stdout)
    assert len(faults) == len(Room) * len(gallery.STATES) * len(PALETTES)
    assert {name: lines for name, lines in faults.items() if lines} == {}


@pytest.mark.long
@pytest.mark.parametrize("font", ["1", "2.3"])
def test_nothing_is_cut_off_in_a_window_as_small_as_it_can_be(font: str, profiles: Path) -> None:
    words = ["--font", font, "--audit", "--least"]
    done = gallery.at_scale("1", profiles, words)
    assert done.returncode == 0
    faults: dict[str, list[str]] = json.loads(done.stdout)
    assert len(faults) == len(Room) * len(gallery.STATES) * len(PALETTES)
    assert {name: lines for name, lines in faults.items() if lines} == {}


@pytest.mark.parametrize("state", gallery.STATES)
@pytest.mark.parametrize("room", Room)
def test_tab_meets_every_control(room: Room, state: str, profiles: Path, qrun: Run) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, state)) as opened:
            window = await shown(opened, room)
            assert unreached(window) == []

    qrun(story())


@pytest.mark.parametrize("state", gallery.STATES)
@pytest.mark.parametrize("room", Room)
def test_escape_leaves_from_every_control(
    room: Room, state: str, profiles: Path, qrun: Run
) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, state)) as opened:
            window = await shown(opened, room)
            for number in range(len(reachable(window))):
                window = await shown(opened, room)
                control = reachable(window)[number]  # some are made anew with what is shown
                control.setFocus()
                for _ in range(_MOST_ESCAPES):
                    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Escape)
                    await asyncio.sleep(0)
                assert not window.isVisible(), f"Esc does not leave {control}"

    qrun(story())


async def shown(opened: windows.Opened, room: Room) -> RoomWindow:
    """Open a window and wait until it has the keyboard and is at rest."""
    opened.rooms.go(room)
    window = opened.rooms.window(room)
    await gallery.at_rest(opened)
    await windows.until(window.isActiveWindow)
    return window


@pytest.mark.parametrize("room", Room)
def test_the_list_of_keys_is_sound(room: Room, profiles: Path, qrun: Run) -> None:
    async def story() -> None:
        async with windows.opened(gallery.profile(profiles, "empty")) as opened:
            window = await shown(opened, room)
            QTest.keyClick(window, Qt.Key.Key_F1)
            await windows.until(lambda: is_asked(window))
            for dialog in window.findChildren(QDialog):
                assert clipped(dialog) == nameless(dialog) == unreached(dialog) == []
                dialog.close()
            await gallery.at_rest(opened)

    def is_asked(window: RoomWindow) -> bool:
        return any(dialog.isActiveWindow() for dialog in window.findChildren(QDialog))

    qrun(story())


def test_a_question_is_sound_and_its_safe_answer_has_the_keyboard(qapp: Application) -> None:
    lines = ["Never commit directly to main.", "我们决定用 Pinia 管理状态。"]
    question = Question(None, "Keep these two lessons?", lines, "Keep 2", "")
    question.show()
    assert QTest.qWaitForWindowActive(question)
    focus = QApplication.focusWidget()
    assert isinstance(focus, QPushButton)
    assert focus.text() == "Not now"
    assert clipped(question) == nameless(question) == unreached(question) == []
