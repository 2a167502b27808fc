"""The icon in the tray and its menu. It shows a state and calls back; it knows no service.

A tray may be missing, come late, or send no clicks: everything is in the menu, and in the windows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from archivist.gui.contrast import readable
from archivist.gui.look import tinted
from archivist.services.pause import PauseFor
from archivist.services.tray_state import Mark, TrayState
from archivist.texts import tr

SEEKING_MS: Final = 5_000
RESTING_MS: Final = 60_000
"""Between two looks after the icon: while there is no tray, and while it is in one. Each look asks
the session bus, so the second must be rare."""
_CONTRAST: Final = 4.0
"""With black as with white: nothing tells how dark the panel is."""
_OPENING: Final = (
    QSystemTrayIcon.ActivationReason.Trigger,
    QSystemTrayIcon.ActivationReason.DoubleClick,
)


@dataclass(frozen=True, slots=True)
class TrayActions:
    """What the menu calls. `refresh` is called before the menu is shown."""

    segments: Callable[[], None]
    lessons: Callable[[], None]
    memory: Callable[[], None]
    problems: Callable[[], None]
    archive_now: Callable[[], None]
    pause: Callable[[PauseFor], None]
    resume: Callable[[], None]
    save_clipboard: Callable[[], None]
    quit: Callable[[], None]
    refresh: Callable[[], None]


class Tray(QObject):
    """One icon for the whole run. `availability_changed` tells that a tray came or went."""

    availability_changed = Signal(bool)

    def __init__(self, actions: TrayActions, state: TrayState) -> None:
        super().__init__()
        self._actions = actions
        self._state = state
        self._menu = _Menu(actions)
        self._menu.root.aboutToShow.connect(self._on_menu_about_to_show)
        self._icons: dict[Mark, QIcon] = {}
        self.is_available = QSystemTrayIcon.isSystemTrayAvailable()
        self._icon = self._made_icon()
        self._heart = QTimer(self, interval=SEEKING_MS)
        self._heart.timeout.connect(self.beat)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.follow_look)

    def show(self) -> None:
        """Show the icon, now or as soon as there is a tray."""
        self._heart.start()
        self._put_up()

    def hide(self) -> None:
        """Take the icon away; the program ends."""
        self._heart.stop()
        self._icon.hide()

    def show_state(self, state: TrayState) -> None:
        """Show another state."""
        if state != self._state:
            self._state = state
            self._apply()

    def follow_look(self) -> None:
        """Draw the icon anew after the palette or the colour scheme changed."""
        self._icons.clear()
        self._apply()

    def tell(self, title: str, text: str) -> None:
        """Show a notice beside the icon, where the system can."""
        self._icon.showMessage(title, text, self._picture(Mark.ATTENTION))

    def beat(self) -> None:
        """Put the icon up again where it got lost; find a tray that came late.

        On X11, Qt chooses between the two kinds of tray when an icon is made, so that an icon
        older than its tray is made again. Checked with 6.11; seen by the test of the late tray.
        """
        available = QSystemTrayIcon.isSystemTrayAvailable()
        if available != self.is_available:
            self.is_available = available
            if available:
                self._icon.hide()
                self._icon.deleteLater()
                self._icon = self._made_icon()
                self._put_up()
            self.availability_changed.emit(available)
        elif not self._icon.isVisible():
            self._put_up()
        self._heart.setInterval(RESTING_MS if available else SEEKING_MS)

    def _made_icon(self) -> QSystemTrayIcon:
        icon = QSystemTrayIcon(self._picture(self._state.mark), self)
        icon.setContextMenu(self._menu.root)
        icon.activated.connect(self._on_icon_activated)
        return icon

    def _put_up(self) -> None:
        self._icon.show()
        self._apply()  # Windows 11 forgets a tooltip that was set before the icon was shown

    def _apply(self) -> None:
        self._icon.setIcon(self._picture(self._state.mark))
        self._icon.setToolTip(self._state.tooltip)
        self._menu.show_state(self._state)

    def _picture(self, mark: Mark) -> QIcon:
        if mark not in self._icons:
            self._icons[mark] = tray_picture(mark, QGuiApplication.palette())
        return self._icons[mark]

    def _on_menu_about_to_show(self) -> None:
        self._menu.show_state(self._state)
        self._actions.refresh()

    def _on_icon_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _OPENING:
            self._actions.segments()


def tray_picture(mark: Mark, palette: QPalette) -> QIcon:
    """Return the icon of a state in a colour that stands out on a dark and on a light panel.

    On macOS it is a mask, which the system colours itself.
    """
    accent = palette.color(QPalette.ColorRole.Accent)
    color = readable(accent, QColor("black"), QColor("white"), least=_CONTRAST)
    icon = tinted(f"tray-{mark}", color)
    icon.setIsMask(True)
    return icon


class _Menu:
    """The menu. Its texts are set again and again: trays on D-Bus keep what they once read."""

    def __init__(self, actions: TrayActions) -> None:
        self.root = QMenu()
        self._add(self.root, tr("Open segments"), actions.segments)
        self._lessons = self._add(self.root, "", actions.lessons)
        self._changes = self._add(self.root, "", actions.memory)
        self.root.addSeparator()
        self._status = self.root.addAction("")
        self._status.setEnabled(False)
        self._add(self.root, tr("Archive now"), actions.archive_now)
        self._pause = self._added_pause(actions)
        self._resume = self._add(self.root, tr("Resume"), actions.resume)
        self._add(self.root, tr("Save clipboard now"), actions.save_clipboard)
        self.root.addSeparator()
        self._problems = self._add(self.root, "", actions.problems)
        self._add(self.root, tr("Quit"), actions.quit)

    def show_state(self, state: TrayState) -> None:
        """Write the state into the entries."""
        self._lessons.setText(state.lessons)
        self._changes.setText(state.changes)
        self._status.setText(_without_mnemonic(state.status))
        self._problems.setText(state.problems)
        self._problems.setVisible(bool(state.problems))
        self._pause.menuAction().setVisible(not state.is_paused)
        self._resume.setVisible(state.is_paused)

    def _added_pause(self, actions: TrayActions) -> QMenu:
        menu = self.root.addMenu(tr("Pause"))
        self._add(menu, tr("For 1 hour"), partial(actions.pause, PauseFor.HOUR))
        self._add(menu, tr("Until tomorrow"), partial(actions.pause, PauseFor.TOMORROW))
        self._add(menu, tr("Until I resume"), partial(actions.pause, PauseFor.RESUMED))
        return menu

    def _add(self, menu: QMenu, text: str, call: Callable[[], None]) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(lambda _checked=False: call())
        return action


def _without_mnemonic(text: str) -> str:
    """Return a text of whatever content as a menu shows it: `&` would underline a letter."""
    return text.replace("&", "&&")
