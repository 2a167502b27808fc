import asyncio
import threading
from pathlib import Path

import pytest

from archivist.domain.indexing import words_field
from archivist.domain.intake import Intake
from archivist.domain.transcripts import (
    Compacted,
    Outcome,
    Relation,
    Role,
    SessionSeen,
    Source,
    Tally,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)
from archivist.store import episode_index
from helpers.stored import CURSOR, said, stored

FIND = "select rowid from episode_fts where episode_fts match ? order by rowid"


def test_the_same_chunk_twice_adds_nothing(tmp_path: Path) -> None:
    async def use() -> tuple[int, int]:
        async with stored(tmp_path) as archive:
            chunk = (said("u1", "hello"), said("a1", "hi", role=Role.ASSISTANT))
            return await archive.take_in(*chunk), await archive.take_in(*chunk)

    assert asyncio.run(use()) == (2, 0)


def test_a_copy_in_another_session_adds_nothing_but_its_own_turns(tmp_path: Path) -> None:
    async def use() -> list[tuple[object, ...]]:
        async with stored(tmp_path) as archive:
            await archive.take_in(said("u1", "hello"))
            copy = said("u1", "hello", session="fork")
            own = said("u2", "something new", session="fork")
            assert await archive.take_in(copy, own, path="/fork.jsonl") == 1
            links = await archive.rows("select relation, parent from session where id = 2")
            assert links == [("resume", "s1")]
            return await archive.rows(
                "select s.native_id, e.text from episode e join session s on s.id = e.session_id"
                " order by e.id"
            )

    assert asyncio.run(use()) == [("s1", "hello"), ("fork", "something new")]


def test_a_fork_that_was_read_first_gives_the_turns_back(tmp_path: Path) -> None:
    turns = "select s.native_id, e.seq, e.text from episode e join session s on s.id = e.session_id"
    links = "select native_id, relation, parent from session order by native_id"

    async def use() -> None:
        async with stored(tmp_path) as archive:
            fork = SessionSeen("fork", relation=Relation.FORK)
            copies = (said("u1", "one", session="fork"), said("u2", "two", session="fork"))
            own = said("f1", "only here", session="fork")
            await archive.take_in(fork, *copies, own, path="/fork.jsonl")
            original = (said("u1", "one"), said("u2", "two"), said("u3", "three"))
            assert await archive.take_in(*original) == 1
            assert await archive.rows(f"{turns} order by 1, 2") == [
                ("fork", 3, "only here"),
                ("s1", 1, "one"),
                ("s1", 2, "two"),
                ("s1", 3, "three"),
            ]
            assert await archive.rows(links) == [("fork", "fork", "s1"), ("s1", None, None)]

    asyncio.run(use())


