"""The ways to the program: says once that it stays in the tray, or that there is no tray."""

import os
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication

from archivist.gui.desk import Desk
from archivist.gui.dialogs import confirm
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from archivist.gui.tray import Tray
from archivist.texts import tr

_SAID_MISSING: Final = "said-no-tray"
_SAID_HIDDEN: Final = "said-in-tray"
_WITHOUT_ICON: Final = "keeps-without-icon"
PATIENCE_MS: Final = 10_000
"""A session starts its programs and its panel at the same time."""


class Presence(QObject):
    """Watches over the way in: tray icon, else a window, else the next start of the program.

    `shown` gives the windows that are open. Connect `on_last_window_closed` to the last one's end.
    """

    def __init__(self, desk: Desk, tray: Tray, shown: Callable[[], Sequence[RoomWindow]]) -> None:
        super().__init__()
        self._desk = desk
        self._tray = tray
        self._shown = shown
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._open_without_tray)
        tray.availability_changed.connect(self._on_tray_availability_changed)

    def begin(self) -> None:
        """Say at once that there is no tray; started without a window, give it time to come."""
        if not self._tray.is_available:
            self._patience.start(0 if self._shown() else PATIENCE_MS)

    def end(self) -> None:
        """Watch no more."""
        self._patience.stop()

    def on_last_window_closed(self) -> None:
        """Say once where the program went; without a tray ask whether it shall go on."""
        remembered = self._desk.remembered
        if _is_session_ending():
            return
        self._tray.beat()  # it may have gone since it was last looked for
        if not self._tray.is_available:
            self._patience.stop()  # asked now, it need not open a window
            if not remembered.flag(_WITHOUT_ICON):
                self._desk.spawn(self._ask_to_stay(), name="stay")
        elif not remembered.flag(_SAID_HIDDEN):
            remembered.set_flag(_SAID_HIDDEN)
            self._tray.tell(
                tr("Archivist is still in the tray"),
                tr("It goes on archiving. Its icon opens the window again, and can end it."),
            )

    def _open_without_tray(self) -> None:
        remembered = self._desk.remembered
        if self._tray.is_available or remembered.flag(_WITHOUT_ICON):
            return
        if not self._shown():
            self._desk.go(Room.SEGMENTS)
        if not remembered.flag(_SAID_MISSING):
            remembered.set_flag(_SAID_MISSING)
            self._shown()[0].banner.say(
                _missing(),
                action=tr("Keep running without an icon"),
                run=self._keep_without_icon,
            )

    def _keep_without_icon(self) -> None:
        self._desk.remembered.set_flag(_WITHOUT_ICON)

    async def _ask_to_stay(self) -> None:
        question = tr(
            "This desktop shows no icon of Archivist. Keep it running without a window? "
            "It goes on archiving, and the next start of Archivist opens its window."
        )
        if await confirm(None, question, verb=tr("Quit"), refusal=tr("Keep running")):
            self._desk.quit()
        else:
            self._keep_without_icon()

    def _on_tray_availability_changed(self, available: object) -> None:
        if available:
            self._patience.stop()
            for window in self._shown():
                if window.banner.message == _missing():
                    window.banner.hide()
        elif not self._shown():
            self._patience.start(PATIENCE_MS)


def _is_session_ending() -> bool:
    """Whether logout closes the windows, and not the person."""
    application = QGuiApplication.instance()
    return isinstance(application, QGuiApplication) and application.isSavingSession()


def _missing() -> str:
    return how_to_get_a_tray(os.environ.get("XDG_CURRENT_DESKTOP", ""))


def how_to_get_a_tray(desktop: str) -> str:
    """Say in a line why there is no icon, and what helps on this desktop."""
    names = desktop.upper().split(":")
    if "GNOME" in names:
        return tr(
            "GNOME shows no icons of programs by itself; the extension “AppIndicator and "
            "KStatusNotifierItem Support” brings them back. Archivist works without, too."
        )
    return tr(
        "This desktop has no tray, so Archivist shows no icon. Add a tray (“status icons”, "
        "“notification area”) to the panel to see it. Archivist works without, too."
    )
