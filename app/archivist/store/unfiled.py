"""Turns that are in no segment yet: sessions that have only such turns to show, as rows of a list.

Where a session has an open segment, they are shown with that one.
"""

import json
from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.segment_list import UNFILED
from archivist.domain.turns import SessionId

LOOSE: Final = f"""
select '{UNFILED}' || u.session_id as id, u.session_id, u.turns, 'open' as state,
  begun.project, begun.at as start_at,
  nullif(max(coalesce(last.until, 0), coalesce(last.at, 0)), 0) as end_at
from (select session_id, min(seq) as first, max(seq) as last, count(*) as turns
  from episode where segment_id is null group by session_id) u
join episode begun on begun.session_id = u.session_id and begun.seq = u.first
join episode last on last.session_id = u.session_id and last.seq = u.last
where not exists (select 1 from segment o where o.session_id = u.session_id and o.state = 'open')
"""  # noqa: S608 - one constant inside another
"""The columns are named as those of `segment`, so that the same filters fit."""
ROWS: Final = f"""
select g.id, s.source, g.project, g.state, null as reason, g.start_at as start, g.end_at as "end",
  g.turns, (select substr(text, 1, 400) from episode
    where session_id = g.session_id and segment_id is null
      and role = 'user' and trim(text) <> '' order by seq limit 1) as prompt,
  null as recap, null as maker, 0 as lessons, null as trouble
from ({LOOSE}) g
join session s on s.id = g.session_id
where g.id in (select value from json_each(?))
"""  # noqa: S608 - the same
TURNS: Final = """
select * from (
  select * from episode where session_id = ? and segment_id is null order by seq desc limit ?)
order by seq
"""
SESSION: Final = """
select s.native_id, s.parent, s.relation, null as recap, f.path, 0 as events
from session s
left join source_file f on f.id = s.file_id
where s.id = ?
"""
NEWEST: Final = """
select id from segment where session_id = ? order by opened_at desc, rowid desc limit 1
"""
OPEN_OF: Final = """
select session_id from segment where id = ? and state = 'open'
"""
MOST: Final = 1_000
"""So many of the turns of one session are read: a whole archive may wait while it is imported."""


async def rows_of(
    connection: aiosqlite.Connection, segments: Sequence[str]
) -> dict[str, aiosqlite.Row]:
    """Return the rows of sessions by the id under which they are listed."""
    wanted = [segment for segment in segments if segment.startswith(UNFILED)]
    if not wanted:
        return {}
    rows = await connection.execute_fetchall(ROWS, (json.dumps(wanted),))
    return {row["id"]: row for row in rows}


async def unfiled_turns(
    connection: aiosqlite.Connection, session: SessionId
) -> list[aiosqlite.Row]:
    """Return the newest turns of a session that are in no segment, in order."""
    return list(await connection.execute_fetchall(TURNS, (session, MOST)))


async def open_session(connection: aiosqlite.Connection, segment: str) -> SessionId | None:
    """Return the session of a segment that is open."""
    rows = list(await connection.execute_fetchall(OPEN_OF, (segment,)))
    return SessionId(rows[0][0]) if rows else None
