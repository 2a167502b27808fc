"""Segments: which turns are not in one yet, which is open, and closing by compare-and-set."""

import json
from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.segments import (
    Centroid,
    CloseReason,
    Filing,
    OpenSegment,
    SegmentSoFar,
    vector_of,
)
from archivist.domain.transcripts import WHOLE, Role
from archivist.domain.turns import SegmentId, SessionId, Turn, TurnId
from archivist.store.database import Database
from archivist.store.jobs import add_jobs
from archivist.store.tool_calls import calls_of

UNFILED_SESSIONS: Final = """
select distinct e.session_id from episode e
join session s on s.id = e.session_id
left join source_file f on f.id = s.file_id
where e.segment_id is null and coalesce(f.unfinished, 0) = 0
order by e.session_id
"""
UNFILED: Final = """
select * from episode where session_id = ? and segment_id is null order by seq limit ?
"""
IS_WHOLE: Final = """
select 1 from session where id = ? and source in (select value from json_each(?))
"""
TURNS: Final = """
select * from episode where segment_id = ? order by seq
"""
OPEN: Final = """
select * from segment where session_id = ? and state = 'open'
"""
OPEN_QUIET: Final = """
select id from (
  select g.id, coalesce(f.read_at, g.opened_at) as read_at,
    max(coalesce(g.end_at, 0),
      coalesce((select max(until) from episode where segment_id = g.id), 0)) as last
  from segment g
  join session s on s.id = g.session_id
  left join source_file f on f.id = s.file_id
  where g.state = 'open' and coalesce(f.unfinished, 0) = 0 and g.opened_at <= :opened_before
    and not exists (
      select 1 from episode e where e.session_id = g.session_id and e.segment_id is null))
where last < :before or (last > :now and read_at < :before)
"""
OPEN_ENDED: Final = """
select g.id from segment g
join session s on s.id = g.session_id
join source_file f on f.id = s.file_id
where g.state = 'open' and f.gone_at is not null
  and not exists (
    select 1 from episode e where e.session_id = g.session_id and e.segment_id is null)
"""
OPEN_ALL: Final = """
select id from segment where state = 'open'
"""
ADD: Final = """
insert into segment (id, session_id, project, opened_at) values (?, ?, ?, ?)
on conflict do nothing
"""
GROW: Final = """
update segment set exchanges = ?, project = coalesce(project, ?), centroid = ?, centroid_count = ?,
  start_at = coalesce(start_at, ?), end_at = max(coalesce(end_at, 0), coalesce(?, 0))
where id = ? and state = 'open'
"""
FILE: Final = """
update episode set segment_id = ? where id = ? and segment_id is null
"""
CLOSE: Final = """
update segment set state = 'closed', reason = ?, closed_at = ? where id = ? and state = 'open'
"""
LAST: Final = """
select max(max(coalesce(until, 0), coalesce(at, 0))) from episode where segment_id = ?
"""
SPAN: Final = """
update segment set
  start_at = (select min(at) from episode where segment_id = segment.id),
  end_at = (select max(max(coalesce(until, 0), coalesce(at, 0))) from episode
    where segment_id = segment.id)
where id = ?
"""


class _Overtaken(Exception):  # noqa: N818 - not an error: another process was faster
    pass


