"""What windows, the command line and doors read: segments, one segment, search, counts."""

from collections.abc import Mapping
from typing import Final

import aiosqlite

from archivist.domain.knowledge import EventRow, FacetRow, Found, SegmentRow
from archivist.domain.turns import SegmentId, TurnId
from archivist.domain.waiting import Waiting
from archivist.store.database import Database

SEGMENTS: Final = """
select g.id,
  case when s.relation = 'subagent' then coalesce(s.parent, s.native_id) else s.native_id end
    as session,
  s.source, g.project, g.state,
  coalesce(g.start_at, (select min(at) from episode where segment_id = g.id)) as start,
  g.end_at, (select count(*) from episode where segment_id = g.id) as turns,
  g.reason, r.text, r.maker,
  (select group_concat(j.stage || ': ' || j.trouble, '; ') from job j
    where j.segment_id = g.id and j.state in ('failed', 'waiting') and j.trouble is not null)
    as trouble
from segment g
join session s on s.id = g.session_id
left join recap r on r.segment_id = g.id
where (:segment is null or g.id = :segment) and (:maker is null or r.maker = :maker)
order by start, g.opened_at, g.id
"""
SEARCH: Final = """
select e.id, s.native_id, s.parent, s.relation, s.source, e.project, e.at, e.text, e.role,
  e.failed_tools, f.score
from (select rowid, bm25(episode_fts, 1.0, 0.4) as score from episode_fts
      where episode_fts match :match order by score limit :pool) f
join episode e on e.id = f.rowid
join session s on s.id = e.session_id
where (:source is null or s.source = :source)
  and (:project is null or e.project = :project)
  and (:maker is null or exists (select 1 from recap r
    where r.segment_id = e.segment_id and r.maker = :maker))
order by f.score limit :limit
"""
COUNTS: Final = """
select (select count(*) from episode) as turns, (select count(*) from segment) as segments,
  (select count(*) from lesson) as lessons,
  (select count(*) from lesson where state = 'waiting') as waiting,
  (select count(*) from proposal where state = 'open') as proposals
"""
WAITING: Final = """
select (select count(*) from lesson where state = 'waiting'),
  (select count(*) from hunk h join proposal p on p.id = h.proposal_id
    join memory_target t on t.id = p.target_id
    where h.state = 'open' and p.state = 'open' and t.disabled_at is null),
  (select count(*) from problem)
"""
PROJECTS: Final = """
select distinct project from episode where project is not null order by project
"""
EVENTS: Final = """
select v.id, v.kind, v.quote, v.episode_id, s.native_id, v.at, v.confidence, v.lang
from event v
join episode e on e.id = v.episode_id
join session s on s.id = e.session_id
where ?1 is null or v.segment_id = ?1 order by v.at, v.id
"""
FACETS: Final = """
select kind, slot, value, confidence, evidence_count, first_at, last_at, project
from facet order by project, kind, evidence_count desc, slot
"""
PROMPTS: Final = """
select text from (select id, text from episode where role = 'user' order by id desc limit ?)
order by id
"""
REDACTED: Final = """
select redacted, count(*) from episode where redacted is not null group by redacted
"""
OLD_FILES: Final = """
select count(*) from source_file where source = ? and gone_at is null
  and json_extract(cursor, '$.mtime_ns') / 1000000 < ?
"""
TOOL_TEXT: Final = """
select group_concat(name || ' ' || substr(arguments, 1, 400) || ' '
  || case when outcome in ('failed', 'rejected') then substr(output, 1, 400) else '' end, ' ')
from tool_call where episode_id = ?
"""
_POOL: Final = 2_000
"""Filters are applied to the best hits of the index only: this many bound the work."""


class BrowseStore:
    """Read-only questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def segments(
        self, segment: SegmentId | None = None, *, maker: str | None = None
    ) -> list[SegmentRow]:
        """Return the segments, oldest first; one, or those whose recap has that maker."""
        async with self._database.read() as connection:
            values = {"segment": segment, "maker": maker}
            rows = await connection.execute_fetchall(SEGMENTS, values)
            return [SegmentRow(SegmentId(row[0]), *list(row)[1:]) for row in rows]

    async def search(
        self,
        match: str,
        *,
        limit: int,
        source: str | None = None,
        project: str | None = None,
        maker: str | None = None,
    ) -> list[Found]:
        """Return the turns that match an FTS5 expression, best first; higher scores are better."""
        values = {"match": match, "limit": limit, "pool": max(_POOL, limit)}
        values |= {"source": source, "project": project, "maker": maker}
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(SEARCH, values))
            return [await self._found(connection, row) for row in rows]

    async def _found(self, connection: aiosqlite.Connection, row: aiosqlite.Row) -> Found:
        text = row["text"]
        (tools,) = await connection.execute_fetchall(TOOL_TEXT, (row["id"],))
        extra = " ".join(part for part in (row["failed_tools"], tools[0]) if part)
        is_agent = row["relation"] == "subagent" and row["parent"]
        return Found(
            turn=TurnId(row["id"]),
            session=row["parent"] if is_agent else row["native_id"],
            source=row["source"],
            project=row["project"],
            at=row["at"],
            role=row["role"],
            text=f"{text}\n{extra}" if extra else text,
            score=-row["score"],
        )

    async def counts(self) -> Mapping[str, int]:
        """Return the numbers of turns, segments, lessons, those waiting, and open proposals."""
        async with self._database.read() as connection:
            (row,) = await connection.execute_fetchall(COUNTS)
            return dict(zip(row.keys(), row, strict=True))

    async def waiting(self) -> Waiting:
        """Return how much waits for the person."""
        async with self._database.read() as connection:
            (row,) = await connection.execute_fetchall(WAITING)
            return Waiting(*row)

    async def unchanged_since(self, source: str, before: int) -> int:
        """Return how many transcripts of a source are on disk and last changed before a time."""
        async with self._database.read() as connection:
            (row,) = await connection.execute_fetchall(OLD_FILES, (source, before))
            return int(row[0])

    async def projects(self) -> list[str]:
        """Return the projects that turns belong to."""
        async with self._database.read() as connection:
            return [str(row[0]) for row in await connection.execute_fetchall(PROJECTS)]

    async def redactions(self) -> dict[str, int]:
        """Return how many turns had a secret of each kind taken out."""
        async with self._database.read() as connection:
            counts: dict[str, int] = {}
            for kinds, count in await connection.execute_fetchall(REDACTED):
                for kind in kinds.split(", "):
                    counts[kind] = counts.get(kind, 0) + count
        return counts

    async def prompts(self, *, limit: int) -> list[str]:
        """Return the texts of the newest user turns, oldest first."""
        async with self._database.read() as connection:
            return [str(row[0]) for row in await connection.execute_fetchall(PROMPTS, (limit,))]

    async def events(self, segment: SegmentId | None = None) -> list[EventRow]:
        """Return the events of a segment, or all, in the order they were said."""
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(EVENTS, (segment,))
            return [EventRow(*row) for row in rows]

    async def facets(self) -> list[FacetRow]:
        """Return the profile: what is held, by project and kind."""
        async with self._database.read() as connection:
            return [FacetRow(*row) for row in await connection.execute_fetchall(FACETS)]
