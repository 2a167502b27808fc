"""Sizes of windows, widths of columns and the like, kept in the data folder between starts."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QMargins, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QStyle, QWidget

_FILE: Final = "windows.ini"


class Remembered:
    """What the windows remember; never anything of a conversation."""

    def __init__(self, folder: Path) -> None:
        self._file = QSettings(str(folder / _FILE), QSettings.Format.IniFormat)

    def flag(self, name: str) -> bool:
        """Whether something was said or done once already."""
        return bool(self._file.value(f"flags/{name}", defaultValue=False, type=bool))

    def set_flag(self, name: str) -> None:
        """Note that something was said or done."""
        self._file.setValue(f"flags/{name}", True)

    def text(self, name: str) -> str:
        """Return a remembered word, "" when there is none."""
        return str(self._file.value(f"texts/{name}", defaultValue=""))

    def set_text(self, name: str, value: str) -> None:
        """Remember a word."""
        self._file.setValue(f"texts/{name}", value)

    def keep_window(self, name: str, window: QWidget) -> None:
        """Remember a window's size and, where the system tells it, its place."""
        self._file.setValue(f"windows/{name}", window.saveGeometry())

    def place_window(self, name: str, window: QWidget, *, usual: QSize) -> None:
        """Give a window the size and place it had, moved onto a screen that is there now.

        The system places a window that has no place yet, and on Wayland every window.
        """
        kept = self._file.value(f"windows/{name}")
        is_kept = isinstance(kept, QByteArray) and _restore(window, kept)
        if not is_kept:
            window.resize(usual)
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        if not screens or window.isMaximized():
            return
        frame = _frame(window)
        place = onto_screen(window.geometry().marginsAdded(frame), screens).marginsRemoved(frame)
        if is_kept and _has_places():
            window.setGeometry(place)
        else:
            window.resize(place.size())

    def keep_splitter(self, name: str, splitter: QSplitter) -> None:
        """Remember the widths of the panes."""
        self._file.setValue(f"splitters/{name}", splitter.saveState())

    def place_splitter(self, name: str, splitter: QSplitter) -> bool:
        """Give the panes the widths they had; False when nothing is remembered."""
        kept = self._file.value(f"splitters/{name}")
        return isinstance(kept, QByteArray) and splitter.restoreState(kept)


def onto_screen(window: QRect, screens: list[QRect]) -> QRect:
    """Return the rectangle, shrunk and moved until it lies on the screen it shares most with."""

    def shared(screen: QRect) -> int:
        common = screen.intersected(window)
        return common.width() * common.height() if common.isValid() else 0

    screen = max(screens, key=shared)
    size = window.size().boundedTo(screen.size())
    left = min(max(window.left(), screen.left()), screen.right() + 1 - size.width())
    top = min(max(window.top(), screen.top()), screen.bottom() + 1 - size.height())
    return QRect(left, top, size.width(), size.height())


def _restore(window: QWidget, kept: QByteArray) -> bool:
    """Give a window what was kept of it; without its place where the system has none to give."""
    if _has_places():
        return window.restoreGeometry(kept)
    before = QWidget()
    if not before.restoreGeometry(kept):
        return False
    window.resize(before.size())
    if before.isMaximized():
        window.setWindowState(Qt.WindowState.WindowMaximized)
    return True


def _has_places() -> bool:
    """Whether windows may say where they want to be."""
    return not QGuiApplication.platformName().startswith("wayland")


def _frame(window: QWidget) -> QMargins:
    """Return how wide the frame is; before the window is shown, room for a usual title bar."""
    inner, outer = window.geometry(), window.frameGeometry()
    if outer != inner:
        return QMargins(
            inner.left() - outer.left(),
            inner.top() - outer.top(),
            outer.right() - inner.right(),
            outer.bottom() - inner.bottom(),
        )
    return QMargins(0, window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight), 0, 0)
