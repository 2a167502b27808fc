from pathlib import Path

import pytest

from archivist.domain.knowledge import LessonId, LessonState
from archivist.domain.problems import Refused
from archivist.services.bus import LessonsChanged
from archivist.services.review import Review
from archivist.services.undo import Undo
from archivist.shipped import gate
from archivist.store.command_store import CommandStore
from archivist.store.review import ReviewStore
from helpers.lessons import learn
from helpers.stored import Stored, stored

TABS = "I prefer tabs"
TESTS = "Always run the tests first"


def services(archive: Stored) -> tuple[Review, Undo]:
    review = Review(
        ReviewStore(archive.database),
        clean=lambda text: gate().clean(text).text,
        bus=archive.bus,
        clock=archive.clock,
        caller="zsh",
    )

    async def restore(inverse: object) -> None:
        assert isinstance(inverse, dict)
        await review.restore(inverse["restore"])

    store = CommandStore(archive.database, caller="zsh")
    return review, Undo(store, {"lessons": restore}, clock=archive.clock)


async def states(review: Review) -> list[tuple[str, str]]:
    return [(lesson.text, lesson.state) for lesson in await review.lessons()]


async def test_lessons_wait_with_their_evidence(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        assert await learn(archive, TABS, TESTS) == 2
        review, _ = services(archive)
        (first, _second) = await review.lessons(LessonState.WAITING)
        (evidence,) = first.evidence
        assert (first.text, first.project) == (TABS, "/code/app")
        assert (evidence.quote, evidence.session, evidence.source) == (TABS, "s1", "claude-code")


async def test_the_same_words_again_add_evidence_and_no_lesson(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        assert await learn(archive, TABS) == 1
        assert await learn(archive, "I PREFER  tabs!", session="s2") == 0
        review, _ = services(archive)
        (lesson,) = await review.lessons()
        assert [item.session for item in lesson.evidence] == ["s1", "s2"]
        assert lesson.confidence == pytest.approx(0.75)


async def test_each_decision_is_taken_back_by_undo(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, undo = services(archive)
        heard: list[LessonsChanged] = []
        archive.bus.listen(LessonsChanged, heard.append)
        await review.keep([LessonId(1), LessonId(2)])
        await review.reject([LessonId(1)], reason="wrong")
        await review.later([LessonId(2)])
        assert await states(review) == [(TABS, "rejected"), (TESTS, "later")]
        assert len(heard) == 3
        labels = [command.label for command in await undo.commands()]
        assert labels == [f"Put off “{TESTS}”", f"Reject “{TABS}”", "Keep 2 lessons"]
        await undo.undo()
        assert await states(review) == [(TABS, "rejected"), (TESTS, "kept")]
        await undo.undo(2)
        assert await states(review) == [(TABS, "waiting"), (TESTS, "waiting")]
        with pytest.raises(Refused, match="nothing to undo"):
            await undo.undo()


async def test_undo_survives_a_restart(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        await services(archive)[0].keep([LessonId(1)])
    async with stored(tmp_path) as archive:
        review, undo = services(archive)
        await undo.undo()
        assert await states(review) == [(TABS, "waiting")]


async def test_what_was_rejected_does_not_come_back_until_that_is_undone(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, undo = services(archive)
        await review.reject([LessonId(1)])
        assert await learn(archive, TABS, session="s2") == 0
        (lesson,) = await review.lessons()
        assert (lesson.state, len(lesson.evidence)) == ("rejected", 1)
        await undo.undo()
        await learn(archive, TABS, session="s3")
        (lesson,) = await review.lessons()
        assert (lesson.state, len(lesson.evidence)) == ("waiting", 2)


async def test_an_edit_keeps_the_evidence_and_blocks_the_old_words_when_rejected(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, undo = services(archive)
        edited = await review.edit(LessonId(1), "  Use tabs,\n never spaces. ")
        assert (edited.text, edited.said) == ("Use tabs, never spaces.", TABS)
        assert edited.evidence[0].quote == TABS
        await review.reject([LessonId(1)])
        assert await learn(archive, TABS, session="s2") == 0
        await undo.undo(2)
        assert (await review.lessons())[0].text == TABS


async def test_the_person_s_own_words_go_through_the_gate(tmp_path: Path) -> None:
    token = "ghp_" + "aZ3x9Q" * 6
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, _ = services(archive)
        edited = await review.edit(LessonId(1), f"Use {token} for the upload")
        assert edited.text == "Use [redacted: github token] for the upload"
        await review.reject([LessonId(1)], reason=f"holds {token}")
    for file in tmp_path.glob("archive.db*"):
        assert token.encode() not in file.read_bytes()


async def test_an_edit_to_what_another_lesson_says_is_refused(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, _ = services(archive)
        with pytest.raises(Refused, match="already says"):
            await review.edit(LessonId(2), "i prefer TABS")
        assert [lesson.text for lesson in await review.lessons()] == [TABS, TESTS]


@pytest.mark.parametrize("text", ["", "   ", "x" * 2_001])
async def test_a_wording_of_no_use_is_refused(tmp_path: Path, text: str) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        with pytest.raises(Refused):
            await services(archive)[0].edit(LessonId(1), text)


async def test_an_unknown_lesson_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, _ = services(archive)
        with pytest.raises(Refused, match="no lesson 99"):
            await review.keep([LessonId(1), LessonId(99)])
        assert await states(review) == [(TABS, "waiting")]


async def test_the_log_keeps_a_hundred_commands_and_who_asked(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, undo = services(archive)
        for _ in range(103):
            await review.later([LessonId(1)])
        assert len(await undo.commands(500)) == 100
        assert await archive.rows("select distinct caller from command") == [("zsh",)]
