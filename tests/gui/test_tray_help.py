"""The ways to the program with a tray, without one, and with one that comes late."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from archivist.gui import tray_help
from archivist.gui.dialogs import Question
from archivist.gui.places import Room, Thing
from archivist.gui.room import RoomWindow
from archivist.gui.tray import Tray
from archivist.gui.tray_help import Presence, how_to_get_a_tray
from helpers import windows
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


class FakeTray(QObject):
    """A tray that is there or not."""

    availability_changed = Signal(bool)

    def __init__(self, *, available: bool) -> None:
        super().__init__()
        self.is_available = self.will_be = available
        self.told: list[str] = []

    def tell(self, title: str, text: str) -> None:
        self.told.append(f"{title}. {text}")

    def beat(self) -> None:
        """Look whether it is there."""
        if self.is_available != self.will_be:
            self.is_available = self.will_be
            self.availability_changed.emit(self.will_be)

    def come(self) -> None:
        self.is_available = self.will_be = True
        self.availability_changed.emit(True)


@dataclass(slots=True)
class Stage:
    """The presence on an open profile; whatever window is asked for, the problems are shown."""

    it: Opened
    tray: FakeTray
    presence: Presence
    asked: list[Room]

    @property
    def window(self) -> RoomWindow:
        return self.it.rooms.window(Room.PROBLEMS)


@asynccontextmanager
async def staged(profile: Profile, *, available: bool) -> AsyncIterator[Stage]:
    asked: list[Room] = []
    async with windows.opened(profile) as it:

        def go(room: Room, thing: Thing = None) -> None:
            asked.append(room)
            it.rooms.go(Room.PROBLEMS)

        tray = FakeTray(available=available)
        desk = replace(it.rooms.desk, go=go)
        presence = Presence(desk, cast("Tray", tray), lambda: it.rooms.shown)
        it.rooms.all_closed.connect(presence.on_last_window_closed)
        yield Stage(it, tray, presence, asked)
        presence.end()


def question() -> Question | None:
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, Question)]
    return found[0] if found else None


def press(text: str, among: QObject) -> None:
    (button,) = [b for b in among.findChildren(QPushButton) if b.text() == text]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray_help, "PATIENCE_MS", 50)


def test_without_a_tray_the_window_opens_and_says_once_how_to_get_one(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.presence.begin()
            await until(lambda: on.window.banner.message)
            assert on.asked == [Room.SEGMENTS]
            assert "tray" in on.window.banner.message
        async with staged(empty_profile, available=False) as on:
            on.presence.begin()
            await until(lambda: on.it.rooms.shown)
            assert on.window.banner.message == ""

    qrun(story())


def test_a_window_that_is_open_anyway_says_it_at_once(
    qrun: Run, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tray_help, "PATIENCE_MS", 3_600_000)

    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.it.rooms.go(Room.PROBLEMS)
            on.presence.begin()
            await until(lambda: on.window.banner.message)
            assert on.asked == []

    qrun(story())


def test_a_tray_that_comes_in_time_keeps_the_window_shut(
    qrun: Run, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tray_help, "PATIENCE_MS", 3_600_000)

    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.presence.begin()
            assert on.presence._patience.isActive()
            on.tray.come()
            assert not on.presence._patience.isActive()
            assert on.asked == []

    qrun(story())


def test_a_tray_that_comes_later_takes_the_notice_away(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.presence.begin()
            await until(lambda: on.window.banner.message)
            on.tray.come()
            assert on.window.banner.message == ""
            on.window.banner.say("Something else.")
            on.tray.come()
            assert on.window.banner.message == "Something else."

    qrun(story())


def test_closing_the_last_window_without_a_tray_asks_whether_to_go_on(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            for answer, stopped in (("Quit", [True]), ("Keep running", [True])):
                on.it.rooms.go(Room.PROBLEMS)
                on.window.close()
                await until(question)
                asked = question()
                assert asked is not None
                press(answer, asked)
                await until(lambda: question() is None)
                assert on.it.stopped == stopped
            on.it.rooms.go(Room.PROBLEMS)
            on.window.close()
            await until(lambda: not on.it.rooms.shown)
            on.presence.on_last_window_closed()
            assert question() is None  # the answer to keep running holds
            on.presence.begin()
            await until(lambda: not on.presence._patience.isActive())
            assert on.asked == []

    qrun(story())


def test_the_notice_s_button_keeps_it_running_without_an_icon(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.presence.begin()
            await until(lambda: on.window.banner.message)
            press("Keep running without an icon", on.window.banner)
            on.window.close()
            on.presence.on_last_window_closed()
            assert question() is None
            assert on.it.stopped == []

    qrun(story())


def test_with_a_tray_the_first_close_alone_says_where_it_went(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=True) as on:
            on.presence.begin()
            for _ in range(2):
                on.it.rooms.go(Room.PROBLEMS)
                on.window.close()
                await until(lambda: on.tray.told)
            on.presence.on_last_window_closed()
            assert len(on.tray.told) == 1
            assert "still in the tray" in on.tray.told[0]
            assert question() is None
            assert on.asked == []

    qrun(story())


def test_a_tray_that_died_unnoticed_is_missed_when_the_last_window_closes(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=True) as on:
            on.presence.begin()
            on.it.rooms.go(Room.PROBLEMS)
            on.tray.will_be = False
            on.window.close()
            await until(question)
            asked = question()
            assert asked is not None
            press("Quit", asked)
            await until(lambda: on.it.stopped)
            assert on.tray.told == []
            assert on.asked == []

    qrun(story())


def test_a_tray_that_dies_while_no_window_is_open_opens_one(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with staged(empty_profile, available=True) as on:
            on.presence.begin()
            on.tray.will_be = False
            on.tray.beat()
            on.tray.come()  # a panel that only starts again
            assert not on.presence._patience.isActive()
            on.tray.will_be = False
            on.tray.beat()
            await until(lambda: on.asked == [Room.SEGMENTS])
            assert on.window.isVisible()

    qrun(story())


def test_logout_asks_nothing(
    qrun: Run, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QGuiApplication, "isSavingSession", lambda _self: True)

    async def story() -> None:
        async with staged(empty_profile, available=False) as on:
            on.presence.on_last_window_closed()
            assert len(on.it.rooms.desk.supervisor._live) == 0

    qrun(story())


@pytest.mark.parametrize(
    "desktop, words",
    [
        ("GNOME", "AppIndicator"),
        ("ubuntu:GNOME", "AppIndicator"),
        ("XFCE", "to the panel"),
        ("", "to the panel"),
    ],
)
def test_the_advice_fits_the_desktop(desktop: str, words: str) -> None:
    assert words in how_to_get_a_tray(desktop)
