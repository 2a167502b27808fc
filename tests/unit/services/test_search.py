from pathlib import Path

import pytest

from archivist.domain.jobs import Stage
from archivist.domain.knowledge import Recap
from archivist.domain.problems import Problem
from archivist.domain.transcripts import (
    Outcome,
    Relation,
    Role,
    SessionSeen,
    ToolAnswered,
    ToolCalled,
)
from archivist.services.search import Search
from archivist.store.browse import BrowseStore
from helpers.lessons import close_segments
from helpers.stored import Stored, said, stored

TEXTS = {
    "u1": "I prefer Postgres for new services",
    "u2": "我喜欢用 Rust 写后端服务",
    "u3": "where is getUserById defined in src/users/repo.py?",
    "u4": "the C++ build breaks with E0499",
    "u5": "Die Größe des Lagers steht in der Übersicht",
    "u6": "予約の締め切りを確認してください",
    "u7": "café au lait, s'il vous plaît",
}


async def filled(archive: Stored) -> Search:
    await archive.take_in(*(said(key, text, at=n) for n, (key, text) in enumerate(TEXTS.items())))
    return Search(BrowseStore(archive.database))


@pytest.mark.parametrize(
    "query, key",
    [
        ("What database should I use for my new service?", "u1"),
        ("后端", "u2"),
        ("我喜欢", "u2"),
        ("user by id", "u3"),
        ("repo.py", "u3"),
        ("C++", "u4"),
        ("error: E0499", "u4"),
        ("groesse", "u5"),
        ("ÜBERSICHT", "u5"),
        ("締め切り", "u6"),
        ("cafe", "u7"),
        ('"new services"', "u1"),
        ("serv", "u1"),
    ],
)
async def test_a_question_in_plain_words_finds_its_turn(
    tmp_path: Path, query: str, key: str
) -> None:
    async with stored(tmp_path) as archive:
        found = await (await filled(archive)).find(query)
        wanted = list(TEXTS).index(key) + 1
        assert found.hits, query
        assert found.hits[0].turn == wanted, [hit.snippet for hit in found.hits]
        assert found.mode == "lexical"


@pytest.mark.parametrize(
    "query",
    ["what's up?", "foo-bar", '"', '" OR ', "-", "+", "NEAR(a b)", "a AND", "*", "😀", "\0"],
)
async def test_no_text_is_a_syntax_error(tmp_path: Path, query: str) -> None:
    async with stored(tmp_path) as archive:
        await (await filled(archive)).find(query)


async def test_nothing_asked_finds_nothing(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        assert (await (await filled(archive)).find("   ")).hits == ()


async def test_a_word_may_be_demanded_or_refused(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("a", "red apple"), said("b", "green apple"), said("c", "red pear")
        )
        search = Search(BrowseStore(archive.database))
        assert [h.turn for h in (await search.find("apple +red")).hits] == [1, 3]
        assert [h.turn for h in (await search.find("apple -red")).hits] == [2]


async def test_tools_are_found_with_what_they_said_when_they_failed(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("a1", "I try", role=Role.ASSISTANT),
            ToolCalled("a1", "c", "Bash", '{"command": "terraform plan"}'),
            ToolAnswered("a1", "c", Outcome.FAILED, "state lock is held"),
        )
        search = Search(BrowseStore(archive.database))
        for query in ("terraform", "state lock", '"tools that failed"'):
            (hit,) = (await search.find(query)).hits
            assert hit.turn == 1
        assert "terraform" in (await search.find("terraform")).hits[0].snippet


async def test_filters_by_source_project_and_maker(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("a", "shared word", cwd="/one"))
        await archive.take_in(said("b", "shared word", cwd="/two", session="s2"))
        await close_segments(archive)
        jobs = archive.jobs()
        while (job := await jobs.take(now=archive.clock())) is not None:
            if job.stage is Stage.RECAP:
                maker = "rules" if len(await archive.rows("select 1 from recap")) == 0 else "model"
                await archive.knowledge.save_recap(job, Recap("short", maker), at=1)
            else:
                await jobs.done(job)
        search = Search(BrowseStore(archive.database))
        assert len((await search.find("shared")).hits) == 2
        assert len((await search.find("shared", project="/one")).hits) == 1
        assert len((await search.find("shared", source="codex")).hits) == 0
        assert len((await search.find("shared", maker="model")).hits) == 1
        assert len((await search.find("shared", limit=1)).hits) == 1


async def test_a_hit_in_a_sub_agent_names_the_session_of_the_person(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            SessionSeen("s1/agent-7", parent="s1", relation=Relation.SUBAGENT),
            said("t", "look for the leak", role=Role.TASK, session="s1/agent-7"),
        )
        (hit,) = (await Search(BrowseStore(archive.database)).find("leak")).hits
        assert hit.session == "s1"


async def test_a_search_that_failed_is_no_empty_result(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        search = await filled(archive)
        (archive.database.path).write_bytes(b"ruined" * 1000)
        with pytest.raises(Problem):
            await search.find("postgres")