class SegmentStore:
    """Files turns into segments and closes them. Every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unfiled_sessions(self) -> list[SessionId]:
        """Return the sessions with turns in no segment whose file was read to its end."""
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(UNFILED_SESSIONS)
        return [SessionId(row[0]) for row in rows]

    async def is_whole(self, session: SessionId) -> bool:
        """Whether nothing more can come to a session, by where it is from."""
        async with self._database.read() as connection:
            row = (session, json.dumps(sorted(WHOLE)))
            return bool(list(await connection.execute_fetchall(IS_WHOLE, row)))

    async def unfiled(self, session: SessionId, *, limit: int) -> list[Turn]:
        """Return the next turns of a session that are in no segment, in order."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(UNFILED, (session, limit)))
            return await turns_of(connection, rows)

    async def turns(self, segment: SegmentId) -> list[Turn]:
        """Return the turns of a segment, in order."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(TURNS, (segment,)))
            return await turns_of(connection, rows)

    async def open_segment(self, session: SessionId) -> OpenSegment | None:
        """Return the open segment of a session."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(OPEN, (session,)))
            if not rows:
                return None
            ended = await _ended(connection, rows[0]["id"])
        return OpenSegment(SegmentId(rows[0]["id"]), _so_far(rows[0], ended))

    async def file(self, session: SessionId, filings: Sequence[Filing], *, at: int) -> bool:
        """Write filings of one session; False when another process filed or closed meanwhile."""
        try:
            async with self._database.write() as connection:
                for filing in filings:
                    await _file(connection, session, filing, at)
        except _Overtaken:
            return False
        return True

    async def close_quiet(
        self, reason: CloseReason, *, before: int, opened_before: int, at: int
    ) -> int:
        """Close open segments in which nothing happened since `before`; return how many."""
        async with self._database.read() as connection:
            values = {"opened_before": opened_before, "before": before, "now": at}
            rows = list(await connection.execute_fetchall(OPEN_QUIET, values))
        return await self._close([SegmentId(row["id"]) for row in rows], reason, at)

    async def close_ended(self, *, at: int) -> int:
        """Close open segments of sessions whose file is gone; return how many."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(OPEN_ENDED))
        return await self._close([SegmentId(row["id"]) for row in rows], CloseReason.END, at)

    async def close_all(self, reason: CloseReason, *, at: int) -> int:
        """Close every open segment, as at exit; return how many."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(OPEN_ALL))
        return await self._close([SegmentId(row["id"]) for row in rows], reason, at)

    async def _close(self, segments: Sequence[SegmentId], reason: CloseReason, at: int) -> int:
        if not segments:
            return 0
        async with self._database.write() as connection:
            closed = [await _close_one(connection, s, reason, at) for s in segments]
        return sum(closed)


async def _file(
    connection: aiosqlite.Connection, session: SessionId, filing: Filing, at: int
) -> None:
    after = filing.so_far
    if filing.is_new:
        added = await connection.execute(ADD, (filing.segment, session, after.project, at))
        if added.rowcount != 1:  # another process has opened one meanwhile
            raise _Overtaken
    centroid = after.centroid
    blob = None if centroid is None else centroid.mean.astype("<f4").tobytes()
    started = next((turn.at for turn in filing.turns if turn.at is not None), None)
    row = (after.exchanges, after.project, blob, centroid.count if centroid else 0)
    grown = await connection.execute(GROW, (*row, started, after.ended, filing.segment))
    for turn in filing.turns:
        filed = await connection.execute(FILE, (filing.segment, turn.id))
        if filed.rowcount != 1:
            raise _Overtaken
    if grown.rowcount != 1:
        raise _Overtaken
    if filing.reason is not None and not await _close_one(
        connection, filing.segment, filing.reason, at
    ):
        raise _Overtaken


async def _close_one(
    connection: aiosqlite.Connection, segment: SegmentId, reason: CloseReason, at: int
) -> bool:
    """Close by compare-and-set; only the one who closes writes the jobs."""
    closed = await connection.execute(CLOSE, (reason, at, segment))
    if closed.rowcount != 1:
        return False
    await connection.execute(SPAN, (segment,))
    await add_jobs(connection, segment)
    return True


async def _ended(connection: aiosqlite.Connection, segment: str) -> int | None:
    (row,) = await connection.execute_fetchall(LAST, (segment,))
    return int(row[0]) or None if row[0] is not None else None


def _so_far(row: aiosqlite.Row, ended: int | None) -> SegmentSoFar:
    centroid = None
    if row["centroid"] is not None:
        centroid = Centroid(vector_of(row["centroid"]), row["centroid_count"])
    return SegmentSoFar(row["exchanges"], row["project"], ended, centroid)


async def turns_of(connection: aiosqlite.Connection, rows: Sequence[aiosqlite.Row]) -> list[Turn]:
    """Return the turns of some `episode` rows with their tools."""
    tools = await calls_of(connection, (row["id"] for row in rows))
    return [
        Turn(
            id=TurnId(row["id"]),
            session=SessionId(row["session_id"]),
            seq=row["seq"],
            role=Role(row["role"]),
            text=row["text"],
            at=row["at"],
            until=row["until"],
            project=row["project"],
            failed_tools=row["failed_tools"],
            tools=tuple(tools.get(row["id"], ())),
        )
        for row in rows
    ]
