"""Take back what a person did, newest first; survives a restart, for the log is in the archive."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from archivist.domain.commands import Command
from archivist.domain.problems import Refused, Stopped
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

    async def undo(self, count: int = 1, *, passing_over: bool = False) -> list[Command]:
        """Take back the newest commands, newest first; return them.

        `passing_over` leaves a command standing for good that cannot be taken back (its file has
        changed) and goes on with older ones. Raises Refused when nothing can be undone, Stopped
        when a later command cannot: what was taken back before it stays so.
        """
        done: list[Command] = []
        while len(done) < count and (command := await self._next()) is not None:
            try:
                await self._inverses[command.name.partition(".")[0]](command.inverse)
            except Refused as refused:
                if not passing_over:
                    raise Stopped(refused, done=[c.label for c in done]) from refused
                await self._store.mark_undone(command.id, at=self._clock())
                continue
            await self._store.mark_undone(command.id, at=self._clock())
            done.append(command)
        if not done:
            raise Refused(
                tr("There is nothing to undo."),
                advice=tr("`archivist undo --list` shows what can be taken back."),
            )
        return done

    async def _next(self) -> Command | None:
        commands = await self._store.last(1)
        return commands[0] if commands else None
