"""What the stages write: recaps, vectors, events, facets and lessons.

Each write and the end of its job are one transaction: killed before, the stage runs again; killed
after, it never does. A job whose lease was lost writes nothing.
"""

from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.events import Event, EventKind
from archivist.domain.facets import FacetState, Observation, merge, observe
from archivist.domain.jobs import Job
from archivist.domain.knowledge import Recap
from archivist.domain.lessons import LessonDraft, normal_form
from archivist.domain.segments import Vector
from archivist.domain.turns import SegmentId, TurnId
from archivist.store.database import Database
from archivist.store.jobs import finish

PUT_RECAP: Final = """
insert into recap (segment_id, text, maker, note, made_at) values (?, ?, ?, ?, ?)
on conflict (segment_id) do update set text = excluded.text, maker = excluded.maker,
  note = excluded.note, made_at = excluded.made_at
"""
RECAPPED: Final = """
update segment set state = 'recapped' where id = ? and state = 'closed'
"""
GET_RECAP: Final = """
select text, maker, note from recap where segment_id = ?
"""
PUT_VECTOR: Final = """
insert into vector (owner, owner_id, model, dim, data) values ('recap', ?, ?, ?, ?)
on conflict (owner, owner_id, model) do update set dim = excluded.dim, data = excluded.data
"""
ADD_EVENT: Final = """
insert into event (segment_id, episode_id, kind, quote, adopted, cue, confidence, lang, at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
"""
EVENTS: Final = """
select v.*, e.project from event v join episode e on e.id = v.episode_id
where v.segment_id = ? order by v.id
"""
FACET: Final = """
select id, value, confidence, evidence_count, first_at, last_at, value_at from facet
where kind = ? and slot = ? and project = ?
"""
PUT_FACET: Final = """
insert into facet (kind, slot, project, value, confidence, evidence_count, first_at, last_at,
  value_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (kind, slot, project) do update set value = excluded.value,
  confidence = excluded.confidence, evidence_count = excluded.evidence_count,
  first_at = excluded.first_at, last_at = excluded.last_at, value_at = excluded.value_at
returning id
"""
ADD_VALUE: Final = """
insert into facet_value (facet_id, event_id, value, confidence, at) values (?, ?, ?, ?, ?)
on conflict do nothing
"""
REJECTED: Final = """
select 1 from rejection where norm = ? and project in (?, '')
"""
FIND_LESSON: Final = """
select id from lesson where norm = ? and project = ?
"""
ADD_LESSON: Final = """
insert into lesson (category, kind, text, said, norm, project, scope, correction, untrusted,
  confidence, lang, made_at, changed_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
ADD_EVIDENCE: Final = """
insert into evidence (lesson_id, episode_id, quote) values (?, ?, ?) on conflict do nothing
"""
STRENGTHEN: Final = """
update lesson set confidence = min(0.99, max(confidence, ?) + 0.05), changed_at = ? where id = ?
"""


class KnowledgeStore:
    """Writes the results of stages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save_recap(self, job: Job, recap: Recap, *, at: int) -> bool:
        """Write a segment's recap; False when the job was lost."""
        async with self._database.write() as connection:
            if not await finish(connection, job, note=recap.note):
                return False
            row = (job.segment, recap.text, recap.maker, recap.note, at)
            await connection.execute(PUT_RECAP, row)
            await connection.execute(RECAPPED, (job.segment,))
        return True

    async def recap(self, segment: SegmentId) -> Recap | None:
        """Return the recap of a segment."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(GET_RECAP, (segment,)))
        return Recap(*rows[0]) if rows else None

    async def save_vector(self, job: Job, vector: Vector, *, model: str) -> bool:
        """Write the vector of a segment's recap, half precision; False when the job was lost."""
        async with self._database.write() as connection:
            if not await finish(connection, job):
                return False
            blob = vector.astype("<f2").tobytes()
            await connection.execute(PUT_VECTOR, (job.segment, model, len(vector), blob))
        return True

    async def save_events(
        self, job: Job, events: Sequence[tuple[TurnId, int | None, Event]]
    ) -> int:
        """Write the events of a segment (turn, time, event); return how many were new."""
        async with self._database.write() as connection:
            if not await finish(connection, job):
                return 0
            new = 0
            for turn, at, event in events:
                said = (event.kind, event.quote, event.adopted, event.cue)
                row = (job.segment, turn, *said, event.confidence, event.lang, at)
                new += (await connection.execute(ADD_EVENT, row)).rowcount
        return new

    async def save_facets(self, job: Job) -> int:
        """Merge the segment's events into the profile; return how many were observed."""
        async with self._database.write() as connection:
            if not await finish(connection, job):
                return 0
            count = 0
            for row in await connection.execute_fetchall(EVENTS, (job.segment,)):
                seen = observe(_event(row))
                if seen is not None:
                    await _merge_facet(connection, row, seen)
                    count += 1
        return count

    async def save_lessons(
        self, job: Job, drafts: Sequence[LessonDraft], *, project: str | None, at: int
    ) -> int:
        """Write lessons with their evidence; return how many are new and wait for review."""
        async with self._database.write() as connection:
            if not await finish(connection, job):
                return 0
            new = 0
            for draft in drafts:
                where = (project or "") if draft.scope == "project" else ""
                new += await _put_lesson(connection, draft, where, at)
        return new


def _event(row: aiosqlite.Row) -> Event:
    quote = row["quote"]
    return Event(
        kind=EventKind(row["kind"]),
        quote=quote,
        start=0,
        end=len(quote),
        cue=row["cue"],
        confidence=row["confidence"],
        lang=row["lang"],
        adopted=row["adopted"],
    )


async def _merge_facet(
    connection: aiosqlite.Connection, row: aiosqlite.Row, seen: Observation
) -> None:
    project = row["project"] or ""
    found = list(await connection.execute_fetchall(FACET, (seen.kind, seen.slot, project)))
    known = FacetState(*list(found[0])[1:]) if found else None
    after = merge(known, seen, row["at"])
    times = (after.first_at, after.last_at, after.value_at)
    state = (after.value, after.confidence, after.evidence_count, *times)
    put = await connection.execute_fetchall(PUT_FACET, (seen.kind, seen.slot, project, *state))
    facet = next(iter(put))[0]
    value = (facet, row["id"], seen.value, seen.confidence, row["at"])
    await connection.execute(ADD_VALUE, value)


async def _put_lesson(
    connection: aiosqlite.Connection, draft: LessonDraft, project: str, at: int
) -> int:
    """Add a lesson, or evidence to the one that says the same; what was rejected stays away."""
    norm = normal_form(draft.text)
    if list(await connection.execute_fetchall(REJECTED, (norm, project))):
        return 0
    rows = list(await connection.execute_fetchall(FIND_LESSON, (norm, project)))
    if rows:
        lesson, new = int(rows[0][0]), 0
    else:
        what = (draft.category, draft.kind, draft.text, draft.text, norm, project, draft.scope)
        marks = (draft.correction, draft.untrusted, draft.confidence, draft.lang)
        added = await connection.execute(ADD_LESSON, (*what, *marks, at, at))
        lesson, new = int(added.lastrowid or 0), 1
    added = await connection.execute(ADD_EVIDENCE, (lesson, draft.turn, draft.quote))
    if not new and added.rowcount:
        await connection.execute(STRENGTHEN, (draft.confidence, at, lesson))
    return new
