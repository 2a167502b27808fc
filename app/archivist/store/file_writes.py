"""The record of what was written to memory files, with the whole file before and after."""

import json
from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.knowledge import LessonId
from archivist.domain.memory_file import fingerprint
from archivist.domain.proposals import (
    FileWrite,
    HunkId,
    HunkState,
    Note,
    PastWrite,
    Plan,
    WriteId,
    WriteState,
    WrittenBullet,
)
from archivist.store.commands import log_command
from archivist.store.database import Database
from archivist.store.proposals import SET_STATE, end_if_decided, move_base, reopen_hunks

FIND: Final = """
select * from file_write where id = ?
"""
LIST: Final = """
select * from file_write
where state in (select value from json_each(?)) and (? is null or path = ?)
order by id desc limit ?
"""
PAST: Final = """
select id, path, state, before_sha, after_sha, hunks, coalesce(written_at, planned_at) as at
from file_write
where state in (select value from json_each(?)) and (? is null or path = ?)
order by id desc limit ?
"""
PLAN: Final = """
insert into file_write (proposal_id, path, before, after, before_sha, after_sha, hunks, planned_at)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""
FORGET: Final = """
delete from file_write where id = ? and state = 'planned'
"""
WRITTEN: Final = """
update file_write set state = 'written', written_at = ? where id = ? and state = 'planned'
returning *
"""
MARK: Final = """
update file_write set state = ? where id = ? and state in ('written', 'undoing')
"""
BULLETS: Final = """
select w.id, h.added, h.lessons
from file_write w, json_each(w.hunks) j join hunk h on h.id = j.value
where w.path = ? and w.state = 'written'
order by w.id, h.id
"""
REFIT: Final = """
update file_write set before = ?, after = ?, before_sha = ?, after_sha = ?
where id = ? and state = 'written'
"""
UNDONE: Final = """
update file_write set state = 'undone' where id = ? and state = 'undoing' returning *
"""
UNDO_COMMAND: Final = """
update command set undone_at = ?
where name = 'memory.apply' and json_extract(inverse, '$.write') = ? and undone_at is null
"""


class WriteStore:
    """Each step of a write is one transaction: a crash leaves a step that can be settled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, write: WriteId) -> FileWrite | None:
        """Return one write."""
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(FIND, (write,))
            return next((_write(row) for row in rows), None)

    async def writes(
        self, states: Sequence[WriteState], *, path: str | None = None, limit: int | None = None
    ) -> list[FileWrite]:
        """Return the writes in these states, newest first."""
        values = (json.dumps(states), path, path, -1 if limit is None else limit)
        async with self._database.read() as connection:
            return [_write(row) for row in await connection.execute_fetchall(LIST, values)]

    async def past(
        self, states: Sequence[WriteState], *, path: str | None = None, limit: int
    ) -> list[PastWrite]:
        """Return the writes in these states without their contents, newest first."""
        values = (json.dumps(states), path, path, limit)
        async with self._database.read() as connection:
            return [_past(row) for row in await connection.execute_fetchall(PAST, values)]

    async def bullets(self, path: str) -> list[WrittenBullet]:
        """Return what the standing writes of a file added, oldest first."""
        async with self._database.read() as connection:
            return [
                WrittenBullet(WriteId(row["id"]), row["added"], _lessons(row["lessons"]))
                for row in await connection.execute_fetchall(BULLETS, (path,))
            ]

    async def plan(self, plan: Plan, *, at: int) -> WriteId:
        """Note what is about to be written."""
        shas = (fingerprint(plan.before), fingerprint(plan.after))
        values = (plan.proposal, plan.path, plan.before, plan.after, *shas, json.dumps(plan.hunks))
        async with self._database.write() as connection:
            return WriteId((await connection.execute(PLAN, (*values, at))).lastrowid or 0)

    async def forget(self, write: WriteId) -> None:
        """Take back a plan that did not happen."""
        async with self._database.write() as connection:
            await connection.execute(FORGET, (write,))

    async def record_written(self, write: WriteId, *, note: Note) -> None:
        """Note that a planned write happened: its hunks are written, and it can be undone."""
        async with self._database.write() as connection:
            row = await _only(connection, WRITTEN, (note.at, write))
            if row is None:
                return
            states = (HunkState.WRITTEN, row["hunks"], HunkState.OPEN)
            await connection.execute(SET_STATE, states)
            await move_base(connection, row["proposal_id"], row["after"])
            await end_if_decided(connection, row["proposal_id"])
            await log_command(
                connection,
                name="memory.apply",
                label=note.label,
                inverse={"write": write, "again": json.loads(row["hunks"])},
                caller=note.caller,
                at=note.at,
            )

    async def mark(self, write: WriteId, state: WriteState) -> None:
        """Note that a write is being taken back, or that this did not happen."""
        async with self._database.write() as connection:
            await connection.execute(MARK, (state, write))

    async def refit(self, write: WriteId, *, before: bytes | None, after: bytes) -> None:
        """Let a write say what the file is with and without it now that a person edited it."""
        values = (before, after, fingerprint(before), fingerprint(after), write)
        async with self._database.write() as connection:
            await connection.execute(REFIT, values)

    async def record_undone(self, write: WriteId, *, now: bytes | None, at: int) -> None:
        """Note that a write was taken back, and what the file holds by now.

        Its hunks wait again, its command is undone.
        """
        async with self._database.write() as connection:
            row = await _only(connection, UNDONE, (write,))
            if row is None:
                return
            await reopen_hunks(connection, json.loads(row["hunks"]), HunkState.WRITTEN)
            await move_base(connection, row["proposal_id"], now)
            await connection.execute(UNDO_COMMAND, (at, write))


async def _only(
    connection: aiosqlite.Connection, statement: str, values: Sequence[object]
) -> aiosqlite.Row | None:
    return next(iter(await connection.execute_fetchall(statement, values)), None)


def _lessons(numbers: str) -> tuple[LessonId, ...]:
    return tuple(LessonId(number) for number in json.loads(numbers))


def _hunks(numbers: str) -> tuple[HunkId, ...]:
    return tuple(HunkId(number) for number in json.loads(numbers))


def _past(row: aiosqlite.Row) -> PastWrite:
    return PastWrite(
        id=WriteId(row["id"]),
        path=row["path"],
        state=WriteState(row["state"]),
        before_sha=row["before_sha"],
        after_sha=row["after_sha"],
        hunks=_hunks(row["hunks"]),
        at=row["at"],
    )


def _write(row: aiosqlite.Row) -> FileWrite:
    return FileWrite(
        id=WriteId(row["id"]),
        path=row["path"],
        state=WriteState(row["state"]),
        before=row["before"],
        after=row["after"],
        hunks=_hunks(row["hunks"]),
        planned_at=row["planned_at"],
        written_at=row["written_at"],
    )