def test_a_message_that_grew_replaces_its_text_and_its_words(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            await archive.take_in(said("a1", "the apple", role=Role.ASSISTANT))
            assert await archive.take_in(said("a1", "the pear", role=Role.ASSISTANT)) == 0
            assert await archive.rows("select text from episode") == [("the pear",)]
            assert await archive.rows(FIND, "words: apple") == []
            assert await archive.rows(FIND, "words: pear") == [(1,)]

    asyncio.run(use())


def test_failed_tools_are_named_in_call_order_and_searchable(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            await archive.take_in(
                said("a1", "I try", role=Role.ASSISTANT),
                ToolCalled("a1", "c1", "Zip", '{"file": "plan.txt"}'),
                ToolCalled("a1", "c2", "Bash", "{}"),
                ToolCalled("a1", "c3", "Read", "{}"),
            )
            await archive.take_in(
                ToolAnswered("a1", "c3", Outcome.OK, "fine"),
                ToolAnswered("a1", "c2", Outcome.REJECTED, "the person said no"),
                ToolAnswered("a1", "c1", Outcome.FAILED, "E0499: borrow checker"),
            )
            (row,) = await archive.rows("select failed_tools from episode")
            assert row == ("Tools that failed in this turn: Zip, Bash",)
            for word in ("zip", "plan", "borrow", "failed"):
                assert await archive.rows(FIND, f"tools: {word}") == [(1,)], word
            assert await archive.rows(FIND, "words: zip") == []

    asyncio.run(use())


def test_another_normaliser_makes_the_index_anew(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            await archive.take_in(said("u1", "the apple"), said("u2", "the pear"))
            async with archive.database.write() as connection:
                await connection.execute(
                    "insert into episode_fts (episode_fts) values ('delete-all')"
                )
                await connection.execute("update meta set value = '0' where key = 'index_version'")
        async with stored(tmp_path) as archive:
            assert await archive.rows(FIND, "words: pear") == [(2,)]
            await archive.take_in(said("u1", "the plum"))
            assert await archive.rows(FIND, "words: apple") == []
            assert await archive.rows(FIND, "words: plum") == [(1,)]

    asyncio.run(use())


def test_roles_and_session_ids_are_not_searchable(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            await archive.take_in(said("u1", "hello", session="abc123"))
            for word in ("user", "abc123", "u1"):
                assert await archive.rows(FIND, word) == [], word

    asyncio.run(use())


def test_turns_are_ordered_by_the_file_whatever_their_times(tmp_path: Path) -> None:
    async def use() -> list[tuple[object, ...]]:
        async with stored(tmp_path) as archive:
            await archive.take_in(said("u1", "one", at=2_000), said("u2", "two", at=1_000))
            await archive.take_in(said("u3", "three", at=500))
            return await archive.rows("select text from episode order by seq")

    assert asyncio.run(use()) == [("one",), ("two",), ("three",)]


def test_session_facts_are_kept_and_a_title_may_change(tmp_path: Path) -> None:
    async def use() -> list[tuple[object, ...]]:
        async with stored(tmp_path) as archive:
            first = SessionSeen("s1", cwd="/code/a", branch="main", title="First", at=5)
            await archive.take_in(first, said("u1", "hello"), Compacted("s1", 6))
            await archive.take_in(SessionSeen("s1", cwd="/elsewhere", title="Second"))
            return await archive.rows("select cwd, branch, title, started_at from session")

    assert asyncio.run(use()) == [("/code/a", "main", "Second", 5)]


def test_counts_leave_out_sub_agents_and_answers_without_text(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            await archive.take_in(
                said("u1", "prompt"),
                said("a1", "answer", role=Role.ASSISTANT),
                said("a2", "", role=Role.ASSISTANT),
                SessionSeen("s1/agent-1", parent="s1", relation=Relation.SUBAGENT),
                said("t1", "task", role=Role.TASK, session="s1/agent-1"),
                said("a3", "of the agent", role=Role.ASSISTANT, session="s1/agent-1"),
            )
            (state,) = await archive.transcripts.states()
            assert (state.source, state.sessions) == (Source.CLAUDE_CODE, 1)
            assert (state.user, state.assistant) == (1, 1)

    asyncio.run(use())


def test_trouble_with_a_file_is_kept_until_it_is_read(tmp_path: Path) -> None:
    async def use() -> None:
        async with stored(tmp_path) as archive:
            at = archive.clock()
            await archive.transcripts.trouble("codex", "/x", "locked", gone=False, at=at)
            known = await archive.transcripts.file("/x")
            assert known is not None
            assert (known.trouble, known.cursor) == ("locked", None)
            await archive.take_in(said("u1", "hello"), path="/x")
            known = await archive.transcripts.file("/x")
            assert known is not None
            assert known.trouble is None
            assert await archive.transcripts.file("/never") is None

    asyncio.run(use())


async def test_session_facts_do_not_depend_on_how_the_file_was_cut(tmp_path: Path) -> None:
    facts = "select cwd, branch, started_at from session"
    bare = SessionSeen("s1", title="Plan")
    turn = TurnSeen("u1", "s1", Role.USER, "hello", at=7, cwd="/code", branch="main")
    late = TurnSeen("u2", "s1", Role.USER, "more", at=9, cwd="/other", branch="dev")
    async with stored(tmp_path / "once") as archive:
        await archive.take_in(bare, turn, late)
        at_once = await archive.rows(facts)
    async with stored(tmp_path / "steps") as archive:
        for seen in (bare, turn, late):
            await archive.take_in(seen)
        assert await archive.rows(facts) == at_once == [("/code", "main", 7)]


async def test_what_a_later_result_lost_to_the_gate_is_noted_at_its_turn(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        call = ToolCalled("a1", "c1", "Bash", "{}")
        await archive.take_in(said("a1", "on it", role=Role.ASSISTANT), call)
        for kinds in ("api key", "api key, password"):
            await archive.transcripts.commit(
                Intake(
                    source=Source.CLAUDE_CODE,
                    path="/t.jsonl",
                    seen=(ToolAnswered("a1", "c1", Outcome.OK, "cleaned"),),
                    cursor=CURSOR,
                    tally=Tally(),
                    last=True,
                    at=1,
                    redacted={"a1": kinds},
                )
            )
        assert await archive.rows("select redacted from episode") == [("api key, password",)]


async def test_texts_are_made_ready_for_the_index_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def noted(text: str) -> str:
        threads.append(threading.current_thread())
        return words_field(text)

    monkeypatch.setattr(episode_index, "words_field", noted)
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello"))
        assert len(await archive.rows(FIND, "hello")) == 1
    assert threads
    assert threading.main_thread() not in threads
