"""Sessions, turns and tool calls: written in one transaction with the cursor of their file.

A message key that is known in the same session may bring a longer text (a message that grew);
one that is known in another session is a copy and adds nothing. Where a fork was read before the
session it came from, that session takes its turns back.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Final, TypeAlias

import aiosqlite

from archivist.domain.intake import Intake, SourceState, StoredFile
from archivist.domain.transcripts import (
    Cursor,
    Relation,
    SessionSeen,
    Tally,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)
from archivist.domain.turns import failed_tools_line
from archivist.store.database import Database
from archivist.store.episode_index import reindex, remember

_Copy: TypeAlias = tuple[TurnSeen, aiosqlite.Row]
"""A turn, and the row of another session that holds it already."""

FILE: Final = """
select cursor, tally, trouble, unfinished from source_file where path = ?
"""
PUT_FILE: Final = """
insert into source_file (source, path, cursor, tally, read_at, unfinished, gone_at, trouble)
values (?, ?, ?, ?, ?, ?, null, null)
on conflict (path) do update set source = excluded.source, cursor = excluded.cursor,
  tally = excluded.tally, read_at = excluded.read_at, unfinished = excluded.unfinished,
  gone_at = null, trouble = null
returning id
"""
PUT_TROUBLE: Final = """
insert into source_file (source, path, trouble) values (?, ?, ?)
on conflict (path) do update set trouble = excluded.trouble, unfinished = 0,
  gone_at = case when ? then coalesce(gone_at, ?) else gone_at end
"""
PUT_SESSION: Final = """
insert into session (source, native_id, parent, relation, cwd, branch, title, started_at, file_id)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (source, native_id) do update set
  parent = coalesce(session.parent, excluded.parent),
  relation = coalesce(session.relation, excluded.relation),
  cwd = coalesce(session.cwd, excluded.cwd),
  branch = coalesce(session.branch, excluded.branch),
  title = coalesce(excluded.title, session.title),
  started_at = coalesce(session.started_at, excluded.started_at),
  file_id = excluded.file_id
"""
SESSION_IDS: Final = """
select id, native_id, relation from session
where source = ? and native_id in (select value from json_each(?))
"""
KNOWN: Final = """
select e.id, e.message_key, e.session_id, e.text, e.segment_id, s.relation, s.native_id
from episode e join session s on s.id = e.session_id
where e.message_key in (select value from json_each(?))
"""
NEXT: Final = """
select (select coalesce(max(id), 0) from episode) as id, s.value as session,
  (select coalesce(max(seq), 0) from episode where session_id = s.value) as seq
from json_each(?) as s
"""
ADD_TURN: Final = """
insert into episode (id, session_id, seq, role, at, until, text, project, branch, model,
  message_key, queued, redacted, withheld)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
TAKE_BACK: Final = """
update episode set session_id = ?, seq = ? where id = ?
"""
CAME_FROM: Final = """
update session set parent = ?, relation = coalesce(relation, 'resume')
where id = ? and parent is null
"""
REDACTED: Final = """
select id, redacted from episode where id in (select value from json_each(?))
"""
SET_REDACTED: Final = """
update episode set redacted = ? where id = ?
"""
PATHS: Final = """
select path from source_file where source = ? and gone_at is null
"""
GONE: Final = """
update source_file set gone_at = ?, unfinished = 0
where path in (select value from json_each(?)) and gone_at is null
"""
GROW_TURN: Final = """
update episode set text = ?, until = max(coalesce(until, 0), ?), redacted = ?, withheld = ?
where id = ?
"""
CALLS: Final = """
select count(*) from tool_call where episode_id = ?
"""
ADD_CALL: Final = """
insert into tool_call (episode_id, seq, call_key, name, arguments, at)
values (?, ?, ?, ?, ?, ?)
on conflict (episode_id, call_key) do nothing
"""
ANSWER: Final = """
update tool_call set outcome = ?, output = ? where episode_id = ? and call_key = ?
"""
UNTIL: Final = """
update episode set until = max(coalesce(until, 0), ?) where id = ?
"""
FAILED: Final = """
select episode_id, name from tool_call
where episode_id in (select value from json_each(?)) and outcome in ('failed', 'rejected')
order by episode_id, seq
"""
SET_FAILED: Final = """
update episode set failed_tools = ? where id = ?
"""
COUNTS: Final = """
select s.source, count(distinct s.id) as sessions,
  sum(e.role = 'user') as user, sum(e.role = 'assistant' and trim(e.text) <> '') as assistant
from episode e join session s on s.id = e.session_id
where s.relation is not 'subagent' group by s.source
"""
READS: Final = """
select source, max(read_at) as last_read, count(*) as files,
  sum(coalesce(json_extract(tally, '$.bad_lines'), 0)) as skipped
from source_file group by source
"""


