"""The lesson review by its keys, on a real profile."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QListWidget

from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.gui.dialogs import Question
from archivist.gui.lessons.deciding import Decision
from archivist.gui.places import Place, Room
from helpers.lesson_review import CTRL, SHIFT, Review, in_archive, reviewing, shown
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
KEPT, REJECTED = LessonState.KEPT, LessonState.REJECTED
LATER, WAITING = LessonState.LATER, LessonState.WAITING


def lessons(review: Review, count: int) -> list[Lesson]:
    return review.window.page.model.lessons[:count]


def listed(dialog: Question) -> list[str]:
    rows = dialog.findChild(QListWidget)
    assert rows is not None
    return [rows.item(row).text() for row in range(rows.count())]


def answer(dialog: Question, role: QDialogButtonBox.ButtonRole) -> None:
    box = dialog.findChild(QDialogButtonBox)
    assert box is not None
    (button,) = [b for b in box.buttons() if box.buttonRole(b) is role]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_one_key_decides_and_moves_on_and_the_row_stays(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second, third = lessons(review, 3)
            texts = review.texts
            assert review.current == first
            review.press(Qt.Key.Key_K)
            assert review.current.id == second.id
            await review.decided(first, KEPT)
            review.press(Qt.Key.Key_L)
            await review.decided(second, LATER)
            assert await review.states([first, second, third]) == ["kept", "later", "waiting"]
            assert review.texts == texts
            assert review.current.id == third.id
            await until(lambda: review.window.page.tabs.tabText(1) == "Kept 1")
            assert review.window.page.tabs.tabText(0) == f"Waiting {len(texts) - 2}"

    qrun(story())


def test_keys_faster_than_the_disk_each_decide_about_their_own_lesson(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows = lessons(review, 4)
            for key in (Qt.Key.Key_K, Qt.Key.Key_L, Qt.Key.Key_K, Qt.Key.Key_U, Qt.Key.Key_U):
                review.press(key)
            await until(lambda: review.row(rows[0]).state is KEPT)
            await until(lambda: "Taken back: Put off" in review.said)
            assert await review.states(rows) == ["kept", "waiting", "waiting", "waiting"]
            assert review.current.id == rows[1].id

    qrun(story())


def test_keys_after_the_last_lesson_decide_nothing_twice(qrun: Run, demo_profile: Profile) -> None:
    in_archive(demo_profile, "update lesson set state = 'later' where id > 2")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows = lessons(review, 3)
            assert len(rows) == 2
            review.press(Qt.Key.Key_K, times=4)
            await review.decided(rows[1], KEPT)
            review.press(Qt.Key.Key_K, times=2)
            assert await review.states(rows) == ["kept", "kept"]
            assert len(await review.it.services.undo.commands()) == 2

    qrun(story())


def test_a_rejection_asks_why_in_one_optional_key(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows, reasons = lessons(review, 8), review.window.page.reasons
            for number in range(1, 6):
                review.press(Qt.Key.Key_R)
                assert reasons.isVisible()
                review.press(Qt.Key(Qt.Key.Key_0 + number))
                assert not reasons.isVisible()
            review.press(Qt.Key.Key_R, times=2)
            review.press(Qt.Key.Key_R)
            review.press(Qt.Key.Key_Return)
            await review.decided(rows[6], REJECTED)
            assert await review.states(rows) == [
                *("rejected wrong", "rejected trivial", "rejected private"),
                *("rejected known", "rejected old", "rejected", "rejected", "waiting"),
            ]
            assert review.went == []  # Enter answered the question and opened nothing

    qrun(story())


def test_escape_rejects_nothing_and_moving_on_neither(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows, reasons = lessons(review, 2), review.window.page.reasons
            review.press(Qt.Key.Key_R)
            review.press(Qt.Key.Key_Escape)
            assert not reasons.isVisible()
            assert review.window.isVisible()
            review.press(Qt.Key.Key_R)
            review.press(Qt.Key.Key_Down)
            assert not reasons.isVisible()
            review.press(Qt.Key.Key_1)
            review.press(Qt.Key.Key_K)
            await review.decided(rows[1], KEPT)
            assert await review.states(rows) == ["waiting", "kept"]

    qrun(story())


def test_undo_returns_the_row_to_waiting_chosen_and_in_its_place(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second = lessons(review, 2)
            texts = review.texts
            review.press(Qt.Key.Key_K)
            review.press(Qt.Key.Key_R)
            review.press(Qt.Key.Key_1)
            await review.decided(second, REJECTED)
            review.press(Qt.Key.Key_U)
            await review.decided(second, WAITING)
            await until(lambda: review.current.id == second.id)  # the list may have been faster
            review.press(Qt.Key.Key_Z, CTRL)
            await review.decided(first, WAITING)
            await until(lambda: review.current.id == first.id)
            assert review.texts == texts
            review.press(Qt.Key.Key_Z, CTRL | SHIFT)
            await review.decided(first, KEPT)
            await until(lambda: review.said.startswith("Done again: Keep"))

    qrun(story())


def test_u_takes_back_nothing_but_a_decision(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (first,) = lessons(review, 1)
            review.press(Qt.Key.Key_K)
            await review.decided(first, KEPT)
            await review.it.services.preferences.set("archive.idle_minutes", "3")
            review.press(Qt.Key.Key_U)
            await until(lambda: review.window.banner.message)
            assert (
                "was not about a lesson: Set archive.idle_minutes" in review.window.banner.message
            )
            assert len(await review.it.services.undo.commands()) == 2
            review.press(Qt.Key.Key_Z, CTRL)
            await until(lambda: "Taken back: Set archive" in review.said)
            assert await review.states([first]) == ["kept"]

    qrun(story())


def test_the_sentence_is_edited_in_place(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (first,) = lessons(review, 1)
            card = review.window.page.card
            review.press(Qt.Key.Key_E)
            assert card.sentence.hasFocus()
            review.type("Keep it rude, like us")  # k, e, r, l and u are letters here
            review.press(Qt.Key.Key_Return)
            await until(lambda: review.row(first).text == "Keep it rude, like us")
            (stored,) = await review.it.services.review.find([first.id])
            assert (stored.state, stored.said) == (WAITING, first.said)
            await until(lambda: card.found_as == f"Found as: “{first.said}”")
            assert not card.is_editing
            assert review.window.page.list.hasFocus()
            review.press(Qt.Key.Key_K)
            await review.decided(first, KEPT)

    qrun(story())


def test_an_edit_is_saved_once_however_often_it_is_asked_for(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second = lessons(review, 2)
            review.press(Qt.Key.Key_E)
            review.type("In other words")
            review.press(Qt.Key.Key_Return, times=2)
            review.window.page.select(second.id)  # moving on saves what is typed
            await until(lambda: review.row(first).text == "In other words")
            review.press(Qt.Key.Key_L)
            await review.decided(second, LATER)  # it waited for all that came before it
            done = [one.name for one in await review.it.services.undo.commands()]
            assert done == ["lessons.later", "lessons.edit"]

    qrun(story())


def test_escape_gives_an_edit_up(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (first,) = lessons(review, 1)
            card = review.window.page.card
            review.press(Qt.Key.Key_E)
            review.type("Something else")
            review.press(Qt.Key.Key_Escape)
            assert card.sentence.toPlainText() == first.text
            assert review.window.isVisible()
            review.press(Qt.Key.Key_E)
            review.press(Qt.Key.Key_Return)  # unchanged: nothing to save
            assert not card.is_editing
            assert await review.it.services.undo.commands() == []

    qrun(story())


def test_a_click_edits_and_moving_on_saves_what_is_typed(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second = lessons(review, 2)
            card = review.window.page.card
            QTest.mouseClick(card.sentence.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
            assert card.is_editing
            review.type("In other words")
            review.window.page.list.setFocus()
            review.press(Qt.Key.Key_Down)
            assert review.current.id == second.id
            await until(lambda: review.row(first).text == "In other words")
            assert card.sentence.toPlainText() == second.text

    qrun(story())


def test_an_edit_that_is_refused_stays_open(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second = lessons(review, 2)
            assert first.project == second.project
            card = review.window.page.card
            review.press(Qt.Key.Key_E)
            card.sentence.setPlainText(second.text)  # QTest types Latin letters only
            review.press(Qt.Key.Key_Return)
            await until(lambda: review.window.banner.message)
            assert "already says this" in review.window.banner.message
            assert card.is_editing
            assert card.wording == second.text
            review.press(Qt.Key.Key_Escape, times=2)  # the message, then the edit
            assert card.wording == first.text

    qrun(story())


def test_enter_opens_the_turn_in_the_segments(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            evidence = review.current.evidence[-1]
            assert evidence.segment is not None
            review.press(Qt.Key.Key_Return)
            assert review.went == [(Room.SEGMENTS, Place(evidence.segment, evidence.turn))]
            _, turns = await review.it.services.browse.segment(evidence.segment)
            assert evidence.turn in {turn.id for turn in turns}

    qrun(story())


def test_several_are_kept_only_after_a_look_at_them(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows = lessons(review, 4)
            review.press(Qt.Key.Key_Down, SHIFT, times=2)
            assert review.window.page.buttons[Decision.KEEP].text() == "K Keep 3…"
            review.press(Qt.Key.Key_K)
            dialog = await review.question()
            assert listed(dialog) == [row.text for row in rows[:3]]
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            await until(lambda: not dialog.isVisible())
            assert await review.it.services.undo.commands() == []
            await review.active()
            review.press(Qt.Key.Key_K)
            dialog = await review.question()
            answer(dialog, QDialogButtonBox.ButtonRole.AcceptRole)
            await review.decided(rows[2], KEPT)
            assert await review.states(rows) == ["kept", "kept", "kept", "waiting"]
            await until(lambda: review.said == "3 lessons kept.")
            await review.active()
            review.press(Qt.Key.Key_U)
            await review.decided(rows[0], WAITING)
            assert await review.states(rows) == ["waiting"] * 4

    qrun(story())


def test_enter_on_the_question_does_nothing_to_the_lessons(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows = lessons(review, 2)
            review.press(Qt.Key.Key_Down, SHIFT)
            review.press(Qt.Key.Key_K)
            dialog = await review.question()
            review.press(Qt.Key.Key_Return)
            await until(lambda: not dialog.isVisible())
            assert await review.states(rows) == ["waiting", "waiting"]

    qrun(story())


@pytest.mark.parametrize("doubt", ["untrusted = 1", "text = 'run' || char(8203) || ' it'"])
def test_a_doubtful_lesson_is_not_kept_by_one_key(
    qrun: Run, demo_profile: Profile, doubt: str
) -> None:
    in_archive(demo_profile, f"update lesson set {doubt} where id = 1")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            assert review.current.id == 1
            assert review.window.page.card.warning != ""
            review.press(Qt.Key.Key_K)
            dialog = await review.question()
            assert len(listed(dialog)) == 1
            assert await review.states([review.current]) == ["waiting"]
            answer(dialog, QDialogButtonBox.ButtonRole.AcceptRole)
            await until(lambda: review.said == "Kept.")

    qrun(story())


def test_a_lesson_without_evidence_says_so_and_is_not_kept(
    qrun: Run, demo_profile: Profile
) -> None:
    in_archive(demo_profile, "delete from evidence where lesson_id = 1")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            assert not review.window.page.buttons[Decision.KEEP].isEnabled()
            assert "is gone" in review.window.page.card.why
            review.press(Qt.Key.Key_K)
            await until(lambda: review.window.banner.message)
            assert "lesson 1 was found in is gone" in review.window.banner.message
            assert review.current.id == 1
            assert await review.states([review.current]) == ["waiting"]
            review.press(Qt.Key.Key_Return)
            assert review.went == []

    qrun(story())


def test_what_changes_elsewhere_is_followed_and_the_choice_stays(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            rows = lessons(review, 4)
            texts = review.texts
            review.press(Qt.Key.Key_Down, times=2)
            await review.it.services.review.keep([rows[0].id])
            await review.decided(rows[0], KEPT)
            assert review.current.id == rows[2].id
            assert [one.id for one in review.window.page.selected] == [rows[2].id]
            assert review.texts == texts

    qrun(story())


def test_a_new_lesson_is_put_behind_its_group(qrun: Run, demo_profile: Profile) -> None:
    in_archive(demo_profile, "update lesson set state = 'retired' where id in (1, 2)")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            review.press(Qt.Key.Key_Down)
            chosen, before = review.current, review.texts
            await review.it.services.review.reopen([LessonId(1)])
            await until(lambda: len(review.texts) == len(before) + 1)
            (new,) = await review.it.services.review.find([LessonId(1)])
            last = max(n for n, one in enumerate(lessons(review, 99)) if one.project == new.project)
            assert review.texts[last] == new.text
            assert review.current.id == chosen.id

    qrun(story())


def test_leaving_the_window_puts_decided_lessons_where_they_belong(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            first, second = lessons(review, 2)
            review.press(Qt.Key.Key_K)
            await review.decided(first, KEPT)
            review.press(Qt.Key.Key_Escape)
            assert not review.window.isVisible()
            await shown(review.window)
            assert review.window.page.model.row_of(first.id) is None
            assert review.current.id == second.id
            review.window.page.tabs.setCurrentIndex(1)
            await until(lambda: review.texts == [first.text])
            review.press(Qt.Key.Key_B)
            await review.decided(first, WAITING)

    qrun(story())


def test_an_undone_lesson_of_another_tab_is_shown_under_its_state(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (first,) = lessons(review, 1)
            await review.it.services.review.reject([first.id])
            await review.it.services.review.keep([first.id])
            review.window.refresh()
            await until(lambda: review.window.page.model.row_of(first.id) is None)
            review.press(Qt.Key.Key_U)
            await until(lambda: review.texts == [first.text])
            assert review.window.page.tabs.currentIndex() == 2
            assert review.current.id == first.id

    qrun(story())


def test_the_window_is_opened_at_a_lesson(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            kept = lessons(review, 20)[-1]
            await review.it.services.review.keep([kept.id])
            review.window.close()
            review.window.show_at(kept.id)
            await shown(review.window)
            await until(lambda: review.texts == [kept.text])
            assert review.window.page.tabs.tabText(1) == "Kept 1"
            assert review.current.id == kept.id

    qrun(story())
