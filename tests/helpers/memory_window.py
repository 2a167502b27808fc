"""The memory window on a real file: open it, press keys where the focus is, wait for dialogs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from archivist.gui.memory.hunk_card import HunkCard
from archivist.gui.memory.window import MemoryWindow
from archivist.gui.places import Room
from helpers.memory_files import memory
from helpers.windows import Opened, Profile, until

Dialog = TypeVar("Dialog", bound=QDialog)

FILE: Final = b"# Notes\r\n\r\n## Preferences\r\n\r\n- Mine\r\n- Yours"
"""A memory file with line ends of Windows and none at its end."""


async def kept(profile: Profile, target: Path | None, *texts: str) -> None:
    """Keep lessons, and use a file for them."""
    profile.folder.mkdir(exist_ok=True)
    async with memory(profile.folder) as here:
        await here.keep(texts)
        if target is not None:
            await here.service.enable(target)


async def shown(it: Opened, hunks: int) -> MemoryWindow:
    """Open the window and wait until it shows so many changes."""
    it.rooms.go(Room.MEMORY)
    window = it.rooms.window(Room.MEMORY)
    assert isinstance(window, MemoryWindow)
    await active(window)
    await settled(it)
    assert len(window.changes.hunks.cards) == hunks
    return window


async def active(window: QWidget) -> None:
    """Give a window the focus, as window managers do once a dialog is closed."""
    window.activateWindow()
    await until(window.isActiveWindow)


async def settled(it: Opened) -> None:
    """Wait until no work of the window is under way."""
    live = it.rooms.desk.supervisor._live
    await until(lambda: not live)


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def press(key: Qt.Key, *, ctrl: bool = False) -> None:
    """Press a key where the focus is."""
    held = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(focused(), key, held)


def says(window: MemoryWindow, line: str) -> bool:
    """Tell whether the first change shows a line of the file."""
    return line in window.changes.hunks.cards[0].rows.accessibleName()


def texts(cards: Sequence[HunkCard]) -> list[str]:
    return [card.hunk.text for card in cards]


def open_dialog(kind: type[QWidget]) -> QWidget | None:
    found = [one for one in QApplication.topLevelWidgets() if isinstance(one, kind)]
    return next((one for one in found if one.isVisible()), None)


async def dialog(kind: type[Dialog]) -> Dialog:
    """Wait for a dialog."""
    await until(lambda: open_dialog(kind) is not None)
    found = open_dialog(kind)
    assert isinstance(found, kind)
    return found
