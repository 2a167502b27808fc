"""The command log as the services see it."""

from archivist.domain.commands import Command
from archivist.store.commands import (
    last_commands,
    log_command,
    mark_undone,
    next_undone,
    pass_over,
    stand_again,
)
from archivist.store.database import Database


class CommandStore:
    """Reads and marks commands; most are written by the transaction of their own action."""

    def __init__(self, database: Database, *, caller: str | None) -> None:
        self._database = database
        self._caller = caller

    async def last(self, count: int) -> list[Command]:
        """Return the newest commands that still stand, newest first."""
        async with self._database.read() as connection:
            return await last_commands(connection, count)

    async def mark_undone(self, command: int, *, at: int) -> bool:
        """Note that a command was taken back; False when it already was."""
        async with self._database.write() as connection:
            return await mark_undone(connection, command, at=at)

    async def pass_over(self, command: int, *, at: int) -> None:
        """Leave a command standing for good that cannot be taken back."""
        async with self._database.write() as connection:
            await pass_over(connection, command, at=at)

    async def next_undone(self) -> Command | None:
        """Return the last command taken back, None when something was done since."""
        async with self._database.read() as connection:
            return await next_undone(connection)

    async def stand_again(self, command: int) -> None:
        """Note that a command was done again."""
        async with self._database.write() as connection:
            await stand_again(connection, command)

    async def log(self, name: str, label: str, inverse: dict[str, object], *, at: int) -> int:
        """Write a command whose action is not in the database (a setting)."""
        async with self._database.write() as connection:
            return await log_command(
                connection, name=name, label=label, inverse=inverse, caller=self._caller, at=at
            )
