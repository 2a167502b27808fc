"""Read the tool calls of turns, as their segment and their index entry both need them."""

import asyncio
import json
from collections.abc import Iterable
from typing import Final

import aiosqlite

from archivist.domain.transcripts import Outcome
from archivist.domain.turns import ToolCall

CALLS: Final = """
select episode_id, name, arguments, outcome, output from tool_call
where episode_id in (select value from json_each(?)) order by episode_id, seq
"""


async def calls_of(
    connection: aiosqlite.Connection, episodes: Iterable[int]
) -> dict[int, list[ToolCall]]:
    """Return the calls of each turn that has any, in call order."""
    rows = await connection.execute_fetchall(CALLS, (json.dumps(sorted(episodes)),))
    return await asyncio.to_thread(_grouped, rows)  # a page of a busy session holds thousands


def _grouped(rows: Iterable[aiosqlite.Row]) -> dict[int, list[ToolCall]]:
    calls: dict[int, list[ToolCall]] = {}
    for row in rows:
        call = ToolCall(row["name"], row["arguments"], Outcome(row["outcome"]), row["output"])
        calls.setdefault(row["episode_id"], []).append(call)
    return calls
