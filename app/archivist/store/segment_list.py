"""The list of segments: ids in order, the rows of a page, counts, and the content of one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import aiosqlite

from archivist.domain.knowledge import LessonId, LessonState
from archivist.domain.segment_list import (
    LessonOf,
    ListedSegment,
    Narrowing,
    Order,
    ReadTurn,
    SegmentContent,
    SegmentCounts,
    SegmentHit,
)
from archivist.domain.turns import SegmentId, TurnId
from archivist.store.database import Database
from archivist.store.segments import turns_of

_NARROWED: Final = """
  (:source is null or g.session_id in (
    select id from session where source = :source or source like :sources escape '~'))
  and (:project is null or g.project = :project
    or g.project like :folder escape '~' or g.project like :windows escape '~')
  and (:after is null or g.start_at >= :after)
  and (:before is null or g.start_at < :before)
  and (:is_open is null or (g.state = 'open') = :is_open)
  and (not :has_lessons or g.id in (
    select e.segment_id from evidence v
    join lesson l on l.id = v.lesson_id
    join episode e on e.id = v.episode_id
    where l.state not in ('rejected', 'retired')))
"""
IDS: Final = f"""
select g.id from segment g
where {_NARROWED}
"""  # noqa: S608 - one constant inside another
BY_TIME: Final = {
    Order.NEWEST: "order by g.start_at desc, g.id desc",
    Order.OLDEST: "order by g.start_at is null, g.start_at, g.id",
}
HITS: Final = f"""
select g.id, h.turn, h.turns, h.score
from (select e.segment_id as segment, e.id as turn, count(*) as turns, min(f.score) as score
      from (select rowid, bm25(episode_fts, 1.0, 0.4) as score from episode_fts
            where episode_fts match :match order by score limit :pool) f
      join episode e on e.id = f.rowid
      where e.segment_id is not null
      group by e.segment_id) h
join segment g on g.id = h.segment
where {_NARROWED}
"""  # noqa: S608 - the same
BY_SCORE: Final = "order by h.score, g.start_at desc, g.id"
ROWS: Final = """
select g.id, s.source, g.project, g.state, g.reason, g.start_at as start, g.end_at as "end",
  (select count(*) from episode where segment_id = g.id) as turns,
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
COUNTS: Final = """
select count(*), coalesce(sum(start_at >= :today), 0), coalesce(sum(start_at >= :week), 0),
  coalesce(sum(state = 'open'), 0),
  (select count(distinct e.segment_id) from evidence v
    join lesson l on l.id = v.lesson_id
    join episode e on e.id = v.episode_id
    where l.state not in ('rejected', 'retired'))
from segment
"""
PROJECTS: Final = """
select project, count(*) from segment where project is not null
group by project order by max(start_at) desc, project
"""
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
_POOL: Final = 2_000
"""Without filters the best hits of the index are enough; with filters all of them are asked."""
_TITLE: Final = 200


class SegmentListStore:
    """Read-only questions of the segment browser."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ids(self, narrowing: Narrowing, *, order: Order) -> list[SegmentId]:
        """Return the segments that pass the filters, in order."""
        by = BY_TIME.get(order, BY_TIME[Order.NEWEST])
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(f"{IDS} {by}", _values(narrowing))
            return [SegmentId(row[0]) for row in rows]

    async def hits(self, match: str, narrowing: Narrowing, *, order: Order) -> list[SegmentHit]:
        """Return the segments with turns that match an FTS5 expression, in order."""
        pool = -1 if narrowing != Narrowing() else _POOL
        values = {**_values(narrowing), "match": match, "pool": pool}
        by = BY_TIME.get(order, BY_SCORE)
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(f"{HITS} {by}", values)
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
            if not rows:
                return None
            (one,) = await connection.execute_fetchall(ONE, (segment,))
            return SegmentContent(
                row=rows[0],
                session=_session(one),
                recap=one["recap"],
                turns=await _read_turns(connection, segment),
                lessons=await _lessons(connection, segment),
                events=one["events"],
                file=one["path"],
            )

    async def file(self, segment: SegmentId) -> str | None:
        """Return the transcript that a segment was read from, as recorded."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(ONE, (segment,)))
        return rows[0]["path"] if rows else None


def _values(narrowing: Narrowing) -> dict[str, object]:
    project, source = narrowing.project, narrowing.source
    return {
        "source": source,
        "sources": None if source is None else f"{_literal(source)}-%",
        "project": project,
        "folder": None if project is None else f"%/{_literal(project)}",
        "windows": None if project is None else f"%\\{_literal(project)}",
        "after": narrowing.after,
        "before": narrowing.before,
        "is_open": narrowing.is_open,
        "has_lessons": narrowing.has_lessons,
    }


def _literal(text: str) -> str:
    return text.replace("~", "~~").replace("%", "~%").replace("_", "~_")


async def _rows(
    connection: aiosqlite.Connection, segments: Sequence[SegmentId]
) -> list[ListedSegment]:
    rows = await connection.execute_fetchall(ROWS, (json.dumps(segments),))
    return [
        ListedSegment(
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
        for row in rows
    ]


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


async def _read_turns(connection: aiosqlite.Connection, segment: SegmentId) -> tuple[ReadTurn, ...]:
    rows = list(await connection.execute_fetchall(TURNS, (segment,)))
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
