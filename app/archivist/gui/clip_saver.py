"""`Save clipboard now` of the tray and the windows: asks for leave the first time, says the end."""

from collections.abc import Awaitable, Callable
from typing import Final

from archivist.domain.problems import Problem
from archivist.gui.desk import Desk
from archivist.gui.dialogs import confirm
from archivist.gui.room import RoomWindow
from archivist.ports.machine import Message
from archivist.services.capture import NOT_ALLOWED
from archivist.texts import tr

_ALLOWED: Final = "clipboard.allowed"


class ClipSaver:
    """Saves once at a time. `shown` is the window in front, None while there is none."""

    def __init__(
        self,
        desk: Desk,
        save: Callable[[], Awaitable[Message]],
        *,
        shown: Callable[[], RoomWindow | None],
        beside_tray: Callable[[str, str], None],
    ) -> None:
        self._desk = desk
        self._save = save
        self._shown = shown
        self._beside_tray = beside_tray
        self._is_busy = False

    async def save(self) -> None:
        """Save what is on the clipboard, after the person's leave; say what became of it."""
        if self._is_busy:
            return
        self._is_busy = True
        try:
            said = await self._saved()
            if isinstance(said, Problem) and said.key == NOT_ALLOWED:
                if not await self._is_permitted():
                    return
                said = await self._saved()
        finally:
            self._is_busy = False
        self._say(said)

    async def _saved(self) -> str | Problem:
        """A refusal is an answer here, no problem to be listed."""
        try:
            return str((await self._save())["message"])
        except Problem as problem:
            return problem

    async def _is_permitted(self) -> bool:
        """Ask for leave; it is given as a setting, which Undo takes back."""
        question = tr("Let Archivist save what is on the clipboard when you ask for it?")
        if not await confirm(self._shown(), question, verb=tr("Allow")):
            return False
        await self._desk.services.preferences.set(_ALLOWED, value=True)
        return True

    def _say(self, said: str | Problem) -> None:
        if isinstance(said, Problem):
            advice = (
                tr("The source “clipboard” is switched off in the settings.")
                if said.key == NOT_ALLOWED
                else said.advice
            )
            said = f"{said.message} {advice}"
        window = self._shown()
        if window is not None:
            window.notice(said)
        else:
            self._beside_tray(tr("Save clipboard"), said)
