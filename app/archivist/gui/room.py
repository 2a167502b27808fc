"""What all windows share: title, remembered size, keys, banner, status line, undo."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QPushButton, QVBoxLayout, QWidget

from archivist.domain.commands import Command
from archivist.domain.hidden import visible, visible_lines
from archivist.domain.problems import Problem
from archivist.gui.banner import Banner
from archivist.gui.desk import Desk
from archivist.gui.dialogs import Listing, ask, confirm
from archivist.gui.flow import Tall
from archivist.gui.more_menu import MoreMenu
from archivist.gui.navigation import Navigation, room_name
from archivist.gui.places import Room, Thing
from archivist.texts import tr

_NOTICE_MS: Final = 8_000
_USUAL: Final = (256, 160)
"""The size at the first opening, in steps of the look."""
_LEAST_WIDTH: Final = 100
"""Narrower, the bar of the windows and the status line do not fit."""

_OPENS: Final = (
    ("Ctrl+1", Room.SEGMENTS),
    ("Ctrl+2", Room.LESSONS),
    ("Ctrl+3", Room.MEMORY),
)


class RoomWindow(QMainWindow):
    """One window. A subclass sets its body, says its keys, and refreshes what it shows.

    `closed` is emitted when the person closes it; the program goes on.
    """

    closed = Signal()

    def __init__(
        self, desk: Desk, *, room: Room, title: str, usual: tuple[int, int] = _USUAL
    ) -> None:
        super().__init__()
        self.desk = desk
        self.room = room
        self._in_hand: set[asyncio.Task[None]] = set()
        self._undoing = asyncio.Lock()
        self.setObjectName(f"window-{room}")
        self.setWindowTitle(tr("{title} – Archivist", title=title))
        self.banner = Banner(desk.look)
        self._column = Tall()
        column = QVBoxLayout(self._column)
        column.addStrut(desk.look.space(_LEAST_WIDTH))
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        self.setCentralWidget(self._column)
        self.shared_actions = self._add_keys()
        self._navigation = Navigation(desk, room, more=MoreMenu(self))
        self.addToolBar(self._navigation)
        self.undo_button = QPushButton(tr("Undo"))
        self.undo_button.setFlat(True)
        self.undo_button.clicked.connect(self.undo)
        self.undo_button.hide()
        self.statusBar().addPermanentWidget(self.undo_button)
        self.statusBar().messageChanged.connect(self._on_status_message_changed)
        desk.signals.look_changed.connect(self.restyle)
        width, height = map(desk.look.space, usual)
        desk.remembered.place_window(room, self, usual=QSize(width, height))

    # For subclasses.

    def set_body(self, body: QWidget) -> None:
        """Set what the window shows below the banner."""
        layout = self._column.layout()
        assert layout is not None  # noqa: S101 - made in __init__
        layout.addWidget(body)

    def refresh(self) -> None:
        """Read again what the window shows."""

    def show_at(self, thing: Thing) -> None:
        """Show a thing in the window; None is no thing in particular."""

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of this window with what they do, for the list on F1."""
        return ()

    def escape(self) -> None:
        """Do what Escape means here; by default it closes the window."""
        self.close()

    def restyle(self) -> None:
        """Take the colours of the look."""
        self.banner.restyle()
        self._navigation.restyle()

    # For the window's own work.

    def act(self, work: Coroutine[Any, Any, None], *, name: str) -> "asyncio.Task[None]":
        """Do something that the person asked for; a Problem is shown in this window."""
        task = self.desk.spawn(self._told(work), name=name)
        task.add_done_callback(lambda _: work.close())  # cancelled before it began
        return task

    def act_to_the_end(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """The same for what must not be lost when the program ends: that waits for it a little."""
        task = self.act(work, name=name)
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def at_rest(self) -> None:
        """Wait until nothing is in hand any more that must not be lost; giving up cancels none."""
        while self._in_hand:
            await asyncio.wait(self._in_hand)

    async def take_back(self) -> Command | None:
        """Take back what was done last, and say what; what another program did is asked about.

        None when the person does not want that.
        """
        undo = self.desk.services.undo
        async with self._undoing:
            newest = await undo.newest()
            if not undo.is_ours(newest) and not await self._may_take_back(newest):
                return None
            done = await undo.undo_only(newest)
        self.notice(tr("Taken back: {label}", label=done.label))
        return done

    async def trying(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do work that the next of its kind may cancel; a Problem is shown in this window."""
        await self._told(make())

    def notice(self, text: str, *, undoable: bool = False) -> None:
        """Say for some seconds in the status line what was done, with Undo where it can be."""
        self.statusBar().showMessage(visible_lines(text), _NOTICE_MS)
        self.undo_button.setVisible(undoable)

    def trouble(self, problem: Problem) -> None:
        """Show what went wrong and what to do."""
        self.banner.say(f"{problem.message} {problem.advice}")

    def undo(self) -> None:
        """Take back what the person did last, in whichever window that was."""
        self.act(self._take_back(), name="undo")

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.act(self._do_again(), name="redo")

    def show_keys(self) -> None:
        """List the keys of this window."""
        dialog = Listing(self, tr("Keys"), (*self.keys(), *_shared_keys()))
        self.act(_read(dialog), name="keys")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide; what the window shows goes on. Never refuses: the session may be ending."""
        self.desk.remembered.keep_window(self.room, self)
        event.accept()
        self.closed.emit()

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Problem as problem:
            self.trouble(problem)

    async def _take_back(self) -> None:
        await self.take_back()

    async def _may_take_back(self, command: Command) -> bool:
        question = tr("This was not done in a window of Archivist. Take it back?")
        if command.caller:
            program = visible(command.caller)
            question = tr(
                "This was not done in a window of Archivist, but by “{program}” on the command"
                " line. Take it back?",
                program=program,
            )
        return await confirm(self, question, lines=[command.label], verb=tr("Take back"))

    async def _do_again(self) -> None:
        done = await self.desk.services.undo.redo()
        self.notice(tr("Done again: {label}", label=done.label))

    def _add_keys(self) -> list[QAction]:
        """Add the keys; return those that the menu shows."""
        for keys, room in _OPENS:
            self._add_key(room_name(room), keys, _opener(self.desk, room))
        self._add_key(tr("Back"), "Esc", self._on_escape)
        return [
            self._add_key(tr("Undo"), QKeySequence.StandardKey.Undo, self.undo),
            self._add_key(tr("Redo"), "Ctrl+Shift+Z", self.redo),
            self._add_key(tr("Show anew"), "F5", self.refresh),
            self._add_key(tr("Keys…"), "F1", self.show_keys),
            self._add_key(tr("Close"), "Ctrl+W", self.close),
            self._add_key(tr("Quit"), "Ctrl+Q", self.desk.quit),
        ]

    def _add_key(
        self, text: str, keys: str | QKeySequence.StandardKey, run: Callable[..., object]
    ) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(run)
        self.addAction(action)
        return action

    def _on_escape(self) -> None:
        if self.banner.isVisible():
            self.banner.hide()
        else:
            self.escape()

    def _on_status_message_changed(self, text: str) -> None:
        if not text:
            self.undo_button.hide()


async def _read(dialog: Listing) -> None:
    await ask(dialog)


def _opener(desk: Desk, room: Room) -> Callable[[], None]:
    def go() -> None:
        desk.go(room)

    return go


def _shared_keys() -> list[tuple[str, str]]:
    return [
        ("Ctrl+1 2 3", tr("segments, lessons, memory changes")),
        ("Ctrl+Z  Ctrl+Shift+Z", tr("undo, redo")),
        ("F5", tr("read again")),
        ("Esc", tr("clear, back, close")),
        ("Ctrl+W", tr("close this window")),
        ("Ctrl+Q", tr("quit Archivist")),
    ]
