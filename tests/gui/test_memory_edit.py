"""A line under edit in the memory window: nothing typed is lost, nothing unseen is written."""

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from archivist.gui.dialogs import Question
from archivist.gui.memory.hunk_card import HunkCard
from archivist.gui.memory.line_editor import LineEditor
from archivist.gui.memory.preview import PreviewDialog
from archivist.gui.memory.window import MemoryWindow
from helpers import windows
from helpers.memory_window import (
    FILE,
    focused,
    kept,
    open_dialog,
    press,
    settled,
    shown,
    texts,
)
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


def editor_of(card: HunkCard) -> LineEditor:
    assert card.editor is not None
    return card.editor


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))


def is_in_sight(window: MemoryWindow, widget: QWidget) -> bool:
    """Tell whether all of a widget can be seen in the list of changes."""
    seen = window.changes.hunks.viewport()
    place = QRect(widget.mapTo(seen, QPoint(0, 0)), widget.size())
    return not place.isEmpty() and seen.rect().contains(place)


# Writing while a line is edited


def test_nothing_is_done_while_typed_words_wait_in_any_card(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule", "Third rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            first, second, third = window.changes.hunks.cards
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), ", typed")
            click(third.box)  # now another card is the current one
            assert not third.box.isChecked()
            for act in (
                partial(press, Qt.Key.Key_Return, ctrl=True),
                partial(click, window.changes.write),
                partial(click, window.changes.reject),
                partial(click, window.changes.preview),
            ):
                second.box.setFocus()
                window.statusBar().clearMessage()
                act()
                assert "Save the line" in window.statusBar().currentMessage()
                assert editor_of(first).field.hasFocus()  # there it waits
            second.box.setFocus()
            press(Qt.Key.Key_E)
            assert second.editor is None  # one line at a time
            await settled(it)
            assert target.read_bytes() == FILE
            assert open_dialog(PreviewDialog) is None
            assert open_dialog(Question) is None
            assert editor_of(first).field.toPlainText() == "First rule, typed"
            press(Qt.Key.Key_Return)
            await until(lambda: texts(window.changes.hunks.cards)[0] == "First rule, typed")
            await settled(it)
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            assert target.read_bytes() == FILE + b"\r\n- First rule, typed\r\n- Second rule"
            assert texts(window.changes.hunks.cards) == ["Third rule"]

    qrun(story())


def test_a_line_in_which_nothing_was_typed_is_left_and_what_is_shown_is_written(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            first, second = window.changes.hunks.cards
            press(Qt.Key.Key_E)
            click(second.box)
            second.box.setFocus()
            press(Qt.Key.Key_E)
            assert (first.editor, second.editor is None) == (None, False)
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            assert target.read_bytes() == FILE + b"\r\n- First rule"
            assert texts(window.changes.hunks.cards) == ["Second rule"]  # read anew

    qrun(story())


def test_what_is_not_there_any_more_is_not_written_and_the_list_is_read_anew(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            (first, _) = window.changes.hunks.hunks
            window.desk.signals.end()  # the window does not hear of it in time
            window._watch.follow([])
            await it.services.memory.edit(first.id, "First rule, from elsewhere")
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.banner.message)
            await settled(it)
            assert target.read_bytes() == FILE
            assert texts(window.changes.hunks.cards)[0] == "First rule, from elsewhere"

    qrun(story())


# Leaving


def test_typed_words_go_only_when_escape_is_pressed_twice_in_a_row(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            (card,) = window.changes.hunks.cards
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), "!")
            press(Qt.Key.Key_Escape)
            assert "Esc once more" in window.statusBar().currentMessage()
            QTest.keyClicks(focused(), "!")
            press(Qt.Key.Key_Escape)  # what was typed since is asked about too
            assert editor_of(card).field.toPlainText() == "First rule!!"
            press(Qt.Key.Key_Escape)
            assert card.editor is None
            assert card.box.hasFocus()
            assert window.isVisible()
            # Undo in the field is about what was typed there, and nothing typed is nothing to ask.
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), "abc")
            press(Qt.Key.Key_Z, ctrl=True)
            assert editor_of(card).field.toPlainText() == "First rule"
            press(Qt.Key.Key_Z, ctrl=True)
            press(Qt.Key.Key_Escape)
            assert card.editor is None
            await settled(it)
            assert window.statusBar().currentMessage() != ""
            assert len(await it.services.review.lessons()) == 1
            assert target.read_bytes() == FILE

    qrun(story())


