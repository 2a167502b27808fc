"""The memory files that a person chose."""

from typing import Final

import aiosqlite

from archivist.domain.proposals import Note, Target, TargetId
from archivist.store.commands import log_command
from archivist.store.database import Database

LIST: Final = """
select * from memory_target where disabled_at is null order by path
"""
BY_PATH: Final = """
select * from memory_target where path = ?
"""
ENABLE: Final = """
insert into memory_target (path, project, enabled_at) values (?, ?, ?)
on conflict (path) do update set
  project = excluded.project, enabled_at = excluded.enabled_at, disabled_at = null
returning *
"""
DISABLE: Final = """
update memory_target set disabled_at = ? where id = ? and disabled_at is null
"""
RESTORE: Final = """
update memory_target set project = ?, disabled_at = ? where id = ?
"""


class TargetStore:
    """Each change and its command with the inverse are one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def targets(self) -> list[Target]:
        """Return the enabled files, by path."""
        async with self._database.read() as connection:
            return [_target(row) for row in await connection.execute_fetchall(LIST)]

    async def enable(self, path: str, project: str, *, note: Note) -> Target:
        """Enable a file, or give it another project; logged unless nothing changes."""
        async with self._database.write() as connection:
            before = next(iter(await connection.execute_fetchall(BY_PATH, (path,))), None)
            was_enabled = before is not None and before["disabled_at"] is None
            if before is not None and was_enabled and before["project"] == project:
                return _target(before)
            row = next(iter(await connection.execute_fetchall(ENABLE, (path, project, note.at))))
            target = _target(row)
            old = target.project if before is None else str(before["project"])
            again = {"target": target.id, "project": project, "enabled": True}
            before_it = {"target": target.id, "project": old, "enabled": was_enabled}
            await _log(connection, "memory.enable", before_it, again, note)
        return target

    async def disable(self, target: Target, *, note: Note) -> None:
        """Disable a file; its proposals are kept, and hidden."""
        async with self._database.write() as connection:
            done = await connection.execute(DISABLE, (note.at, target.id))
            if done.rowcount:
                before = {"target": target.id, "project": target.project, "enabled": True}
                await _log(connection, "memory.disable", before, before | {"enabled": False}, note)

    async def restore(self, target: TargetId, *, project: str, enabled: bool, at: int) -> None:
        """Bring a file back to what a command's inverse says."""
        async with self._database.write() as connection:
            await connection.execute(RESTORE, (project, None if enabled else at, target))


async def _log(
    connection: aiosqlite.Connection,
    name: str,
    before: dict[str, object],
    again: dict[str, object],
    note: Note,
) -> None:
    inverse = {**before, "again": again}
    await log_command(
        connection, name=name, label=note.label, inverse=inverse, caller=note.caller, at=note.at
    )


def _target(row: aiosqlite.Row) -> Target:
    return Target(TargetId(row["id"]), row["path"], row["project"], row["enabled_at"])
