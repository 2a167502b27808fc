"""Light becomes dark while windows are open: nothing keeps a colour of before."""

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QCursor, QImage

from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from helpers import gallery, windows
from helpers.palettes import palette
from helpers.windows import Opened

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
SIZE = QSize(780, 700)
OUT_OF_THE_WAY = (799, 799)
"""Where the mouse is above no button."""


@pytest.fixture(autouse=True)
def _palette(qapp: Application) -> Iterator[None]:
    before = qapp.palette()
    QCursor.setPos(*OUT_OF_THE_WAY)
    yield
    qapp.setPalette(before)


async def opened_window(it: Opened, room: Room, stop_the_clock: Callable[[], None]) -> RoomWindow:
    it.rooms.window(room).resize(SIZE)
    it.rooms.go(room, await gallery._thing(room, it.services))
    stop_the_clock()
    await gallery.at_rest(it)
    return it.rooms.window(room)


def picture(window: RoomWindow) -> QImage:
    focused = window.focusWidget()
    if focused is not None:
        focused.clearFocus()  # a cursor blinks
    return window.grab().toImage()


@pytest.mark.parametrize("state", gallery.STATES)
@pytest.mark.parametrize("room", Room)
def test_a_window_turned_dark_looks_like_one_opened_in_the_dark(
    room: Room, state: str, profiles: Path, qrun: Run, qapp: Application
) -> None:
    pictures: dict[str, QImage] = {}

    async def story(name: str) -> None:
        with gallery.standing_clock() as stop_the_clock:
            await shown(name, stop_the_clock)

    async def shown(name: str, stop_the_clock: Callable[[], None]) -> None:
        async with windows.opened(gallery.profile(profiles, state)) as it:
            window = await opened_window(it, room, stop_the_clock)
            if name == "turned":
                qapp.setPalette(palette("dark"))
                it.rooms.desk.look.follow(qapp.palette())
                it.rooms.desk.signals.look_changed.emit()
                await gallery.at_rest(it)
            pictures[name] = picture(window)

    for name, theme in (("turned", "light"), ("opened", "dark")):
        qapp.setPalette(palette(theme))
        qrun(story(name))
    assert pictures["turned"] == pictures["opened"], "it kept a colour of before"