def test_a_window_that_is_closed_saves_the_line(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), ", typed")
            window.close()
            await settled(it)
            (lesson,) = await it.services.review.lessons()
            assert lesson.text == "First rule, typed"
            assert target.read_bytes() == FILE

    qrun(story())


def test_a_line_that_is_being_saved_takes_no_letters_and_is_saved_once(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), ", typed")
            (card,), field = window.changes.hunks.cards, focused()
            press(Qt.Key.Key_Return)
            press(Qt.Key.Key_Return)
            QTest.keyClicks(field, " too late")
            assert editor_of(card).field.toPlainText() == "First rule, typed"
            await until(lambda: texts(window.changes.hunks.cards) == ["First rule, typed"])
            await settled(it)
            assert window.banner.message == ""
            assert window.statusBar().currentMessage() == "Changed."

    qrun(story())


def test_enter_on_the_same_words_changes_nothing(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            (card,) = window.changes.hunks.cards
            press(Qt.Key.Key_E)
            press(Qt.Key.Key_Return)
            assert card.editor is None
            assert card.box.hasFocus()
            await settled(it)
            assert window.statusBar().currentMessage() == ""
            assert not window.undo_button.isVisible()

    qrun(story())


# The place


def test_a_new_wording_stands_where_the_old_one_did_and_stays_current(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule", "Third rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            press(Qt.Key.Key_J)
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), ", typed")
            press(Qt.Key.Key_Return)
            wanted = ["First rule", "Second rule, typed", "Third rule"]
            await until(lambda: texts(window.changes.hunks.cards) == wanted)
            await settled(it)
            current = window.changes.hunks.current
            assert current is window.changes.hunks.cards[1]
            assert current.box.hasFocus()
            # The file gets them in the order that is shown.
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            added = b"\r\n- First rule\r\n- Second rule, typed\r\n- Third rule"
            assert target.read_bytes() == FILE + added

    qrun(story())


def test_a_wording_from_the_lessons_window_stays_current_and_focused(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule", "Third rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            press(Qt.Key.Key_J)
            lessons = {lesson.text: lesson.id for lesson in await it.services.review.lessons()}
            await it.services.review.later([lessons["First rule"]])
            await it.services.review.edit(lessons["Second rule"], "Second rule, reworded")
            wanted = ["Second rule, reworded", "Third rule"]
            await until(lambda: texts(window.changes.hunks.cards) == wanted)
            await settled(it)
            assert window.changes.hunks.current is window.changes.hunks.cards[0]
            assert window.changes.hunks.cards[0].box.hasFocus()

    qrun(story())


def test_the_line_under_edit_and_the_current_card_are_in_sight(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, *(f"Rule number {n}" for n in range(8)))
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 8)
            window.resize(700, 560)
            hunks = window.changes.hunks
            for _ in range(7):
                press(Qt.Key.Key_J)
                assert hunks.current is not None
                await until(lambda: is_in_sight(window, hunks.cards[hunks._current].box))
            last = hunks.cards[7]
            window.changes.state_line.say("One line more.")
            window.changes.done_line.say("And one.")
            await until(lambda: is_in_sight(window, last))
            window.changes.state_line.hide()
            window.changes.done_line.hide()
            press(Qt.Key.Key_E)
            await until(lambda: is_in_sight(window, editor_of(last)))
            press(Qt.Key.Key_Escape)
            for _ in range(7):
                press(Qt.Key.Key_K)
            await until(lambda: is_in_sight(window, hunks.cards[0].box))
            await settled(it)

    qrun(story())


# The border


def test_one_card_alone_has_the_strong_border(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            first, second = window.changes.hunks.cards
            accent = window.desk.look.colours.accent.rgb()

            def strong() -> list[bool]:
                QApplication.sendPostedEvents()
                pictures = [card.grab().toImage() for card in (first, second)]
                return [image.pixel(image.width() // 2, 1) == accent for image in pictures]

            assert strong() == [True, False]
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), "!")
            click(second.box)
            assert strong() == [False, True]
            click(editor_of(first).field.viewport())
            assert strong() == [True, False]
            editor_of(first).left.emit()
            await settled(it)

    qrun(story())
