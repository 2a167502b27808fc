"""The list of segments: ids in order, the rows of a page, counts, and the content of one."""

import asyncio
import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import aiosqlite

from archivist.domain.knowledge import LessonId, LessonState
from archivist.domain.segment_list import (
    MOST_HITS,
    LessonOf,
    ListedSegment,
    Narrowing,
    Order,
    ReadTurn,
    SegmentContent,
    SegmentCounts,
    SegmentHit,
    session_of_unfiled,
)
from archivist.domain.turns import SegmentId, SessionId, TurnId
from archivist.store.database import Database
from archivist.store.segment_search import (
    BY_TIME,
    HITS,
    HITS_BY,
    IDS,
    IS_MANY,
    LOOSE_IDS,
    NARROWED_HITS,
    narrowing_values,
)
from archivist.store.segments import turns_of
from archivist.store.unfiled import (
    LOOSE,
    NEWEST,
    SESSION,
    open_session,
    rows_of,
    unfiled_turns,
)

ROWS: Final = """
select g.id, s.source, g.project, g.state, g.reason, g.start_at as start,
  case when g.state = 'open' then nullif(max(coalesce(g.end_at, 0), coalesce((
    select max(max(coalesce(until, 0), coalesce(at, 0))) from episode
    where session_id = g.session_id and segment_id is null), 0)), 0) else g.end_at end as "end",
  (select count(*) from episode where segment_id = g.id)
    + case when g.state = 'open' then (select count(*) from episode
      where session_id = g.session_id and segment_id is null) else 0 end as turns,
  (select substr(text, 1, 400) from episode
    where segment_id = g.id and role = 'user' and trim(text) <> '' order by seq limit 1) as prompt,
  substr(r.text, 1, 400) as recap, r.maker,
  (select count(distinct l.id) from episode e
    join evidence v on v.episode_id = e.id
    join lesson l on l.id = v.lesson_id
    where e.segment_id = g.id and l.state not in ('rejected', 'retired')) as lessons,
  (select group_concat(j.stage || ': ' || j.trouble, '; ') from job j
    where j.segment_id = g.id and j.state in ('failed', 'waiting') and j.trouble is not null)
    as trouble
from json_each(?) w
join segment g on g.id = w.value
join session s on s.id = g.session_id
left join recap r on r.segment_id = g.id
order by w.key
"""
TEXTS: Final = """
select e.id, substr(e.text, 1, 20000) || coalesce(char(10) || (
  select group_concat(t.name || ' ' || substr(t.arguments, 1, 400), ' ')
  from tool_call t where t.episode_id = e.id), '')
from episode e where e.id in (select value from json_each(?))
"""
COUNTS: Final = f"""
select count(*), coalesce(sum(start_at >= :today), 0), coalesce(sum(start_at >= :week), 0),
  coalesce(sum(state = 'open'), 0),
  (select count(distinct e.segment_id) from evidence v
    join lesson l on l.id = v.lesson_id
    join episode e on e.id = v.episode_id
    where l.state not in ('rejected', 'retired'))
from (select start_at, state from segment union all select start_at, state from ({LOOSE}))
"""  # noqa: S608 - the same
PROJECTS: Final = f"""
select project, count(*)
from (select start_at, project from segment union all select start_at, project from ({LOOSE}))
where project is not null
group by project order by max(start_at) desc, project
"""  # noqa: S608 - the same
SOURCES: Final = """
select distinct source from session order by source
"""
ONE: Final = """
select s.native_id, s.parent, s.relation, r.text as recap, f.path,
  (select count(*) from event where segment_id = g.id) as events
from segment g
join session s on s.id = g.session_id
left join source_file f on f.id = s.file_id
left join recap r on r.segment_id = g.id
where g.id = ?
"""
TURNS: Final = """
select * from episode where segment_id = ? order by seq
"""
LESSONS: Final = """
select distinct l.id, l.text, l.state from episode e
join evidence v on v.episode_id = e.id
join lesson l on l.id = v.lesson_id
where e.segment_id = ? order by l.id
"""
_TITLE: Final = 200


