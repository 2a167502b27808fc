"""The open proposal of each memory file, with its hunks."""

import json
from collections.abc import Sequence
from typing import Final

import aiosqlite

from archivist.domain.knowledge import LessonId
from archivist.domain.memory_file import Hunk, fingerprint
from archivist.domain.proposals import (
    HunkId,
    HunkState,
    Note,
    Proposal,
    ProposalId,
    StoredHunk,
    Target,
    TargetId,
    in_order,
)
from archivist.store.commands import log_command
from archivist.store.database import Database

OPEN: Final = """
select p.id, p.base, p.made_at, t.id as target_id, t.path, t.project, t.enabled_at
from proposal p join memory_target t on t.id = p.target_id
where p.state = 'open' and t.disabled_at is null
order by t.path
"""
HUNKS: Final = """
select * from hunk where proposal_id in (select value from json_each(?)) order by proposal_id, seq
"""
KNOWN: Final = """
select h.id, h.heading, h.added, h.removed, h.state
from hunk h join proposal p on p.id = h.proposal_id
where p.target_id = ?
"""
OPEN_OF: Final = """
select id from proposal where target_id = ? and state = 'open'
"""
BEGIN: Final = """
insert into proposal (target_id, base, base_sha, made_at) values (?, ?, ?, ?)
"""
SET_BASE: Final = """
update proposal set base = ?, base_sha = ? where id = ?
"""
MOVE_BASE: Final = """
update proposal set base = ?, base_sha = ?
where state = 'open' and target_id = (select target_id from proposal where id = ?)
"""
ADD_HUNK: Final = """
insert into hunk (proposal_id, seq, heading, removed, added, lessons, preselected)
values (?, (select coalesce(max(seq), 0) + 1 from hunk where proposal_id = ?), ?, ?, ?, ?, ?)
"""
UPDATE_HUNK: Final = """
update hunk set lessons = ?, preselected = ? where id = ?
"""
# A hunk that is just being written is not taken away under the writer's hands.
DROP_HUNK: Final = """
delete from hunk where id = ? and state = 'open' and id not in (
  select j.value from file_write w, json_each(w.hunks) j where w.state = 'planned'
)
"""
END: Final = """
update proposal set state = iif(
  exists (select 1 from hunk where proposal_id = proposal.id and state = 'written'),
  'applied', 'withdrawn'
)
where id = ? and state = 'open'
  and not exists (select 1 from hunk where proposal_id = proposal.id and state = 'open')
"""
SET_STATE: Final = """
update hunk set state = ? where id in (select value from json_each(?)) and state = ?
"""
OWNERS: Final = """
select distinct h.proposal_id, p.target_id from hunk h join proposal p on p.id = h.proposal_id
where h.id in (select value from json_each(?))
"""
REOPEN: Final = """
update proposal set state = 'open' where id = ?
"""
MOVE: Final = """
update hunk set proposal_id = ?, seq = seq + (select max(seq) from hunk where proposal_id = ?)
where proposal_id = ? and id in (select value from json_each(?))
"""


class ProposalStore:
    """At most one proposal a file is open; one without open hunks is applied or withdrawn."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def proposals(self) -> list[Proposal]:
        """Return the open proposals of enabled files, with all their hunks."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(OPEN))
            ids = json.dumps([row["id"] for row in rows])
            hunks: dict[int, list[StoredHunk]] = {}
            for row in await connection.execute_fetchall(HUNKS, (ids,)):
                hunks.setdefault(row["proposal_id"], []).append(_hunk(row))
        return [_proposal(row, hunks.get(row["id"], [])) for row in rows]

    async def refresh(
        self, target: TargetId, base: bytes | None, hunks: Sequence[Hunk], *, at: int
    ) -> None:
        """Make the open proposal say exactly these hunks.

        The same words keep their number; what was once written or rejected does not come back,
        but as the new wording of a bullet that stands.
        """
        async with self._database.write() as connection:
            rows = list(await connection.execute_fetchall(KNOWN, (target,)))
            waiting = {_words(row): row for row in rows if row["state"] == HunkState.OPEN}
            wanted = {
                (hunk.heading, hunk.removed, hunk.added): hunk
                for hunk in hunks
                if not _is_settled(hunk, rows)
            }
            fresh = [hunk for words, hunk in wanted.items() if words not in waiting]
            proposal = await _open_of(connection, target)
            if proposal is None and fresh:
                opened = (target, base, fingerprint(base), at)
                proposal = (await connection.execute(BEGIN, opened)).lastrowid
            if proposal is None:
                return
            for words, row in waiting.items():
                await _keep_or_drop(connection, row, wanted.get(words))
            for hunk in fresh:
                what = (hunk.heading, hunk.removed, hunk.added)
                values = (json.dumps(hunk.lessons), hunk.preselected)
                await connection.execute(ADD_HUNK, (proposal, proposal, *what, *values))
            await connection.execute(SET_BASE, (base, fingerprint(base), proposal))
            await connection.execute(END, (proposal,))

    async def reject(self, hunks: Sequence[HunkId], *, note: Note) -> None:
        """Reject open hunks and log it."""
        ids = json.dumps(hunks)
        async with self._database.write() as connection:
            await connection.execute(SET_STATE, (HunkState.REJECTED, ids, HunkState.OPEN))
            for row in list(await connection.execute_fetchall(OWNERS, (ids,))):
                await connection.execute(END, (row["proposal_id"],))
            await log_command(
                connection,
                name="memory.reject",
                label=note.label,
                inverse={"hunks": list(hunks)},
                caller=note.caller,
                at=note.at,
            )

    async def reopen(self, hunks: Sequence[HunkId]) -> None:
        """Bring rejected hunks back."""
        async with self._database.write() as connection:
            await reopen_hunks(connection, hunks, HunkState.REJECTED)


