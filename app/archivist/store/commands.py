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
select id, name, label, inverse, at from command
where undone_at is null order by id desc limit ?
"""
MARK = """
update command set undone_at = ? where id = ? and undone_at is null
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
    rows = await connection.execute_fetchall(LAST, (count,))
    return [
        Command(r["id"], r["name"], r["label"], json.loads(r["inverse"]), r["at"]) for r in rows
    ]


async def mark_undone(connection: aiosqlite.Connection, command: int, *, at: int) -> bool:
    """Note that a command was taken back; False when somebody else already did."""
    cursor = await connection.execute(MARK, (at, command))
    return cursor.rowcount == 1
