"""Take back what a person did, newest first, and do it again.

Survives a restart, for the log is in the archive.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from archivist.domain.commands import Command
from archivist.domain.problems import Refused, Stopped
from archivist.ports.machine import Clock
from archivist.ports.stores import Commands
from archivist.texts import tr

Inverse = Callable[[Mapping[str, Any]], Awaitable[None]]
_NONE: Final[Mapping[str, Inverse]] = MappingProxyType({})


class Undo:
    """Knows, by the first word of a command's name, which service takes it back.

    `repeats` does it again from the same data; what is not in there can only be taken back.
    `caller` is the program that asks, as its own commands bear it.
    """

    def __init__(
        self,
        store: Commands,
        inverses: Mapping[str, Inverse],
        *,
        clock: Clock,
        repeats: Mapping[str, Inverse] = _NONE,
        caller: str | None = None,
    ) -> None:
        self._store = store
        self._inverses = inverses
        self._repeats = repeats
        self._clock = clock
        self._caller = caller
        self._one_at_a_time = asyncio.Lock()

    async def commands(self, count: int = 20) -> list[Command]:
        """Return what can be taken back, newest first."""
        return await self._store.last(count)

    async def newest(self) -> Command:
        """Return what would be taken back first. Raises Refused when there is nothing."""
        command = await self._next()
        if command is None:
            raise _nothing_to_undo()
        return command

    def is_ours(self, command: Command) -> bool:
        """Whether a command was made by the program that asks now, in this run or an earlier."""
        return command.caller == self._caller

    async def undo_only(self, command: Command) -> Command:
        """Take back a command that was shown as the newest. Raises Refused when it no longer is."""
        async with self._one_at_a_time:
            newest = await self._next()
            if newest is None or newest.id != command.id:
                raise Refused(
                    tr("Something else was done or taken back meanwhile."),
                    advice=tr("Look at what stands there now, then undo again."),
                )
            (done,) = await self._undone(1, passing_over=False)
        return done

    async def undo(self, count: int = 1, *, passing_over: bool = False) -> list[Command]:
        """Take back the newest commands, newest first; return them.

        `passing_over` leaves a command standing for good that cannot be taken back (its file has
        changed) and goes on with older ones. Raises Refused when nothing can be undone, Stopped
        when a later command cannot: what was taken back before it stays so.
        """
        async with self._one_at_a_time:
            done = await self._undone(count, passing_over=passing_over)
        if not done:
            raise _nothing_to_undo()
        return done

    async def next_redo(self) -> Command | None:
        """Return what `redo` would do again, None when nothing."""
        return await self._store.next_undone()

    async def redo(self) -> Command:
        """Do again what was taken back last; return it.

        Raises Refused when something was done since, and when it can no longer be done.
        """
        async with self._one_at_a_time:
            command = await self._store.next_undone()
            if command is None:
                raise Refused(
                    tr("There is nothing to do again."),
                    advice=tr("Only what was just taken back can be done again."),
                )
            repeat = self._repeats.get(_owner(command), _cannot_repeat)
            await repeat(command.inverse)
            await self._store.stand_again(command.id)
        return command

    async def _undone(self, count: int, *, passing_over: bool) -> list[Command]:
        done: list[Command] = []
        while len(done) < count and (command := await self._next()) is not None:
            try:
                await self._inverses[_owner(command)](command.inverse)
            except Refused as refused:
                if not passing_over:
                    raise Stopped(refused, done=[c.label for c in done]) from refused
                await self._store.pass_over(command.id, at=self._clock())
                continue
            await self._store.mark_undone(command.id, at=self._clock())
            done.append(command)
        return done

    async def _next(self) -> Command | None:
        commands = await self._store.last(1)
        return commands[0] if commands else None


def _nothing_to_undo() -> Refused:
    return Refused(
        tr("There is nothing to undo."),
        advice=tr("`archivist undo --list` shows what can be taken back."),
    )


def cannot_repeat() -> Refused:
    """Return the refusal for an action that the log does not say enough of to do it again."""
    return Refused(
        tr("This can only be taken back, not done again."),
        advice=tr("Do it anew where you did it first."),
    )


async def _cannot_repeat(_inverse: Mapping[str, Any]) -> None:
    raise cannot_repeat()


def _owner(command: Command) -> str:
    return command.name.partition(".")[0]
