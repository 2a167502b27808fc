"""The command log: each action of a person by name, with what is needed to take it back."""

import json
from collections.abc import Mapping
from typing import Any, Final

import aiosqlite

from archivist.domain.commands import Command

DEPTH: Final = 100

ADD = """
insert into command (name, label, inverse, caller, at) values (?, ?, ?, ?, ?)
"""
TRIM = """
delete from command where id <= (select id from command order by id desc limit 1 offset ?)
"""
LAST = """
select id, name, label, inverse, at, caller from command
where undone_at is null order by id desc limit ?
"""
MARK = """
update command set undone_at = ? where id = ? and undone_at is null
"""
# While anything that came later stands, nothing is done again: the ids say what came later.
NEXT_UNDONE = """
select id, name, label, inverse, at, caller from command
where undone_at is not null and json_extract(inverse, '$.passed') is null
  and id > (select coalesce(max(id), 0) from command where undone_at is null)
order by id limit 1
"""
LEAVE_STANDING = """
update command set undone_at = ?, inverse = json_set(inverse, '$.passed', 1)
where id = ? and undone_at is null
"""
# Doing some actions again logs them anew; the log keeps their first place, or the order is lost.
STAND_AGAIN = """
update command set undone_at = null, inverse = coalesce((
  select n.inverse from command n
  where n.id > command.id and n.name = command.name and n.label = command.label
    and n.undone_at is null order by n.id limit 1
), inverse)
where id = ? and undone_at is not null
"""
DROP_COPY = """
delete from command where id = (
  select n.id from command n join command c on c.id = ?
  where n.id > c.id and n.name = c.name and n.label = c.label and n.undone_at is null
  order by n.id limit 1
)
"""


async def log_command(
    connection: aiosqlite.Connection,
    *,
    name: str,
    label: str,
    inverse: Mapping[str, Any],
    caller: str | None,
    at: int,
) -> int:
    """Write a command in the transaction of the action itself; return its id.

    `caller` is the name of the program that asked, for the record. The oldest fall out at 100.
    """
    row = (name, label, json.dumps(inverse), caller, at)
    cursor = await connection.execute(ADD, row)
    await connection.execute(TRIM, (DEPTH,))
    return int(cursor.lastrowid or 0)


async def last_commands(connection: aiosqlite.Connection, count: int) -> list[Command]:
    """Return the newest commands that still stand, newest first."""
    return [_command(row) for row in await connection.execute_fetchall(LAST, (count,))]


async def next_undone(connection: aiosqlite.Connection) -> Command | None:
    """Return the command that would be done again next: the last one taken back."""
    rows = await connection.execute_fetchall(NEXT_UNDONE)
    return next((_command(row) for row in rows), None)


async def mark_undone(connection: aiosqlite.Connection, command: int, *, at: int) -> bool:
    """Note that a command was taken back; False when somebody else already did."""
    cursor = await connection.execute(MARK, (at, command))
    return cursor.rowcount == 1


async def pass_over(connection: aiosqlite.Connection, command: int, *, at: int) -> None:
    """Leave a command standing for good: it is neither taken back nor done again."""
    await connection.execute(LEAVE_STANDING, (at, command))


async def stand_again(connection: aiosqlite.Connection, command: int) -> None:
    """Note that a command was done again, with the inverse of the doing if that was logged."""
    await connection.execute(STAND_AGAIN, (command,))
    await connection.execute(DROP_COPY, (command,))


def _command(row: aiosqlite.Row) -> Command:
    inverse = json.loads(row["inverse"])
    return Command(row["id"], row["name"], row["label"], inverse, row["at"], row["caller"])
