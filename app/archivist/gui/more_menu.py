"""The menu of every window: all that the tray's menu has, and the window's own keys as words."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from archivist.services.pause import PauseFor
from archivist.texts import tr

if TYPE_CHECKING:
    from archivist.gui.room import RoomWindow


class MoreMenu(QMenu):
    """Asks the services only when something was chosen; shows Pause or Resume as it stands."""

    def __init__(self, window: "RoomWindow") -> None:
        super().__init__(window)
        self._window = window
        desk = window.desk
        self._add(tr("Read the sources now"), desk.running.read_now)
        self._add(tr("Archive now"), desk.running.archive_now)
        self._pause = self.addMenu(tr("Pause"))
        for text, length in (
            (tr("For 1 hour"), PauseFor.HOUR),
            (tr("Until tomorrow"), PauseFor.TOMORROW),
            (tr("Until I resume"), PauseFor.RESUMED),
        ):
            self._pause.addAction(text).triggered.connect(partial(self._on_pause_chosen, length))
        self._resume = self._add(tr("Resume"), self._on_resume_chosen)
        self._add(tr("Save clipboard now"), desk.save_clipboard)
        self.addSeparator()
        self.addActions(window.shared_actions)
        self.aboutToShow.connect(self._on_about_to_show)

    def _add(self, text: str, run: Callable[[], None]) -> QAction:
        action = self.addAction(text)
        action.triggered.connect(lambda _checked=False: run())
        return action

    def _on_about_to_show(self) -> None:
        is_paused = self._window.desk.services.pause.current is not None
        self._pause.menuAction().setVisible(not is_paused)
        self._resume.setVisible(is_paused)

    def _on_pause_chosen(self, length: PauseFor) -> None:
        self._window.act(self._rested(length), name="pause")

    def _on_resume_chosen(self) -> None:
        self._window.act(self._resumed(), name="resume")

    async def _rested(self, length: PauseFor) -> None:
        await self._window.desk.services.pause.pause(length)

    async def _resumed(self) -> None:
        await self._window.desk.services.pause.resume()
