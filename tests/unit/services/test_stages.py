import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from archivist.domain.jobs import Stage
from archivist.domain.problems import ModelUnavailable
from archivist.domain.transcripts import Role
from archivist.domain.turns import Turn
from archivist.ports.models import Encoder, Recapper
from archivist.services import stages
from archivist.services.archive import Done
from archivist.services.stages import said_turns
from helpers.archiving import archive_over
from helpers.stored import Stored, said, stored

LONG = (
    "Please look at the deploy script of the orders service. It fails with exit code 7 when the "
    "staging database is not reachable, and I want it to wait for 30 seconds before it gives up. "
    "I prefer short functions. We decided to use Postgres 16 for the new service."
)
REPLY = (
    "I changed scripts/deploy.sh so that it waits for 30 seconds and then ends with exit code 7. "
    "The test for it is in tests/test_deploy.py and it is green. Nothing else was touched, and the "
    "documentation of the script says how long it waits and why."
)


class Speaker:
    """A recapper that says what it is told to, and counts."""

    maker = "speaker"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.limits: list[int] = []

    async def recap(self, turns: Sequence[Turn], *, limit: int) -> str:
        self.limits.append(limit)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        pass


class Ones:
    """An encoder with one answer."""

    model = "ones-1"
    dimension = 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        self.asked += texts
        return [np.ones(3, np.float32) for _ in texts]

    async def close(self) -> None:
        pass


async def archived(
    archive: Stored,
    *texts: str,
    recapper: Recapper | None = None,
    encoder: Encoder | None = None,
) -> Done:
    """Store a session of prompts and replies, close it, run every stage."""
    for number, text in enumerate(texts):
        role = Role.ASSISTANT if number % 2 else Role.USER
        await archive.take_in(said(f"t{number}", text, role=role, at=number, cwd="/code/app"))
    service = archive_over(archive, recapper=recapper, encoder=encoder)
    done = Done()
    archive.clock.tick(seconds=1)
    await service.step(done)
    return done


RECAP = "select text, maker, note from recap"
GOOD = "The deploy script waits for 30 seconds and then ends with exit code 7."


async def test_rules_make_the_recap_and_everything_is_done_once(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        done = await archived(archive, LONG, REPLY)
        assert (done.closed, done.recapped, done.failed) == (1, 1, 0)
        ((text, maker, note),) = await archive.rows(RECAP)
        assert maker == "rules"
        assert note is None
        assert 0 < len(str(text)) <= 0.35 * len(LONG + REPLY)
        assert await archive.rows("select distinct state, attempts from job") == [("done", 1)]
        assert await archive.rows("select state from segment") == [("recapped",)]


async def test_a_grounded_recap_of_a_model_is_kept_with_its_maker(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        model = Speaker(GOOD)
        await archived(archive, LONG, REPLY, recapper=model)
        assert await archive.rows(RECAP) == [(GOOD, "speaker", None)]


@pytest.mark.parametrize(
    "invented",
    [
        "The deploy script waits for 45 seconds.",
        "Mr. Henderson asked that scripts/release.sh be changed.",
        "",
        GOOD * 20,
    ],
)
async def test_a_recap_that_invents_is_tried_once_more_then_made_by_rules(
    tmp_path: Path, invented: str
) -> None:
    async with stored(tmp_path) as archive:
        model = Speaker(invented, invented)
        await archived(archive, LONG, REPLY, recapper=model)
        ((text, maker, note),) = await archive.rows(RECAP)
        assert maker == "rules"
        assert text
        assert note
        first, second = model.limits
        assert second < first


async def test_the_second_try_may_succeed(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archived(archive, LONG, REPLY, recapper=Speaker("It waits for 99 hours.", GOOD))
        assert await archive.rows(RECAP) == [(GOOD, "speaker", None)]


async def test_without_an_answer_of_the_model_rules_go_on(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        gone = ModelUnavailable("the model stopped three times", advice="wait")
        done = await archived(archive, LONG, REPLY, recapper=Speaker(gone))
        ((_, maker, note),) = await archive.rows(RECAP)
        assert (maker, note, done.failed) == ("rules", "the model did not answer", 0)


async def test_recaps_of_rules_are_encoded_too_and_under_the_encoder_s_name(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        encoder = Ones()
        await archived(archive, LONG, REPLY, encoder=encoder)
        ((text, _, _),) = await archive.rows(RECAP)
        assert encoder.asked == [text]
        ((owner, model, dim, data),) = await archive.rows(
            "select owner, model, dim, data from vector"
        )
        assert (owner, model, dim) == ("recap", "ones-1", 3)
        assert isinstance(data, bytes)
        assert np.frombuffer(data, "<f2").tolist() == [1, 1, 1]


async def test_an_empty_segment_is_neither_recapped_nor_encoded(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        encoder = Ones()
        done = await archived(archive, "", "", encoder=encoder)
        assert done.recapped == 0
        assert encoder.asked == []
        (row,) = await archive.rows("select state, trouble from job where stage = 'vector'")
        assert row == ("done", "nothing to encode")


async def test_events_facets_and_lessons_come_from_what_the_person_said(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        done = await archived(archive, LONG, "I always prefer long functions. " + REPLY)
        events = await archive.rows("select kind, quote, episode_id from event order by kind")
        assert ("preference", "I prefer short functions.", 1) in events
        assert ("decision", "We decided to use Postgres 16 for the new service.", 1) in events
        assert all(row[2] == 1 for row in events)
        facets = await archive.rows("select kind, evidence_count, first_at from facet")
        assert ("preference", 1, 0) in facets
        assert done.lessons >= 2
        quotes = {row[0] for row in await archive.rows("select quote from evidence")}
        assert "I prefer short functions." in quotes
        assert not any("long functions" in str(quote) for quote in quotes)


async def test_a_stage_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    class Broken(Ones):
        async def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
            raise ModelUnavailable("no encoder", advice="install it")

    async with stored(tmp_path) as archive:
        done = await archived(archive, LONG, REPLY, encoder=Broken())
        assert done.failed == 1
        rows = {row[0]: row[1] for row in await archive.rows("select stage, state from job")}
        assert rows[Stage.VECTOR] == "waiting"
        assert {state for stage, state in rows.items() if stage != Stage.VECTOR} == {"done"}
        (row,) = await archive.rows("select trouble from job where stage = 'vector'")
        assert row == ("no encoder",)


def test_each_prompt_carries_the_reply_before_it() -> None:
    roles = [Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.USER, Role.USER, Role.TASK]
    turns = [
        Turn(id=n, session=1, seq=n, role=role, text=f"{role} {n}")  # type: ignore[arg-type]  # plain numbers
        for n, role in enumerate(roles)
    ]
    said_here = said_turns(turns)
    assert [(turn.id, turn.before) for turn in said_here] == [(0, ""), (3, "assistant 2"), (4, "")]


@pytest.mark.parametrize("rule", ["extract", "find_events", "lessons_from", "ungrounded"])
async def test_rules_leave_the_loop_to_the_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    """On a long segment they take a second, in which no key would be answered."""
    work: Callable[..., object] = getattr(stages, rule)
    threads: list[threading.Thread] = []

    def noted(*values: object, **options: object) -> object:
        threads.append(threading.current_thread())
        return work(*values, **options)

    monkeypatch.setattr(stages, rule, noted)
    async with stored(tmp_path) as archive:
        invented = "The deploy script waits for 45 seconds."
        done = await archived(archive, LONG, REPLY, recapper=Speaker(invented, invented))
        assert (done.recapped, done.failed) == (1, 0)
    assert threads
    assert threading.main_thread() not in threads
