import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from archivist.domain.knowledge import Lesson, LessonCounts, LessonId, LessonState
from archivist.domain.problems import Refused
from archivist.domain.review import RejectReason, Wording
from archivist.services.bus import LessonsChanged
from archivist.services.review import CHANGED, Review, touched
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
    repeats = {"lessons": review.repeat}
    return review, Undo(store, {"lessons": restore}, clock=archive.clock, repeats=repeats)


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


async def test_a_reason_is_kept_with_the_rejection_and_comes_back_with_it(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, undo = services(archive)
        (rejected,) = await review.reject([LessonId(1)], reason=RejectReason.TRIVIAL)
        assert rejected.reason == "trivial"
        (waiting,) = await review.reopen([LessonId(1)])
        assert (waiting.state, waiting.reason) == ("waiting", None)
        assert await archive.rows("select * from rejection") == []
        await undo.undo()
        assert (await review.lessons())[0].reason == "trivial"


async def test_reopening_is_a_command_of_its_own(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, undo = services(archive)
        await review.keep([LessonId(1), LessonId(2)])
        await review.reopen([LessonId(1)])
        assert await states(review) == [(TABS, "waiting"), (TESTS, "kept")]
        (newest, _) = await undo.commands()
        assert (newest.label, touched(newest)) == (f"Bring back “{TABS}”", (1,))
        await undo.undo()
        assert await states(review) == [(TABS, "kept"), (TESTS, "kept")]


async def test_what_was_taken_back_is_done_again_until_something_else_is_done(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, _ = services(archive)
        await review.edit(LessonId(1), "Tabs")
        await review.reject([LessonId(2)], reason="wrong")
        undo = services(archive)[1]
        await undo.undo(2)
    async with stored(tmp_path) as archive:  # it survives a restart
        review, undo = services(archive)
        assert (await undo.redo()).label == f"Edit “{TABS}”"
        assert (await undo.redo()).label == f"Reject “{TESTS}”"
        assert await states(review) == [("Tabs", "waiting"), (TESTS, "rejected")]
        assert (await review.lessons())[1].reason == "wrong"
        assert await learn(archive, TESTS, session="s2") == 0  # it stays away again
        with pytest.raises(Refused, match="nothing to do again"):
            await undo.redo()
        await undo.undo()
        await review.later([LessonId(1)])
        with pytest.raises(Refused, match="nothing to do again"):
            await undo.redo()
        assert await states(review) == [("Tabs", "later"), (TESTS, "waiting")]


async def test_a_lesson_without_evidence_is_shown_but_not_kept(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        async with archive.database.write() as connection:
            await connection.execute("delete from evidence where lesson_id = 1")
        review, undo = services(archive)
        with pytest.raises(Refused, match="lesson 1 was found in is gone"):
            await review.keep([LessonId(1), LessonId(2)])
        assert await states(review) == [(TABS, "waiting"), (TESTS, "waiting")]
        assert await undo.commands() == []
        (rejected,) = await review.reject([LessonId(1)])
        assert rejected.state is LessonState.REJECTED


async def test_counts_say_how_many_stand_where_and_when_the_newest_was_found(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as archive:
        review, _ = services(archive)
        assert await review.counts() == LessonCounts()
        await learn(archive, TABS)
        archive.clock.tick(seconds=1)
        await learn(archive, TESTS, session="s2")
        found = archive.clock()
        archive.clock.tick(seconds=1)
        await review.later([LessonId(1)])
        assert await review.counts() == LessonCounts(waiting=1, later=1, last_found=found)


async def test_evidence_names_the_segment_of_its_turn(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, _ = services(archive)
        (lesson,) = await review.lessons()
        rows = await archive.rows(
            "select segment_id from episode where id = ?", lesson.evidence[0].turn
        )
        assert rows == [(lesson.evidence[0].segment,)]
        assert lesson.evidence[0].segment is not None


async def test_near_copies_are_looked_for_among_kept_lessons_only(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, "I prefer tabs over spaces", "I prefer tabs to spaces", TESTS)
        review, _ = services(archive)
        (first, second, _) = await review.lessons()
        assert await review.near_copies(first) == []
        (kept,) = await review.keep([second.id])
        assert await review.near_copies(first) == [Wording(kept.id, kept.text, kept.project)]


async def test_near_copies_are_compared_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def compared(_lesson: Lesson, _others: Sequence[Wording]) -> list[Wording]:
        threads.append(threading.current_thread())
        return []

    monkeypatch.setattr("archivist.services.review.near_copies", compared)
    async with stored(tmp_path) as archive:
        await learn(archive, TABS)
        review, _ = services(archive)
        await review.near_copies((await review.lessons())[0])
    assert len(threads) == 1
    assert threading.main_thread() not in threads


async def test_what_was_seen_otherwise_is_not_decided_about(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        review, undo = services(archive)
        seen = await review.lessons()
        tabs, tests = (lesson.id for lesson in seen)
        await review.edit(tabs, "I prefer spaces")
        await review.keep([tests])
        decisions = (
            review.keep([tabs], seen=seen),
            review.reject([tests], seen=seen),
            review.later([tabs, tests], seen=seen),
            review.reopen([tests], seen=seen),
            review.edit(tabs, "I prefer four spaces", seen=seen[0]),
        )
        for decision in decisions:
            with pytest.raises(Refused, match="changed elsewhere") as caught:
                await decision
            assert caught.value.key == CHANGED
        assert await states(review) == [("I prefer spaces", "waiting"), (TESTS, "kept")]
        assert len(await undo.commands()) == 2
        await review.later([tabs], seen=await review.lessons())
        assert await states(review) == [("I prefer spaces", "later"), (TESTS, "kept")]


async def test_a_change_between_reading_and_writing_is_found_too(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, TABS, TESTS)
        store = ReviewStore(archive.database)
        before = await store.lessons(None)
        review, undo = services(archive)
        await review.edit(before[1].id, "Run the tests")
        words = {"label": "Keep", "reason": None, "caller": None, "at": 1}
        assert not await store.set_state(before, LessonState.KEPT, **words)  # type: ignore[arg-type]
        assert await states(review) == [(TABS, "waiting"), ("Run the tests", "waiting")]
        assert len(await undo.commands()) == 1
