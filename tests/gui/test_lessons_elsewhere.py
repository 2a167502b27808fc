"""The lesson review while another program works on the same archive, and when the program ends."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QListWidget

from archivist import compose
from archivist.domain.knowledge import Lesson, LessonState
from archivist.gui.dialogs import Question
from archivist.gui.lessons.deciding import Decision
from archivist.gui.places import Room
from helpers import windows
from helpers.lesson_review import CTRL, Review, in_archive, reviewing, shown
from helpers.program import Program
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
KEPT, WAITING, LATER = LessonState.KEPT, LessonState.WAITING, LessonState.LATER


def first(review: Review, count: int) -> list[Lesson]:
    return review.window.page.model.lessons[:count]


async def elsewhere(profile: Profile, *arguments: str) -> None:
    """Run the command line beside the windows, in its own process."""
    await asyncio.to_thread(Program(profile.folder, profile.home).run, *arguments)


@pytest.mark.long
def test_the_window_shows_what_the_command_line_did(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            desk = review.window.desk
            desk.spawn(desk.services.notice_elsewhere(), name="elsewhere")
            one, two = first(review, 2)
            await elsewhere(demo_profile, "lessons", "keep", str(one.id))
            await review.decided(one, KEPT)
            await elsewhere(demo_profile, "lessons", "edit", str(two.id), "--text", "Other words")
            await until(lambda: review.row(two).text == "Other words")
            await until(lambda: review.window.page.tabs.tabText(1) == "Kept 1")

    qrun(story())


@pytest.mark.long
def test_a_key_does_nothing_to_what_is_not_shown(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            one, two = first(review, 2)
            await elsewhere(demo_profile, "lessons", "edit", str(one.id), "--text", "Other words")
            await elsewhere(demo_profile, "lessons", "keep", str(two.id))
            review.press(Qt.Key.Key_K)
            await until(lambda: "changed elsewhere" in review.window.banner.message)
            assert await review.states([one]) == ["waiting"]
            assert review.current.text == "Other words"  # brought up to date and chosen again
            review.window.banner.hide()
            review.press(Qt.Key.Key_Down)
            assert review.current.id == two.id
            review.press(Qt.Key.Key_L)
            await until(lambda: "changed elsewhere" in review.window.banner.message)
            assert await review.states([two]) == ["kept"]
            review.press(Qt.Key.Key_Up)
            review.press(Qt.Key.Key_K)  # now it is about the words that are shown
            await review.decided(one, KEPT)

    qrun(story())


@pytest.mark.long
def test_typed_words_do_not_overwrite_others_unseen_and_are_not_lost(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (one,) = first(review, 1)
            review.press(Qt.Key.Key_E)
            review.type("My own words")
            await elsewhere(demo_profile, "lessons", "edit", str(one.id), "--text", "Other words")
            review.press(Qt.Key.Key_Return)
            await until(lambda: "changed elsewhere" in review.window.banner.message)
            message = review.window.banner.message
            assert "Other words" in message
            assert "My own words" in message
            assert review.window.page.card.wording == "My own words"
            review.press(Qt.Key.Key_Return)  # knowing it
            await until(lambda: review.row(one).text == "My own words")

    qrun(story())


def test_one_s_own_keys_are_no_change_elsewhere(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            one, two = first(review, 2)
            review.press(Qt.Key.Key_E)
            review.type("My own words")
            review.window.page.buttons[Decision.KEEP].click()  # saves what is typed, and keeps
            review.press(Qt.Key.Key_Up)
            review.press(Qt.Key.Key_L)
            await until(lambda: review.row(one).text == "My own words")
            await until(lambda: not review.window.acts._queue)
            assert review.window.banner.message == ""
            assert (await review.states([one, two]))[1] == "waiting"

    qrun(story())


def test_a_decision_while_the_sentence_is_edited_does_not_stop_its_saving(
    qrun: Run, demo_profile: Profile
) -> None:
    in_archive(demo_profile, "update lesson set state = 'rejected' where id > 1")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (one,) = first(review, 1)
            review.press(Qt.Key.Key_E)
            review.type("My own words")
            review.window.page.buttons[Decision.LATER].click()  # there is no lesson to move on to
            await review.decided(one, LATER)
            assert review.window.page.card.wording == "My own words"
            review.window.page.card.sentence.setFocus()
            review.press(Qt.Key.Key_Return)
            await until(lambda: review.row(one).text == "My own words")
            assert review.window.banner.message == ""

    qrun(story())


# Taking back.


def answer(dialog: Question, role: QDialogButtonBox.ButtonRole) -> None:
    box = dialog.findChild(QDialogButtonBox)
    assert box is not None
    (button,) = [b for b in box.buttons() if box.buttonRole(b) is role]
    button.click()


@pytest.mark.long
@pytest.mark.parametrize("key, modifiers", [(Qt.Key.Key_U, None), (Qt.Key.Key_Z, CTRL)])
def test_what_another_program_did_is_taken_back_only_after_a_question(
    key: Qt.Key, modifiers: Qt.KeyboardModifier | None, qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile, asked_by="archivist") as review:
            one, two = first(review, 2)
            review.press(Qt.Key.Key_K)
            await review.decided(one, KEPT)
            await elsewhere(demo_profile, "lessons", "keep", str(two.id))
            for role, states in (
                (QDialogButtonBox.ButtonRole.RejectRole, ["kept", "kept"]),
                (QDialogButtonBox.ButtonRole.AcceptRole, ["kept", "waiting"]),
            ):
                review.press(key, modifiers or Qt.KeyboardModifier.NoModifier)
                question = await review.question()
                listed = question.findChild(QListWidget)
                assert listed is not None
                assert two.text[:20] in listed.item(0).text()
                answer(question, role)
                await until(lambda: not review.window.acts._queue)
                assert await review.states([one, two]) == states
                await review.active()
            review.press(key, modifiers or Qt.KeyboardModifier.NoModifier)  # the window's own
            await review.decided(one, WAITING)
            assert "Taken back: Keep" in review.said

    qrun(story())


# The end.


def test_what_is_being_typed_at_the_end_is_saved(qrun: Run, demo_profile: Profile) -> None:
    edited: list[Lesson] = []

    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            it.rooms.go(Room.LESSONS)
            window = it.rooms.window(Room.LESSONS)
            await shown(window)  # type: ignore[arg-type]
            review = Review(it, window, [])  # type: ignore[arg-type]
            edited.append(review.current)
            review.press(Qt.Key.Key_E)
            review.type("Half a thought")
            it.rooms.end()
            await it.rooms.at_rest()  # as the program does before the archive is closed
        async with compose.opened(demo_profile.folder, demo_profile.home) as services:
            (lesson,) = await services.review.find([edited[0].id])
            assert lesson.text == "Half a thought"

    qrun(story())


@pytest.mark.filterwarnings("error")
def test_what_waits_its_turn_at_the_end_is_left_in_order(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            acts = review.window.acts
            async with acts._in_order:
                review.press(Qt.Key.Key_K, times=2)
                await asyncio.sleep(0)
                for task in list(review.window._in_hand):
                    task.cancel()
                await until(lambda: not acts._queue)

    qrun(story())
