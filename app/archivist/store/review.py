"""Lessons under review: read, change state, edit, and take it back."""

import json
from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.knowledge import Evidence, Lesson, LessonCounts, LessonId, LessonState
from archivist.domain.lessons import normal_form
from archivist.domain.review import Wording
from archivist.domain.turns import SegmentId, TurnId
from archivist.store.commands import log_command
from archivist.store.database import Database

LIST: Final = """
select l.*, r.reason from lesson l
left join rejection r on l.state = 'rejected' and r.norm = l.norm and r.project = l.project
where (? is null or l.state = ?) order by l.id
"""
BY_ID: Final = """
select l.*, r.reason from lesson l
left join rejection r on l.state = 'rejected' and r.norm = l.norm and r.project = l.project
where l.id in (select value from json_each(?)) order by l.id
"""
WORDINGS: Final = """
select id, text, project from lesson where state = ? order by id
"""
COUNTS: Final = """
select state, count(*), max(made_at) from lesson group by state
"""
EVIDENCE: Final = """
select v.lesson_id, v.episode_id, v.quote, s.native_id, s.source, e.at, e.segment_id
from evidence v
join episode e on e.id = v.episode_id
join session s on s.id = e.session_id
where v.lesson_id in (select value from json_each(?))
order by v.lesson_id, e.at, v.episode_id
"""
SET_STATE: Final = """
update lesson set state = ?, changed_at = ? where id = ?
"""
STANDING: Final = """
select id, state, text from lesson where id in (select value from json_each(?))
"""
SET_TEXT: Final = """
update or ignore lesson set text = ?, norm = ?, changed_at = ? where id = ?
"""
ADD_REJECTION: Final = """
insert into rejection (norm, project, reason, at) values (?, ?, ?, ?)
on conflict (norm, project) do update set reason = excluded.reason
"""
DROP_REJECTION: Final = """
delete from rejection where norm = ? and project = ?
"""


class ReviewStore:
    """Each change and its command with the inverse are one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lessons(self, state: LessonState | None) -> list[Lesson]:
        """Return the lessons in a state, or all, with their evidence."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(LIST, (state, state)))
            return await _lessons(connection, rows)

    async def find(self, ids: Sequence[LessonId]) -> list[Lesson]:
        """Return the lessons with these ids; unknown ids are left out."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(BY_ID, (json.dumps(ids),)))
            return await _lessons(connection, rows)

    async def wordings(self, state: LessonState) -> list[Wording]:
        """Return only the words of the lessons in a state: there may be many."""
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(WORDINGS, (state,))
            return [Wording(LessonId(row[0]), row[1], row[2]) for row in rows]

    async def counts(self) -> LessonCounts:
        """Return how many lessons stand where."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(COUNTS))
        last = max((row[2] for row in rows), default=None)
        counts = {row[0]: row[1] for row in rows if row[0] != LessonState.RETIRED}
        return LessonCounts(**counts, last_found=last)

    async def set_state(
        self,
        lessons: Sequence[Lesson],
        state: LessonState,
        *,
        label: str,
        reason: str | None,
        caller: str | None,
        at: int,
    ) -> bool:
        """Move lessons to a state; rejecting also keeps the same words from coming back.

        False, and nothing is done, when one of them has another state or text by now.
        """
        before = [_standing(lesson.id, lesson.state, lesson.reason) for lesson in lessons]
        after = [_standing(lesson.id, state, reason) for lesson in lessons]
        async with self._database.write() as connection:
            ids = json.dumps([lesson.id for lesson in lessons])
            rows = await connection.execute_fetchall(STANDING, (ids,))
            if {tuple(row) for row in rows} != {(one.id, one.state, one.text) for one in lessons}:
                return False
            for lesson in lessons:
                await connection.execute(SET_STATE, (state, at, lesson.id))
                await _settle_rejection(connection, lesson, state, reason, at)
            await log_command(
                connection,
                name=f"lessons.{state}",
                label=label,
                inverse={"restore": before, "again": after},
                caller=caller,
                at=at,
            )
        return True

    async def edit(
        self, lesson: Lesson, text: str, *, label: str, caller: str | None, at: int
    ) -> bool:
        """Change a lesson's text; False when another lesson already says the same."""
        async with self._database.write() as connection:
            row = (text, normal_form(text), at, lesson.id)
            if (await connection.execute(SET_TEXT, row)).rowcount != 1:
                return False
            await log_command(
                connection,
                name="lessons.edit",
                label=label,
                inverse={
                    "restore": [{"id": lesson.id, "text": lesson.text}],
                    "again": [{"id": lesson.id, "text": text}],
                },
                caller=caller,
                at=at,
            )
        return True

    async def restore(self, before: Sequence[dict[str, object]], *, at: int) -> None:
        """Bring lessons back to what a command's inverse says."""
        ids = [LessonId(int(str(item["id"]))) for item in before]
        lessons = {lesson.id: lesson for lesson in await self.find(ids)}
        async with self._database.write() as connection:
            for ident, item in zip(ids, before, strict=True):
                if ident not in lessons:
                    continue
                if "text" in item:
                    text = str(item["text"])
                    await connection.execute(SET_TEXT, (text, normal_form(text), at, ident))
                if "state" in item:
                    state = LessonState(str(item["state"]))
                    await connection.execute(SET_STATE, (state, at, ident))
                    reason = item.get("reason")  # none in what older versions wrote
                    said = None if reason is None else str(reason)
                    await _settle_rejection(connection, lessons[ident], state, said, at)


def _standing(lesson: LessonId, state: LessonState, reason: str | None) -> dict[str, object]:
    return {"id": lesson, "state": state, "reason": reason}


async def _settle_rejection(
    connection: aiosqlite.Connection,
    lesson: Lesson,
    state: LessonState,
    reason: str | None,
    at: int,
) -> None:
    """Keep the never-again list in step; both wordings of an edited lesson count."""
    for norm in {normal_form(lesson.text), normal_form(lesson.said)}:
        if state is LessonState.REJECTED:
            await connection.execute(ADD_REJECTION, (norm, lesson.project, reason, at))
        else:
            await connection.execute(DROP_REJECTION, (norm, lesson.project))


async def _lessons(connection: aiosqlite.Connection, rows: Sequence[aiosqlite.Row]) -> list[Lesson]:
    ids = json.dumps([row["id"] for row in rows])
    evidence: dict[int, list[Evidence]] = {}
    for lesson, turn, quote, session, source, at, segment in await connection.execute_fetchall(
        EVIDENCE, (ids,)
    ):
        place = None if segment is None else SegmentId(segment)
        item = Evidence(TurnId(turn), session, quote, source, at, place)
        evidence.setdefault(lesson, []).append(item)
    return [
        Lesson(
            id=LessonId(row["id"]),
            category=row["category"],
            kind=row["kind"],
            text=row["text"],
            said=row["said"],
            scope=row["scope"],
            project=row["project"],
            state=LessonState(row["state"]),
            confidence=row["confidence"],
            lang=row["lang"],
            correction=bool(row["correction"]),
            untrusted=bool(row["untrusted"]),
            evidence=tuple(evidence.get(row["id"], ())),
            reason=row["reason"],
        )
        for row in rows
    ]
