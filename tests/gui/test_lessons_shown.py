"""What the lesson review shows: evidence, near copies, files, groups, nothing; and to whom."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPushButton, QTreeWidget

from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.domain.problems import Problem
from archivist.domain.review import Grouping
from archivist.gui.application import Application
from archivist.gui.contrast import READABLE, contrast
from archivist.gui.lessons.deciding import Decision
from archivist.gui.lessons.parts import EvidenceRow, Line
from archivist.gui.places import Place, Room
from helpers.audit import clipped, nameless, unreached
from helpers.lesson_review import Review, in_archive, reviewing
from helpers.palettes import palette
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
OUTBOX = LessonId(13)
_SAME = 1.1
"""A contrast that nobody sees: styles paint a highlight with a slight slope."""
MORE_EVIDENCE = """
insert or ignore into evidence
select 13, e.id, 'said again' from episode e where e.role = 'user' order by e.id limit 8
"""
A_KEPT_COPY = """
update lesson set state = 'kept', text = 'A Postgres outbox table instead of RabbitMQ' where id = 21
"""
HOSTILE = "update lesson set text = '<b>bold</b> &amp; ' || char(8238) || 'x' where id = 1"


def lines(review: Review) -> str:
    """All visible text of the card."""
    found = review.window.page.card.findChildren(Line)
    return "\n".join(line.text() for line in found if line.isVisible())


def evidence(review: Review) -> list[EvidenceRow]:
    rows = review.window.page.card.findChildren(EvidenceRow)
    return [row for row in rows if row.isVisible()]


async def at(review: Review, ident: LessonId) -> None:
    review.window.page.select(ident)
    await until(lambda: review.window.page.card.lesson == review.current)
    await until(lambda: not review.window.is_reading)


def test_evidence_is_quoted_exactly_and_each_turn_is_one_button_away(
    qrun: Run, demo_profile: Profile
) -> None:
    in_archive(demo_profile, MORE_EVIDENCE)

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            await at(review, OUTBOX)
            quotes = review.current.evidence
            assert "Said in" in review.window.page.card.why
            assert f"“{quotes[-1].quote}”" in lines(review)
            assert len(evidence(review)) == 5
            (more,) = [
                button
                for button in review.window.page.card.findChildren(QPushButton)
                if button.text() == f"Show {len(quotes) - 5} more turns"
            ]
            QTest.mouseClick(more, Qt.MouseButton.LeftButton)
            assert len(evidence(review)) == len(quotes)
            QTest.mouseClick(
                evidence(review)[1].findChildren(QPushButton)[0], Qt.MouseButton.LeftButton
            )
            wanted = quotes[-2]
            assert wanted.segment is not None
            assert review.went == [(Room.SEGMENTS, Place(wanted.segment, wanted.turn))]

    qrun(story())


def test_enter_on_a_button_of_the_evidence_opens_that_turn(
    qrun: Run, demo_profile: Profile
) -> None:
    in_archive(demo_profile, MORE_EVIDENCE)

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            await at(review, OUTBOX)
            evidence(review)[2].take_focus()
            review.press(Qt.Key.Key_Return)
            assert [thing for _, thing in review.went] == [
                Place(one.segment, one.turn)
                for one in [review.current.evidence[-3]]
                if one.segment is not None
            ]

    qrun(story())


def test_a_kept_lesson_in_nearly_the_same_words_is_shown(qrun: Run, demo_profile: Profile) -> None:
    in_archive(demo_profile, A_KEPT_COPY)

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            await at(review, OUTBOX)
            await until(lambda: "Nearly the same words as a kept lesson" in lines(review))
            assert "“A Postgres outbox table instead of RabbitMQ”" in lines(review)
            review.press(Qt.Key.Key_Down)
            await until(lambda: "Nearly the same words" not in lines(review))

    qrun(story())


def test_the_file_that_a_lesson_would_go_to_is_named(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            await at(review, OUTBOX)
            assert "No memory file is chosen for orders-api yet." in lines(review)
            (choose,) = [
                button
                for button in review.window.page.card.findChildren(QPushButton)
                if button.text() == "Choose a memory file…"
            ]
            QTest.mouseClick(choose, Qt.MouseButton.LeftButton)
            assert review.went == [(Room.MEMORY, None)]
            path = demo_profile.home / "code" / "orders-api" / "MEMORY.md"
            project = review.current.project
            await review.it.services.proposals.enable(path, project=project)
            await until(lambda: f"Would be proposed to {path}" in lines(review))
            review.press(Qt.Key.Key_K)
            await review.decided(review.row_of(OUTBOX), LessonState.KEPT)
            await at(review, OUTBOX)
            await until(lambda: f"Proposed to {path}" in lines(review))

    qrun(story())


def test_text_of_a_conversation_is_never_shown_as_markup(qrun: Run, demo_profile: Profile) -> None:
    in_archive(demo_profile, HOSTILE, "update evidence set quote = '<i>x</i>' where lesson_id = 1")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            card, model = review.window.page.card, review.window.page.model
            await at(review, LessonId(1))
            assert card.sentence.toPlainText() == "<b>bold</b> &amp; ⟪U+202E⟫x"
            assert "“<i>x</i>”" in lines(review)
            assert all(
                line.textFormat() is Qt.TextFormat.PlainText for line in card.findChildren(Line)
            )
            index = model.index(model.row_of(LessonId(1)) or 0, 0)
            assert index.data() == "<b>bold</b> &amp; ⟪U+202E⟫x"

    qrun(story())


def test_groups_are_by_project_kind_or_session_and_remembered(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            model, groups = review.window.page.model, review.window.page.groups
            chosen = review.current

            def headings() -> list[str]:
                rows = [model.index(row, 0) for row in range(model.rowCount())]
                return [i.data() for i in rows if model.lesson_at(i.row()) is None]

            assert headings() == [
                *("bookshop-web", "lagerverwaltung", "orders-api", "yoyaku", "Everywhere")
            ]
            groups.setCurrentIndex(list(Grouping).index(Grouping.KIND))
            await until(lambda: headings() == ["Decision", "Fact", "Rule", "Preference"])
            assert review.current == chosen
            groups.setCurrentIndex(list(Grouping).index(Grouping.SESSION))
            await until(lambda: "Claude Code" in headings()[0])
        async with reviewing(demo_profile) as review:
            assert review.window.page.groups.currentText() == "Session"

    qrun(story())


def test_nothing_to_review_says_so_and_when_there_was_something(
    qrun: Run, demo_profile: Profile, empty_profile: Profile
) -> None:
    in_archive(demo_profile, "update lesson set state = 'later'")

    async def nothing() -> None:
        async with reviewing(empty_profile) as review:
            assert "Nothing to review yet." in review.window.page.empty_words
            assert not review.window.page.list.isVisible()

    async def nothing_left() -> None:
        async with reviewing(demo_profile) as review:
            assert review.window.page.empty_words == "Nothing to review. Last found: today."
            assert not review.window.page.list.isVisible()
            review.window.page.tabs.setCurrentIndex(3)
            await until(review.window.page.list.isVisible)
            assert review.window.page.buttons[Decision.REOPEN].isVisible()

    qrun(nothing())
    qrun(nothing_left())


def test_a_list_that_cannot_be_read_is_said_in_the_window(
    qrun: Run, demo_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreadable(_state: LessonState | None = None) -> list[Lesson]:
        raise Problem("The archive is busy.", advice="Try again.", key="busy")

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            before = review.texts
            monkeypatch.setattr(review.it.services.review, "lessons", unreadable)
            review.press(Qt.Key.Key_F5)
            await until(lambda: review.window.banner.message == "The archive is busy. Try again.")
            assert review.texts == before

    qrun(story())


def test_a_row_is_heard_as_one_sentence(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            model = review.window.page.model
            heard = model.index(model.row_of(OUTBOX) or 0, 0).data(
                Qt.ItemDataRole.AccessibleTextRole
            )
            assert heard.startswith("Lesson, decision, waiting, for orders-api, from ")
            assert heard.endswith("Claude Code: Forget RabbitMQ, we're going with a Postgres "
                                  "outbox table instead.")  # fmt: skip

    qrun(story())


@pytest.mark.parametrize("key", [Qt.Key.Key_F1, Qt.Key.Key_Question])
def test_the_keys_are_listed(qrun: Run, demo_profile: Profile, key: Qt.Key) -> None:
    async def story() -> None:
        async with reviewing(demo_profile) as review:
            review.press(key)
            dialogs = review.window.findChildren(QDialog)
            await until(lambda: dialogs or review.window.findChildren(QDialog))
            (dialog,) = review.window.findChildren(QDialog)
            (listed,) = dialog.findChildren(QTreeWidget)
            rows = [listed.topLevelItem(row) for row in range(listed.topLevelItemCount())]
            told = {row.text(0): row.text(1) for row in rows if row is not None}
            assert "keep" in told["K"]
            dialog.close()

    qrun(story())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_has_a_name_and_is_reached_and_nothing_is_cut_off(
    qapp: Application, qrun: Run, demo_profile: Profile, theme: str
) -> None:
    before = qapp.palette()
    in_archive(demo_profile, MORE_EVIDENCE, A_KEPT_COPY)

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            qapp.setPalette(palette(theme))
            await at(review, OUTBOX)
            assert nameless(review.window) == []
            assert unreached(review.window) == []
            await until(lambda: clipped(review.window) == [])
            review.window.page.list.setFocus()
            review.press(Qt.Key.Key_R)
            assert nameless(review.window) == []
            await until(lambda: clipped(review.window) == [])
            review.press(Qt.Key.Key_Escape)
            review.press(Qt.Key.Key_E)
            assert nameless(review.window) == []
            await until(lambda: clipped(review.window) == [])
            review.window.resize(review.window.minimumSizeHint())
            await until(lambda: clipped(review.window) == [])

    qrun(story())
    qapp.setPalette(before)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_state_of_a_chosen_row_can_be_read(
    theme: str, qrun: Run, qapp: Application, demo_profile: Profile
) -> None:
    """The highlight reaches under the word, and the word stands out from it."""

    async def story() -> None:
        async with reviewing(demo_profile) as review:
            (lesson,) = review.window.page.model.lessons[:1]
            review.press(Qt.Key.Key_K)
            await review.decided(lesson, LessonState.KEPT)
            review.window.page.select(lesson.id)
            shown = review.window.page.list
            row = shown.visualRect(shown.currentIndex())
            image = shown.viewport().grab(row).toImage()
            ground = image.pixelColor(1, row.height() // 2)
            width = shown.fontMetrics().horizontalAdvance("kept")
            word = range(image.width() - round(1.5 * width), image.width())
            seen = [image.pixelColor(x, y) for x in word for y in range(image.height())]
            far = [contrast(colour, ground) for colour in seen]
            assert contrast(ground, shown.palette().color(QPalette.ColorRole.Highlight)) < _SAME
            assert sum(each < _SAME for each in far) > len(far) / 2
            assert max(far) >= READABLE

    before = qapp.palette()
    qapp.setPalette(palette(theme))
    try:
        qrun(story())
    finally:
        qapp.setPalette(before)
