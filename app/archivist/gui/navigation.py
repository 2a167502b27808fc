"""The bar above every window: the way to the other windows, and what each of them can do."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from archivist.domain.waiting import Waiting
from archivist.gui.desk import Desk
from archivist.gui.places import Room
from archivist.texts import tr

_ICONS: Final = {
    Room.SEGMENTS: "segments",
    Room.LESSONS: "lessons",
    Room.MEMORY: "memory",
    Room.PROBLEMS: "warning",
}
_KEYS: Final = {Room.SEGMENTS: "Ctrl+1", Room.LESSONS: "Ctrl+2", Room.MEMORY: "Ctrl+3"}


def room_name(room: Room) -> str:
    """Return what a window is called."""
    return {
        Room.SEGMENTS: tr("Segments"),
        Room.LESSONS: tr("Lessons"),
        Room.MEMORY: tr("Memory"),
        Room.PROBLEMS: tr("Problems"),
    }[room]


class Navigation(QToolBar):
    """Shows which window this is and how much waits in the others."""

    def __init__(self, desk: Desk, here: Room, *, more: QMenu) -> None:
        super().__init__(tr("Windows"))
        self._desk = desk
        self.setObjectName("navigation")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._ways = QActionGroup(self)
        self._actions = {room: self._add_way(room, here) for room in Room}
        self._add_more(more)
        self.restyle()
        self.count(desk.signals.waiting)
        desk.signals.waiting_changed.connect(self.count)

    def count(self, waiting: Waiting) -> None:
        """Say how much waits; a window without problems needs no way to them."""
        waits = {
            Room.LESSONS: waiting.lessons,
            Room.MEMORY: waiting.changes,
            Room.PROBLEMS: waiting.problems,
        }
        for room, action in self._actions.items():
            name, number = room_name(room), waits.get(room, 0)
            action.setText(tr("{name} {n}", name=name, n=number) if number else name)
            if room in _KEYS:
                action.setToolTip(tr("{name} ({keys})", name=name, keys=_KEYS[room]))
        problems = self._actions[Room.PROBLEMS]
        problems.setVisible(bool(waiting.problems) or problems.isChecked())

    def restyle(self) -> None:
        """Draw the icons in the colours of the look."""
        look = self._desk.look
        side = look.space(4.5)
        self.setIconSize(self.iconSize().scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio))
        for room, action in self._actions.items():
            action.setIcon(look.icon(_ICONS[room]))

    def _add_way(self, room: Room, here: Room) -> QAction:
        action = QAction(room_name(room), self)
        action.setCheckable(True)
        action.setChecked(room is here)
        action.triggered.connect(self._goer(room, here))
        self._ways.addAction(action)
        self.addAction(action)
        return action

    def _goer(self, room: Room, here: Room) -> Callable[[], None]:
        def go() -> None:
            self._actions[here].setChecked(True)  # this window stays what it is
            self._desk.go(room)

        return go

    def _add_more(self, more: QMenu) -> None:
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        button = QToolButton()
        button.setText(tr("More"))
        button.setMenu(more)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(button)
