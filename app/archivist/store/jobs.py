"""Take a due stage of a closed segment, renew its lease, give it back.

Taking is a compare-and-set in one transaction, so two processes never do the same job. A stage that
ends well is marked by `finish` inside the transaction that writes its result.
"""

import json
from collections.abc import Callable
from typing import Final

import aiosqlite

from archivist.domain.jobs import LEASE, NEEDS, Job, Stage, next_try
from archivist.domain.turns import SegmentId
from archivist.store.database import Database

_NEEDS: Final = json.dumps(NEEDS)

DUE: Final = """
select j.segment_id, j.stage, j.attempts, j.state, j.owner, j.lease_until from job j
where j.state in ('waiting', 'running') and (j.state = 'running' or j.next_try <= ?1)
  and not exists (
    select 1 from json_each(?2) m
    join job n on n.segment_id = j.segment_id and n.stage = m.value
    where m.key = j.stage and n.state in ('waiting', 'running'))
order by j.id limit 64
"""
TAKE: Final = """
update job set state = 'running', owner = ?, lease_until = ?, attempts = attempts + 1
where segment_id = ? and stage = ? and state = ? and owner is ?
"""
RENEW: Final = """
update job set lease_until = ?
where segment_id = ? and stage = ? and owner = ? and state = 'running'
"""
FINISH: Final = """
update job set state = 'done', owner = null, lease_until = null, trouble = ?
where segment_id = ? and stage = ? and owner = ? and state = 'running'
"""
GIVE_BACK: Final = """
update job set state = ?, owner = null, lease_until = null, next_try = ?, trouble = ?
where segment_id = ? and stage = ? and owner = ? and state = 'running'
"""
UNTRIED: Final = """
update job set state = 'waiting', owner = null, lease_until = null, attempts = attempts - 1
where segment_id = ? and stage = ? and owner = ? and state = 'running'
"""
ADD: Final = """
insert into job (segment_id, stage) values (?, ?) on conflict do nothing
"""
LEFT: Final = """
select coalesce(sum(state = 'waiting' and next_try <= ?), 0), coalesce(sum(state = 'running'), 0),
  coalesce(sum(state = 'waiting' and next_try > ?), 0), coalesce(sum(state = 'failed'), 0)
from job
"""


async def add_jobs(connection: aiosqlite.Connection, segment: SegmentId) -> None:
    """Write the stages of a segment that was just closed, in the transaction that closes it."""
    await connection.executemany(ADD, [(segment, stage) for stage in Stage])


async def finish(connection: aiosqlite.Connection, job: Job, *, note: str | None = None) -> bool:
    """Mark a job done; False when its lease was lost, then the result must not be written."""
    row = (note, job.segment, job.stage, job.owner)
    return (await connection.execute(FINISH, row)).rowcount == 1


class JobStore:
    """The queue of stages. `alive` tells whether another owner's process still runs."""

    def __init__(self, database: Database, *, owner: str, alive: Callable[[str], bool]) -> None:
        self._database = database
        self._owner = owner
        self._alive = alive

    async def take(self, *, now: int) -> Job | None:
        """Take the oldest due stage, None when nothing is due."""
        if not await self._anything_due(now):
            return None
        async with self._database.write() as connection:
            for row in await connection.execute_fetchall(DUE, (now, _NEEDS)):
                if row["state"] == "running" and not self._abandoned(
                    row["owner"], row["lease_until"], now
                ):
                    continue
                mine = (self._owner, now + LEASE, row["segment_id"], row["stage"])
                taken = await connection.execute(TAKE, (*mine, row["state"], row["owner"]))
                if taken.rowcount == 1:
                    stage = Stage(row["stage"])
                    return Job(
                        SegmentId(row["segment_id"]), stage, self._owner, row["attempts"] + 1
                    )
        return None

    async def _anything_due(self, now: int) -> bool:
        async with self._database.read() as connection:
            return bool(list(await connection.execute_fetchall(DUE, (now, _NEEDS))))

    def _abandoned(self, owner: str, lease_until: int, now: int) -> bool:
        return lease_until < now or not self._alive(owner)

    async def renew(self, job: Job, *, now: int) -> bool:
        """Keep a long job; False when it was taken over meanwhile."""
        async with self._database.write() as connection:
            row = (now + LEASE, job.segment, job.stage, job.owner)
            return (await connection.execute(RENEW, row)).rowcount == 1

    async def done(self, job: Job, *, note: str | None = None) -> None:
        """Mark a stage done that writes nothing."""
        async with self._database.write() as connection:
            await finish(connection, job, note=note)

    async def failed(self, job: Job, trouble: str, *, now: int) -> None:
        """Give a stage back for a later try, or for good after too many."""
        again = next_try(job.attempts, now=now)
        state = "failed" if again is None else "waiting"
        async with self._database.write() as connection:
            row = (state, again or 0, trouble, job.segment, job.stage, job.owner)
            await connection.execute(GIVE_BACK, row)

    async def give_back(self, job: Job) -> None:
        """Put a stage back that was not tried to its end; it does not count as a try."""
        async with self._database.write() as connection:
            await connection.execute(UNTRIED, (job.segment, job.stage, job.owner))

    async def left(self, *, now: int) -> tuple[int, int, int, int]:
        """Return how many stages are due, running, put off for later, and given up."""
        async with self._database.read() as connection:
            (row,) = await connection.execute_fetchall(LEFT, (now, now))
        return (int(row[0]), int(row[1]), int(row[2]), int(row[3]))
