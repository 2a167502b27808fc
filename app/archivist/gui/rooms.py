"""Opens the windows, each made when it is first wanted, and brings it to the front."""

import asyncio
import os
from collections.abc import Callable
from typing import Final, assert_never

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from archivist.gui.desk import Clipboard, Desk
from archivist.gui.look import Look
from archivist.gui.places import Room, Thing
from archivist.gui.remembered import Remembered
from archivist.gui.room import RoomWindow
from archivist.gui.signals import Signals
from archivist.services.activity import Running
from archivist.services.facade import Services
from archivist.services.supervise import Supervisor

_TOKENS: Final = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
_ALERT_MS: Final = 3_000


class Rooms(QObject):
    """Owns the windows. `all_closed` is emitted when the person closes the last visible one."""

    all_closed = Signal()

    def __init__(
        self,
        services: Services,
        supervisor: Supervisor,
        look: Look,
        *,
        running: Running,
        clipboard: Clipboard,
        save_clipboard: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        super().__init__()
        self._windows: dict[Room, RoomWindow] = {}
        self._has_ended = False
        self.desk = Desk(
            services=services,
            supervisor=supervisor,
            signals=Signals(services.bus),
            look=look,
            remembered=Remembered(services.profile.data),
            go=self.go,
            quit=stop,
            running=running,
            clipboard=clipboard,
            save_clipboard=save_clipboard,
        )

    def go(self, room: Room, thing: Thing = None) -> None:
        """Bring a window to the front, at a thing in it; none any more once the end has begun."""
        if self._has_ended:
            return
        self.window(room).show_at(thing)
        _to_front(self.window(room))

    def go_with(self, room: Room, token: str) -> None:
        """The same for another program, whose token lets the window come to the front."""
        if token:
            for name in _TOKENS:
                os.environ[name] = token
        self.go(room)

    def window(self, room: Room) -> RoomWindow:
        """Return the window of a room, made when it is first asked for."""
        if room not in self._windows:
            made = _made(room, self.desk)
            made.closed.connect(self._on_window_closed)
            self._windows[room] = made
        return self._windows[room]

    @property
    def shown(self) -> list[RoomWindow]:
        """The windows that are visible."""
        return [window for window in self._windows.values() if window.isVisible()]

    def end(self) -> None:
        """Close every window and listen no more. Their work may go on: `delete` comes after it."""
        self._has_ended = True
        self.desk.signals.end()
        for window in self._windows.values():
            window.blockSignals(True)
            window.close()

    async def at_rest(self) -> None:
        """Wait until nothing is in hand that must not be lost, as what was typed at the end."""
        await asyncio.gather(*(window.at_rest() for window in self._windows.values()))

    def delete(self) -> None:
        """Delete the windows, once nothing runs that could still write into them."""
        for window in self._windows.values():
            window.deleteLater()
        self._windows.clear()

    def _on_window_closed(self) -> None:
        asyncio.get_running_loop().call_soon(self._tell_if_all_closed)

    def _tell_if_all_closed(self) -> None:
        if not self.shown:
            self.all_closed.emit()


def _to_front(window: RoomWindow) -> None:
    """Show a window; where the system keeps it back, its entry in the task bar blinks."""
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()
    QApplication.alert(window, _ALERT_MS)


def _made(room: Room, desk: Desk) -> RoomWindow:
    """Make a window; its modules are read only now, for the start must not wait for them."""
    match room:
        case Room.SEGMENTS:
            from archivist.gui.segments.window import SegmentsWindow

            return SegmentsWindow(desk)
        case Room.LESSONS:
            from archivist.gui.lessons.window import LessonsWindow

            return LessonsWindow(desk)
        case Room.MEMORY:
            from archivist.gui.memory.window import MemoryWindow

            return MemoryWindow(desk)
        case Room.PROBLEMS:
            from archivist.gui.problems.window import ProblemsWindow

            return ProblemsWindow(desk)
        case _:
            assert_never(room)
