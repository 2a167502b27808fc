import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from archivist.domain.problems import ModelUnavailable
from archivist.domain.segments import CutRules
from archivist.domain.transcripts import Outcome as Result
from archivist.domain.transcripts import Role, ToolAnswered, ToolCalled, TurnSeen
from archivist.services.filing import Filer
from helpers.stored import Stored, said, stored, talk

SEGMENTS = (
    "select g.state, g.reason, g.exchanges,"
    " (select count(*) from episode where segment_id = g.id) from segment g order by g.rowid"
)
DATABASE = "please look at the slow database query of the orders page"
HOLIDAY = "what shall we cook for the children on the camping trip"


class Directions:
    """An encoder that tells two topics apart and counts what it is asked."""

    model = "directions"
    dimension = 2

    def __init__(self, *, broken: bool = False) -> None:
        self.asked: list[str] = []
        self._broken = broken

    async def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        self.asked += texts
        if self._broken:
            raise ModelUnavailable("gone", advice="wait")
        return [np.array([1, 0] if "database" in text else [0, 1], np.float32) for text in texts]

    async def close(self) -> None:
        pass


def filer(archive: Stored, encoder: Directions | None = None, *, count: int = 20) -> Filer:
    return Filer(
        archive.segments,
        encoder,
        rules=CutRules(max_exchanges=count),
        opens_topic=lambda text: text.startswith("New question"),
        bus=archive.bus,
        clock=archive.clock,
    )


async def test_the_twenty_first_exchange_starts_a_new_segment(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(*talk(["go on"] * 21))
        assert await filer(archive).file_all() == 1
        rows = await archive.rows(SEGMENTS)
        assert rows == [("closed", "count", 20, 40), ("open", None, 1, 2)]


async def test_the_gap_runs_from_the_end_of_the_last_reply(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("u1", "run the long job", at=0),
            said("a1", "running", role=Role.ASSISTANT, at=1_000),
            ToolCalled("a1", "c1", "Bash", "{}", 1_000),
            ToolAnswered("a1", "c1", Result.OK, "done", 720_000),
            said("u2", "thanks", at=725_000),
            said("u3", "later", at=725_000 + 600_001),
        )
        await filer(archive).file_all()
        assert await archive.rows(SEGMENTS) == [("closed", "gap", 2, 3), ("open", None, 1, 1)]


async def test_filing_in_steps_gives_what_filing_at_once_gives(tmp_path: Path) -> None:
    texts = ["a", "b", "New question: c", "d", "e", "New question: f"]
    turns = [turn for turn in talk(texts) if isinstance(turn, TurnSeen)]
    async with stored(tmp_path / "once") as once:
        await once.take_in(*turns)
        await filer(once).file_all()
        at_once = await once.rows(SEGMENTS)
    async with stored(tmp_path / "steps") as steps:
        steps.clock.now = turns[0].at or 0
        for turn in turns:
            await steps.take_in(turn)
            await filer(steps).file_all()
        steps.clock.tick(seconds=3_600)
        await filer(steps).file_all()
        assert await steps.rows(SEGMENTS) == at_once
    assert [row[1] for row in at_once] == ["marker", "marker", None]


async def test_drift_cuts_and_no_vector_is_computed_when_an_earlier_check_cut(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        encoder = Directions()
        await archive.take_in(*talk([DATABASE, HOLIDAY, f"New question: {DATABASE}", "ok"]))
        await filer(archive, encoder).file_all()
        reasons = [row[1] for row in await archive.rows(SEGMENTS)]
        assert reasons == ["drift", "marker", None]
        assert encoder.asked == [f"{DATABASE}\nDone: 0.", f"{HOLIDAY}\nDone: 1."]


async def test_without_the_encoder_the_other_checks_go_on(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(*talk([DATABASE, HOLIDAY, "New question: more"]))
        await filer(archive, Directions(broken=True)).file_all()
        assert [row[1] for row in await archive.rows(SEGMENTS)] == ["marker", None]


async def test_a_change_of_project_cuts(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("u1", "one", cwd="/a"), said("u2", "two", cwd="/a"), said("u3", "three", cwd="/b")
        )
        await filer(archive).file_all()
        rows = await archive.rows("select project, reason from segment order by rowid")
        assert rows == [("/a", "project"), ("/b", None)]


async def test_sessions_are_filed_apart(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "one"), said("v1", "other", session="s2"))
        await filer(archive).file_all()
        assert len(await archive.rows("select 1 from segment")) == 2


async def test_a_file_that_is_still_being_read_is_not_filed(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "one"), last=False)
        await filer(archive).file_all()
        assert await archive.rows(SEGMENTS) == []
        await archive.take_in(last=True)
        await filer(archive).file_all()
        assert len(await archive.rows(SEGMENTS)) == 1


async def test_an_exchange_waits_until_it_is_over(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        archive.clock.now = 100_000
        await archive.take_in(said("u1", "one", at=90_000))
        assert await filer(archive).file_all() == 0
        assert await archive.rows(SEGMENTS) == []
        await archive.take_in(said("a1", "reply", role=Role.ASSISTANT, at=95_000))
        await archive.take_in(said("u2", "two", at=99_000))
        await filer(archive).file_all()
        assert await archive.rows(SEGMENTS) == [("open", None, 1, 2)]
        await filer(archive).file_all(at_exit=True)
        assert await archive.rows(SEGMENTS) == [("open", None, 2, 3)]


async def test_a_late_answer_lengthens_the_open_segment_without_counting(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "one", at=0))
        await filer(archive).file_all()
        await archive.take_in(said("a1", "answer", role=Role.ASSISTANT, at=5_000))
        await filer(archive).file_all()
        assert await archive.rows(SEGMENTS) == [("open", None, 1, 2)]


@pytest.mark.parametrize("page", [1, 2, 3])
async def test_pages_do_not_change_the_cuts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr("archivist.services.filing._PAGE", page)
    async with stored(tmp_path) as archive:
        await archive.take_in(*talk(["a", "b", "c", "d", "e"]))
        assert await filer(archive, count=2).file_all() == 2
        rows = await archive.rows(SEGMENTS)
        assert rows == [("closed", "count", 2, 4), ("closed", "count", 2, 4), ("open", None, 1, 2)]


async def test_at_exit_no_encoder_is_started(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(*talk([DATABASE, HOLIDAY]))
        encoder = Directions()
        await filer(archive, encoder).file_all(at_exit=True)
        assert encoder.asked == []
        assert await archive.rows("select count(*) from episode where segment_id is null") == [(0,)]


async def test_cues_are_looked_for_beside_the_loop(tmp_path: Path) -> None:
    """In a pasted log they take longer than a window may stand still."""
    threads: list[threading.Thread] = []

    def opens_topic(_text: str) -> bool:
        threads.append(threading.current_thread())
        return False

    async with stored(tmp_path) as archive:
        await archive.take_in(*talk([DATABASE, HOLIDAY]))
        filing = Filer(
            archive.segments,
            None,
            rules=CutRules(),
            opens_topic=opens_topic,
            bus=archive.bus,
            clock=archive.clock,
        )
        await filing.file_all(at_exit=True)
    assert threads
    assert threading.main_thread() not in threads