class SegmentListStore:
    """Read-only questions of the segment browser."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ids(self, narrowing: Narrowing, *, order: Order) -> list[SegmentId]:
        """Return the segments that pass the filters, in order."""
        by = BY_TIME.get(order, BY_TIME[Order.NEWEST])
        async with self._database.read() as connection:
            values = narrowing_values(narrowing)
            rows = list(await connection.execute_fetchall(f"{IDS} {by}", values))
            loose = list(await connection.execute_fetchall(f"{LOOSE_IDS} {by}", values))
        return [SegmentId(row[0]) for row in _merged(rows, loose, order)]

    async def hits(self, match: str, narrowing: Narrowing, *, order: Order) -> list[SegmentHit]:
        """Return the segments with turns that match an FTS5 expression, in order.

        Where more turns match than are looked up, the hits together have `MOST_HITS` turns.
        """
        values = {**narrowing_values(narrowing), "match": match, "pool": MOST_HITS}
        async with self._database.read() as connection:
            try:
                asked = await _asked(connection, narrowing, values)
                rows = await connection.execute_fetchall(f"{asked} {HITS_BY[order]}", values)
            except asyncio.CancelledError:
                await connection.interrupt()  # typing went on: nobody waits for this any more
                raise
        return [SegmentHit(SegmentId(row[0]), TurnId(row[1]), row[2]) for row in rows]

    async def rows(self, segments: Sequence[SegmentId]) -> list[ListedSegment]:
        """Return the rows of these segments, in their order; those that are gone are left out."""
        async with self._database.read() as connection:
            return await _rows(connection, segments)

    async def texts(self, turns: Iterable[TurnId]) -> Mapping[TurnId, str]:
        """Return the beginnings of turns with what their tools were asked."""
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(TEXTS, (json.dumps(sorted(turns)),))
            return {TurnId(row[0]): str(row[1]) for row in rows}

    async def counts(self, *, today: int, week: int) -> SegmentCounts:
        """Return the numbers beside the list; `today` and `week` are when those began."""
        async with self._database.read() as connection:
            values = {"today": today, "week": week}
            (row,) = await connection.execute_fetchall(COUNTS, values)
            projects = {p[0]: p[1] for p in await connection.execute_fetchall(PROJECTS)}
            sources = tuple(s[0] for s in await connection.execute_fetchall(SOURCES))
        all_of_them, since_midnight, this_week, still_open, with_lessons = row
        return SegmentCounts(
            all=all_of_them,
            today=since_midnight,
            week=this_week,
            open=still_open,
            with_lessons=with_lessons,
            projects=projects,
            sources=sources,
        )

    async def content(self, segment: SegmentId) -> SegmentContent | None:
        """Return all of one segment, None for an unknown id."""
        async with self._database.read() as connection:
            rows = await _rows(connection, [segment])
            one = await _one(connection, segment)
            if not rows or one is None:
                return None
            session = session_of_unfiled(segment) or await open_session(connection, segment)
            filed = list(await connection.execute_fetchall(TURNS, (segment,)))
            unfiled = await unfiled_turns(connection, session) if session is not None else []
            return SegmentContent(
                row=rows[0],
                session=_session(one),
                recap=one["recap"],
                turns=await _read_turns(connection, [*filed, *unfiled]),
                lessons=await _lessons(connection, segment),
                events=one["events"],
                file=one["path"],
                unfiled=len(unfiled),
            )

    async def file(self, segment: SegmentId) -> str | None:
        """Return the transcript that a segment was read from, as recorded."""
        async with self._database.read() as connection:
            one = await _one(connection, segment)
        return one["path"] if one is not None else None

    async def newest(self, session: SessionId) -> SegmentId | None:
        """Return the segment of a session that was opened last."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(NEWEST, (session,)))
        return SegmentId(rows[0][0]) if rows else None


async def _asked(
    connection: aiosqlite.Connection, narrowing: Narrowing, values: Mapping[str, object]
) -> str:
    """Return the question that is quick: few hits are filtered, of many only those that pass."""
    if narrowing == Narrowing():
        return HITS
    ((is_many,),) = await connection.execute_fetchall(IS_MANY, dict(values))
    return NARROWED_HITS if is_many else HITS


def _merged(
    rows: Sequence[aiosqlite.Row], loose: Sequence[aiosqlite.Row], order: Order
) -> Iterable[aiosqlite.Row]:
    """Return two lists that are sorted by time as one; what has no time comes last."""
    is_oldest = order is Order.OLDEST
    nowhen = float("inf") if is_oldest else float("-inf")

    def when(row: aiosqlite.Row) -> float:
        return nowhen if row[1] is None else row[1]

    return heapq.merge(rows, loose, key=when, reverse=not is_oldest) if loose else rows


async def _rows(
    connection: aiosqlite.Connection, segments: Sequence[SegmentId]
) -> list[ListedSegment]:
    loose = await rows_of(connection, segments)
    rows = await connection.execute_fetchall(ROWS, (json.dumps(segments),))
    known = loose | {row["id"]: row for row in rows}
    return [_listed(known[segment]) for segment in segments if segment in known]


def _listed(row: aiosqlite.Row) -> ListedSegment:
    return ListedSegment(
        id=SegmentId(row["id"]),
        source=row["source"],
        project=row["project"],
        state=row["state"],
        reason=row["reason"],
        start=row["start"],
        end=row["end"],
        turns=row["turns"],
        title=_first_line(row["prompt"]) or _first_line(row["recap"]),
        maker=row["maker"],
        lessons=row["lessons"],
        trouble=row["trouble"],
    )


async def _one(connection: aiosqlite.Connection, segment: SegmentId) -> aiosqlite.Row | None:
    session = session_of_unfiled(segment)
    query, ident = (ONE, segment) if session is None else (SESSION, session)
    rows = list(await connection.execute_fetchall(query, (ident,)))
    return rows[0] if rows else None


def _first_line(text: str | None) -> str:
    """Return the first line that says something."""
    for line in (text or "").split("\n"):
        flat = " ".join(line.split())
        if any(char.isalnum() for char in flat):
            return flat[:_TITLE]
    return " ".join((text or "").split())[:_TITLE]


def _session(one: aiosqlite.Row) -> str:
    is_agent = one["relation"] == "subagent" and one["parent"]
    return str(one["parent"] if is_agent else one["native_id"])


async def _read_turns(
    connection: aiosqlite.Connection, rows: Sequence[aiosqlite.Row]
) -> tuple[ReadTurn, ...]:
    return tuple(
        ReadTurn(
            turn,
            redacted=tuple(row["redacted"].split(", ")) if row["redacted"] else (),
            withheld=bool(row["withheld"]),
            model=row["model"],
        )
        for turn, row in zip(await turns_of(connection, rows), rows, strict=True)
    )


async def _lessons(connection: aiosqlite.Connection, segment: SegmentId) -> tuple[LessonOf, ...]:
    rows = await connection.execute_fetchall(LESSONS, (segment,))
    return tuple(LessonOf(LessonId(row[0]), row[1], LessonState(row[2])) for row in rows)