async def reopen_hunks(
    connection: aiosqlite.Connection, hunks: Sequence[HunkId], state: HunkState
) -> None:
    """Let hunks in a state wait again, in the open proposal of their file."""
    ids = json.dumps(hunks)
    await connection.execute(SET_STATE, (HunkState.OPEN, ids, state))
    for row in list(await connection.execute_fetchall(OWNERS, (ids,))):
        owner = row["proposal_id"]
        there = await _open_of(connection, row["target_id"])
        if there is None:
            await connection.execute(REOPEN, (owner,))
        elif there != owner:
            await connection.execute(MOVE, (there, there, owner, ids))


async def move_base(connection: aiosqlite.Connection, proposal: int, base: bytes | None) -> None:
    """Note what the file of a proposal holds by now, for the proposal of it that is open."""
    await connection.execute(MOVE_BASE, (base, fingerprint(base), proposal))


async def end_if_decided(connection: aiosqlite.Connection, proposal: int) -> None:
    """Close a proposal in which no hunk waits any more."""
    await connection.execute(END, (proposal,))


async def _open_of(connection: aiosqlite.Connection, target: int) -> int | None:
    rows = await connection.execute_fetchall(OPEN_OF, (target,))
    return next((int(row["id"]) for row in rows), None)


def _words(row: aiosqlite.Row) -> tuple[str, str, str]:
    return row["heading"], row["removed"], row["added"]


def _is_settled(hunk: Hunk, rows: Sequence[aiosqlite.Row]) -> bool:
    """Tell whether a person decided on these words before.

    A new wording of a bullet that stands may have stood there once already.
    """
    same = (r for r in rows if (r["heading"], r["added"]) == (hunk.heading, hunk.added))
    decided = {HunkState.REJECTED} if hunk.removed else {HunkState.REJECTED, HunkState.WRITTEN}
    return any(row["state"] in decided for row in same)


async def _keep_or_drop(
    connection: aiosqlite.Connection, row: aiosqlite.Row, wanted: Hunk | None
) -> None:
    """Bring an open hunk up to date, or take it away when nobody wants it any more."""
    if wanted is None:
        await connection.execute(DROP_HUNK, (row["id"],))
    else:
        values = (json.dumps(wanted.lessons), wanted.preselected, row["id"])
        await connection.execute(UPDATE_HUNK, values)


def _hunk(row: aiosqlite.Row) -> StoredHunk:
    hunk = Hunk(
        heading=row["heading"],
        added=row["added"],
        lessons=tuple(LessonId(number) for number in json.loads(row["lessons"])),
        preselected=bool(row["preselected"]),
        removed=row["removed"],
    )
    return StoredHunk(HunkId(row["id"]), hunk, HunkState(row["state"]))


def _proposal(row: aiosqlite.Row, hunks: Sequence[StoredHunk]) -> Proposal:
    target = Target(TargetId(row["target_id"]), row["path"], row["project"], row["enabled_at"])
    return Proposal(ProposalId(row["id"]), target, row["base"], row["made_at"], in_order(hunks))