class TranscriptStore:
    """Writes intakes and tells what is known of a file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def file(self, path: str) -> StoredFile | None:
        """Return what earlier reads left of a file, None for a file never read."""
        async with self._database.read() as connection:
            rows = list(await connection.execute_fetchall(FILE, (path,)))
        if not rows:
            return None
        cursor, tally, trouble, unfinished = rows[0]
        return StoredFile(
            Cursor(**json.loads(cursor)) if cursor else None,
            Tally(**json.loads(tally)) if tally else Tally(),
            trouble,
            bool(unfinished),
        )

    async def commit(self, intake: Intake) -> int:
        """Write one intake and its cursor; return how many turns were new."""
        async with self._database.write() as connection:
            return await write_intake(connection, intake)

    async def trouble(self, source: str, path: str, message: str, *, gone: bool, at: int) -> None:
        """Note why a file could not be read; `gone` when it is no longer there."""
        async with self._database.write() as connection:
            await connection.execute(PUT_TROUBLE, (source, path, message, gone, at))

    async def paths(self, source: str) -> list[str]:
        """Return the files of a source that were there when they were last looked at."""
        async with self._database.read() as connection:
            return [str(row[0]) for row in await connection.execute_fetchall(PATHS, (source,))]

    async def mark_gone(self, paths: Sequence[str], *, at: int) -> None:
        """Note that files are no longer there; what was read from them stays."""
        async with self._database.write() as connection:
            await connection.execute(GONE, (at, json.dumps(paths)))

    async def states(self) -> list[SourceState]:
        """Return the counts of each source that was ever read."""
        async with self._database.read() as connection:
            reads = {r["source"]: r for r in await connection.execute_fetchall(READS)}
            counts = {r["source"]: r for r in await connection.execute_fetchall(COUNTS)}
        return [
            SourceState(
                source=name,
                sessions=counts[name]["sessions"] if name in counts else 0,
                user=counts[name]["user"] if name in counts else 0,
                assistant=counts[name]["assistant"] if name in counts else 0,
                last_read=reads[name]["last_read"] if name in reads else None,
                files=reads[name]["files"] if name in reads else 0,
                skipped=reads[name]["skipped"] if name in reads else 0,
            )
            for name in sorted(reads.keys() | counts.keys())
        ]


async def write_intake(connection: aiosqlite.Connection, intake: Intake) -> int:
    """Write one intake in the caller's transaction; return how many turns were new."""
    return await _Commit(connection, intake).run()


