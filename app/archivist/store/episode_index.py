"""Keep the contentless FTS5 table in step with the turns.

Deleting from it passes the same normalised text again; so the fields are read before a change
(`remember`) and written after it (`reindex`).
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import aiosqlite

from archivist.domain.indexing import tools_field, words_field
from archivist.domain.turns import ToolCall
from archivist.domain.words import INDEX_VERSION
from archivist.store.tool_calls import calls_of

TEXTS: Final = """
select id, text, failed_tools from episode where id in (select value from json_each(?))
"""
FORGET: Final = """
insert into episode_fts (episode_fts, rowid, words, tools) values ('delete', ?, ?, ?)
"""
ADD: Final = """
insert into episode_fts (rowid, words, tools) values (?, ?, ?)
"""


VERSION: Final = """
select value from meta where key = 'index_version'
"""
SET_VERSION: Final = """
insert into meta (key, value) values ('index_version', ?)
on conflict (key) do update set value = excluded.value
"""
EMPTY: Final = """
insert into episode_fts (episode_fts) values ('delete-all')
"""
NEXT: Final = """
select id from episode where id > ? order by id limit ?
"""
_PAGE: Final = 1_000


async def is_outdated(connection: aiosqlite.Connection) -> bool:
    """Whether the index was made by another version of the normaliser, or not made yet."""
    rows = list(await connection.execute_fetchall(VERSION))
    return not rows or rows[0][0] != str(INDEX_VERSION)


async def bring_up_to_date(connection: aiosqlite.Connection) -> None:
    """Make an outdated index anew, in the caller's transaction.

    Killed in between, the old index stands and it is done again; another process may have been
    faster.
    """
    if not await is_outdated(connection):
        return
    await connection.execute(EMPTY)
    last = 0
    while page := [row[0] for row in await connection.execute_fetchall(NEXT, (last, _PAGE))]:
        await reindex(connection, page, {})
        last = page[-1]
    await connection.execute(SET_VERSION, (str(INDEX_VERSION),))


async def remember(
    connection: aiosqlite.Connection, episodes: Iterable[int]
) -> dict[int, tuple[str, str]]:
    """Return the two fields of each turn as they follow from its rows now."""
    rows = sorted(episodes)
    if not rows:
        return {}
    tools = await calls_of(connection, rows)
    texts = await connection.execute_fetchall(TEXTS, (json.dumps(rows),))
    return await asyncio.to_thread(_fields, texts, tools)  # words of megabytes: not in the loop


def _fields(
    texts: Iterable[aiosqlite.Row], tools: Mapping[int, Sequence[ToolCall]]
) -> dict[int, tuple[str, str]]:
    return {
        row["id"]: (
            words_field(row["text"]),
            tools_field(tools.get(row["id"], []), row["failed_tools"]),
        )
        for row in texts
    }


async def reindex(
    connection: aiosqlite.Connection,
    episodes: Iterable[int],
    before: Mapping[int, tuple[str, str]],
) -> None:
    """Bring the index to what the rows say now; `before` is what `remember` gave earlier."""
    after = await remember(connection, episodes)
    changed = [row for row in after if after[row] != before.get(row)]
    await connection.executemany(FORGET, [(row, *before[row]) for row in changed if row in before])
    await connection.executemany(ADD, [(row, *after[row]) for row in changed])


async def forget(connection: aiosqlite.Connection, before: Mapping[int, tuple[str, str]]) -> None:
    """Take turns out of the index that are about to be deleted; `before` is of `remember`."""
    await connection.executemany(FORGET, [(row, *fields) for row, fields in before.items()])
