"""Where windows open after screens were taken away or changed, and what of them comes back."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QSplitter, QStyle, QWidget

from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.gui.remembered import Remembered
from helpers import windows
from helpers.gallery import at_rest
from helpers.windows import Profile

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
LEFT = QRect(0, 0, 700, 700)
RIGHT = QRect(700, 0, 900, 800)


class Screen:
    """A screen that is plugged in."""

    def __init__(self, place: QRect) -> None:
        self._place = place

    def availableGeometry(self) -> QRect:  # noqa: N802 - Qt's name
        return self._place


def plug_in(monkeypatch: pytest.MonkeyPatch, *places: QRect) -> None:
    screens = [Screen(place) for place in places]
    monkeypatch.setattr(QGuiApplication, "screens", lambda: screens)


def test_a_window_of_a_screen_that_was_taken_away_comes_onto_the_one_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, LEFT, RIGHT)
    first = QWidget()
    first.setGeometry(QRect(900, 300, 420, 330))
    Remembered(tmp_path).keep_window("one", first)

    plug_in(monkeypatch, LEFT)
    again = QWidget()
    Remembered(tmp_path).place_window("one", again, usual=QSize(300, 200))
    assert LEFT.contains(again.geometry())
    assert again.size() == QSize(420, 330)


def test_a_new_window_fits_a_screen_that_is_smaller_than_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, QRect(0, 0, 400, 300))
    window = QWidget()
    Remembered(tmp_path).place_window("one", window, usual=QSize(1080, 680))
    bar = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    assert bar > 0
    assert window.size() == QSize(400, 300 - bar)


def test_the_system_places_a_window_that_was_never_open(tmp_path: Path) -> None:
    window = QWidget()
    Remembered(tmp_path).place_window("one", window, usual=QSize(300, 200))
    assert window.size() == QSize(300, 200)
    assert not window.testAttribute(Qt.WidgetAttribute.WA_Moved)  # nobody said where it is to be


def test_a_title_bar_that_was_off_the_screen_comes_onto_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, LEFT)
    first = QWidget()
    first.setGeometry(QRect(0, 0, 300, 200))
    Remembered(tmp_path).keep_window("one", first)
    again = QWidget()
    Remembered(tmp_path).place_window("one", again, usual=QSize(300, 200))
    bar = again.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    assert LEFT.contains(again.geometry().adjusted(0, -bar, 0, 0))
    assert again.size() == QSize(300, 200)


@pytest.mark.parametrize("state", [Qt.WindowState.WindowNoState, Qt.WindowState.WindowMaximized])
def test_on_wayland_only_the_size_comes_back(
    state: Qt.WindowState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = QWidget()
    first.setGeometry(QRect(200, 150, 320, 240))
    first.setWindowState(state)
    Remembered(tmp_path).keep_window("one", first)
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "wayland")
    again = QWidget()
    Remembered(tmp_path).place_window("one", again, usual=QSize(500, 400))
    assert again.size() == QSize(320, 240)
    assert again.windowState() is state
    assert not again.testAttribute(Qt.WidgetAttribute.WA_Moved)


def test_the_first_size_grows_with_the_font(
    qrun: Run, qapp: Application, demo_profile: Profile, empty_profile: Profile
) -> None:
    sizes: list[QSize] = []

    async def story(profile: Profile) -> None:
        async with windows.opened(profile) as it:
            sizes.append(it.rooms.window(Room.PROBLEMS).size())

    usual = qapp.font()
    larger = QFont(usual)
    larger.setPointSizeF(usual.pointSizeF() * 1.25)
    qrun(story(demo_profile))
    qapp.setFont(larger)
    try:
        qrun(story(empty_profile))
    finally:
        qapp.setFont(usual)
    small, large = sizes
    assert large.width() > small.width() * 1.15
    assert large.height() > small.height() * 1.15


@pytest.mark.parametrize("room", [Room.SEGMENTS, Room.LESSONS])
def test_size_and_panes_come_back_after_a_restart(
    room: Room, qrun: Run, demo_profile: Profile
) -> None:
    seen: list[tuple[QSize, list[list[int]]]] = []

    def panes(window: QWidget) -> list[QSplitter]:
        return window.findChildren(QSplitter)

    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            it.rooms.go(room)
            window = it.rooms.window(room)
            await at_rest(it)
            if not seen:
                window.resize(760, 640)
                for splitter in panes(window):
                    sizes = splitter.sizes()
                    splitter.setSizes([sizes[0] - 30, *sizes[1:-1], sizes[-1] + 30])
            seen.append((window.size(), [splitter.sizes() for splitter in panes(window)]))
            window.close()

    qrun(story())
    qrun(story())
    first, second = seen
    assert first[1], "the window has no panes"
    assert first == second


def test_a_window_that_is_open_at_the_end_is_remembered_too(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            it.rooms.go(Room.LESSONS)
            window = it.rooms.window(Room.LESSONS)
            await at_rest(it)
            window.resize(700, 610)
            it.rooms.end()  # the program ends with the window open
            size = window.size()
        async with windows.opened(demo_profile) as it:
            assert it.rooms.window(Room.LESSONS).size() == size

    qrun(story())