class _Commit:
    """One intake on its way into the tables, inside one transaction."""

    def __init__(self, connection: aiosqlite.Connection, intake: Intake) -> None:
        self._connection = connection
        self._intake = intake
        self._sessions: dict[str, int] = {}
        self._forks: set[int] = set()
        self._episodes: dict[str, int] = {}
        """Message key to row id. Tools of a copied turn repeat those of its row: they may pass."""
        self._touched: set[int] = set()

    async def run(self) -> int:
        """Write everything; return the number of new turns."""
        file_id = await self._put_file()
        turns = self._last_texts()
        await self._put_sessions(turns, file_id)
        new, grown, copies = await self._sort(turns)
        self._touched.update(row for _, row in grown)
        old = await self._old_fields()
        await self._grow(grown)
        owed = self._owed(copies)
        await self._add(turns, new, owed)
        await self._link(copies, owed)
        await self._put_calls()
        await self._note_redactions({turn.key for turn in new} | {turn.key for turn, _ in grown})
        await self._set_failed()
        await reindex(self._connection, self._touched | {self._episodes[t.key] for t in new}, old)
        return len(new)

    async def _put_file(self) -> int:
        take = self._intake
        row = (
            take.source,
            take.path,
            json.dumps(asdict(take.cursor)),
            json.dumps(asdict(take.tally)),
            take.at,
            not take.last,
        )
        rows = list(await self._connection.execute_fetchall(PUT_FILE, row))
        return int(rows[0][0])

    def _last_texts(self) -> list[TurnSeen]:
        """Return each turn of the chunk once, at its first place, with its last text."""
        turns: dict[str, TurnSeen] = {}
        for seen in self._intake.seen:
            if isinstance(seen, TurnSeen):
                turns[seen.key] = seen
        return list(turns.values())

    async def _put_sessions(self, turns: Sequence[TurnSeen], file_id: int) -> None:
        source = self._intake.source
        told = [seen for seen in self._intake.seen if isinstance(seen, SessionSeen)]
        told += _told_by(turns)
        rows = [
            (source, s.session, s.parent, s.relation, s.cwd, s.branch, s.title, s.at, file_id)
            for s in told
        ]
        await self._connection.executemany(PUT_SESSION, rows)
        names = json.dumps(sorted({row[1] for row in rows}))
        found = await self._connection.execute_fetchall(SESSION_IDS, (source, names))
        for row in found:
            self._sessions[row["native_id"]] = row["id"]
            if row["relation"] == Relation.FORK:
                self._forks.add(row["id"])

    async def _sort(
        self, turns: Sequence[TurnSeen]
    ) -> tuple[list[TurnSeen], list[tuple[TurnSeen, int]], list[_Copy]]:
        """Tell new turns from turns that grew and from copies of other sessions' turns."""
        keys = {turn.key for turn in turns} | set(self._called_turns())
        known = await self._connection.execute_fetchall(KNOWN, (json.dumps(sorted(keys)),))
        rows = {row["message_key"]: row for row in known}
        self._episodes = {key: row["id"] for key, row in rows.items()}
        new = [turn for turn in turns if turn.key not in rows]
        grown = [
            (turn, rows[turn.key]["id"])
            for turn in turns
            if turn.key in rows
            and rows[turn.key]["session_id"] == self._sessions[turn.session]
            and rows[turn.key]["text"] != self._text(turn)
        ]
        copies = [
            (turn, rows[turn.key])
            for turn in turns
            if turn.key in rows and rows[turn.key]["session_id"] != self._sessions[turn.session]
        ]
        return new, grown, copies

    def _owed(self, copies: Sequence[_Copy]) -> dict[str, int]:
        """Return the turns, by key, that a fork holds only because it was read first."""
        return {
            turn.key: row["id"]
            for turn, row in copies
            if row["relation"] == Relation.FORK
            and row["segment_id"] is None
            and self._sessions[turn.session] not in self._forks
        }

    async def _link(self, copies: Sequence[_Copy], owed: Mapping[str, int]) -> None:
        """Note which session a fork or a resumed copy came from."""
        for turn, row in copies:
            mine = self._sessions[turn.session]
            pair = (
                (turn.session, row["session_id"]) if turn.key in owed else (row["native_id"], mine)
            )
            await self._connection.execute(CAME_FROM, pair)

    def _called_turns(self) -> Iterable[str]:
        return (s.turn for s in self._intake.seen if isinstance(s, ToolCalled | ToolAnswered))

    def _text(self, turn: TurnSeen) -> str:
        return "" if turn.key in self._intake.withheld else turn.text

    async def _old_fields(self) -> dict[int, tuple[str, str]]:
        """Remember what the index holds for rows that are about to change."""
        called = {self._episodes[key] for key in self._called_turns() if key in self._episodes}
        self._touched |= called
        return await remember(self._connection, self._touched)

    async def _grow(self, grown: Sequence[tuple[TurnSeen, int]]) -> None:
        take = self._intake
        rows = [
            (self._text(t), t.at or 0, take.redacted.get(t.key), t.key in take.withheld, row)
            for t, row in grown
        ]
        await self._connection.executemany(GROW_TURN, rows)

    async def _add(
        self, all_turns: Sequence[TurnSeen], turns: Sequence[TurnSeen], owed: Mapping[str, int]
    ) -> None:
        """Add new turns, and move those that are taken back, in the order of the file."""
        moving = [turn for turn in all_turns if turn.key in owed]
        fresh = {turn.key for turn in turns}
        ids = json.dumps(sorted({self._sessions[turn.session] for turn in (*turns, *moving)}))
        state = list(await self._connection.execute_fetchall(NEXT, (ids,)))
        top = max((row["id"] for row in state), default=0)
        seq = {row["session"]: row["seq"] for row in state}
        rows, moves = [], []
        for t in (turn for turn in all_turns if turn.key in owed or turn.key in fresh):
            session = self._sessions[t.session]
            seq[session] += 1
            if t.key in owed:
                moves.append((session, seq[session], owed[t.key]))
                continue
            top += 1
            self._episodes[t.key] = top
            rows.append(self._row(t, top, session, seq[session]))
        await self._connection.executemany(TAKE_BACK, moves)
        await self._connection.executemany(ADD_TURN, rows)

    def _row(self, t: TurnSeen, number: int, session: int, seq: int) -> tuple[object, ...]:
        take = self._intake
        project = take.projects.get(t.cwd, t.cwd) if t.cwd else None
        return (
            *(number, session, seq, t.role, t.at, t.at, self._text(t), project, t.branch, t.model),
            *(t.key, t.queued, take.redacted.get(t.key), t.key in take.withheld),
        )

    async def _put_calls(self) -> None:
        count: dict[int, int] = {}
        for seen in self._intake.seen:
            if not isinstance(seen, ToolCalled | ToolAnswered) or seen.turn not in self._episodes:
                continue
            episode = self._episodes[seen.turn]
            self._touched.add(episode)
            if isinstance(seen, ToolCalled):
                if episode not in count:
                    rows = list(await self._connection.execute_fetchall(CALLS, (episode,)))
                    count[episode] = int(rows[0][0])
                count[episode] += 1
                row = (episode, count[episode], seen.call, seen.name, seen.arguments, seen.at)
                await self._connection.execute(ADD_CALL, row)
            else:
                answer = (seen.outcome, seen.output, episode, seen.call)
                await self._connection.execute(ANSWER, answer)
            if seen.at is not None:
                await self._connection.execute(UNTIL, (seen.at, episode))

    async def _note_redactions(self, written: set[str]) -> None:
        """Add what was taken out of later tool results to turns that stand already."""
        later = {
            self._episodes[key]: kinds
            for key, kinds in self._intake.redacted.items()
            if key in self._episodes and key not in written
        }
        if not later:
            return
        rows = []
        ids = json.dumps(sorted(later))
        for row, before in await self._connection.execute_fetchall(REDACTED, (ids,)):
            kinds = [*(before.split(", ") if before else []), *later[row].split(", ")]
            rows.append((", ".join(dict.fromkeys(kinds)), row))
        await self._connection.executemany(SET_REDACTED, rows)

    async def _set_failed(self) -> None:
        if not self._touched:
            return
        ids = json.dumps(sorted(self._touched))
        names: dict[int, list[str]] = {row: [] for row in self._touched}
        for row, name in await self._connection.execute_fetchall(FAILED, (ids,)):
            names[row].append(name)
        lines = [(failed_tools_line(found), row) for row, found in names.items()]
        await self._connection.executemany(SET_FAILED, lines)


def _told_by(turns: Sequence[TurnSeen]) -> list[SessionSeen]:
    """Return what the turns say of their sessions: of each fact the first that is known."""
    facts: dict[str, SessionSeen] = {}
    for turn in turns:
        known = facts.get(turn.session, SessionSeen(turn.session))
        facts[turn.session] = SessionSeen(
            turn.session,
            cwd=known.cwd if known.cwd is not None else turn.cwd,
            branch=known.branch if known.branch is not None else turn.branch,
            at=known.at if known.at is not None else turn.at,
        )
    return list(facts.values())
