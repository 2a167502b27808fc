"""Take back what a person did, newest first; survives a restart, for the log is in the archive."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from archivist.domain.commands import Command
from archivist.domain.problems import Refused
from archivist.ports.machine import Clock
from archivist.ports.stores import Commands
from archivist.texts import tr

Inverse = Callable[[Mapping[str, Any]], Awaitable[None]]


class Undo:
    """Knows, by the first word of a command's name, which service takes it back."""

    def __init__(self, store: Commands, inverses: Mapping[str, Inverse], *, clock: Clock) -> None:
        self._store = store
        self._inverses = inverses
        self._clock = clock

    async def commands(self, count: int = 20) -> list[Command]:
        """Return what can be taken back, newest first."""
        return await self._store.last(count)

    async def undo(self, count: int = 1) -> list[Command]:
        """Take back the newest commands; stops at the first that cannot be. Raises Refused."""
        commands = await self._store.last(count)
        if not commands:
            raise Refused(
                tr("There is nothing to undo."),
                advice=tr("Only keeping, editing, rejecting, writing and settings can be undone."),
            )
        for command in commands:
            await self._inverses[command.name.partition(".")[0]](command.inverse)
            await self._store.mark_undone(command.id, at=self._clock())
        return commands
