"""What all windows share, on a window made for the test."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QListWidget, QTreeWidget

from archivist.domain.problems import Problem
from archivist.gui.dialogs import Question, confirm
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from helpers import windows
from helpers.windows import Opened, Profile, until

Run = Callable[[Coroutine[Any, Any, None]], None]


class Plain(RoomWindow):
    """A window with one field."""

    def __init__(self, it: Opened) -> None:
        super().__init__(it.rooms.desk, room=Room.PROBLEMS, title="Plain")
        self.field = QLineEdit()
        self.set_body(self.field)
        self.read = 0

    def refresh(self) -> None:
        self.read += 1

    def keys(self) -> Sequence[tuple[str, str]]:
        return [("K", "keep it")]


async def shown(it: Opened) -> Plain:
    """Show the window; keys reach it once it is active."""
    window = Plain(it)
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    return window


def test_a_problem_of_an_act_is_shown_with_its_advice(qrun: Run, empty_profile: Profile) -> None:
    async def fail() -> None:
        raise Problem("The disk is full.", advice="Free some\u202e space.")

    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it)
            window.act(fail(), name="fail")
            await until(lambda: window.banner.message)
            assert window.banner.message == "The disk is full. Free some⟪U+202E⟫ space."
            assert await it.services.browse.problems() == []  # it was told where it happened
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert window.banner.message == ""
            assert window.isVisible()
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert not window.isVisible()

    qrun(story())


def test_keys_that_every_window_has(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it)
            QTest.keyClick(window, Qt.Key.Key_F5)
            assert window.read == 1
            QTest.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
            assert it.stopped == [True]
            QTest.keyClick(window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
            assert not window.isVisible()

    qrun(story())


def test_undo_and_redo_say_what_they_did(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it)
            lesson = (await it.services.review.lessons())[0]
            await it.services.review.keep([lesson.id])
            QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: window.statusBar().currentMessage())
            assert window.statusBar().currentMessage().startswith("Taken back: Keep “")
            both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            QTest.keyClick(window, Qt.Key.Key_Z, both)
            await until(lambda: window.statusBar().currentMessage().startswith("Done again: Keep"))
            QTest.keyClick(window, Qt.Key.Key_Z, both)
            await until(lambda: window.banner.message)
            assert "nothing to do again" in window.banner.message

    qrun(story())


def test_ctrl_z_in_a_text_field_belongs_to_the_field(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it)
            lesson = (await it.services.review.lessons())[0]
            await it.services.review.keep([lesson.id])
            window.field.setFocus()
            QTest.keyClicks(window.field, "abc")
            QTest.keyClick(window.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            await asyncio.sleep(0.05)
            assert window.field.text() == ""
            assert len(await it.services.undo.commands()) == 1

    qrun(story())


def test_f1_lists_the_keys(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it)
            QTest.keyClick(window, Qt.Key.Key_F1)
            await until(lambda: window.findChildren(QTreeWidget))
            (listed,) = window.findChildren(QTreeWidget)
            rows = [listed.topLevelItem(row) for row in range(listed.topLevelItemCount())]
            told = {row.text(0): row.text(1) for row in rows if row is not None}
            assert "keep it" in told.values()
            assert told["Ctrl+W"] == "close this window"

    qrun(story())


def test_a_close_is_never_refused_and_remembers_the_size(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it)
            window.resize(777, 555)
            event = QCloseEvent()
            window.closeEvent(event)
            assert event.isAccepted()
            assert (await shown(it)).size() == window.size()

    qrun(story())


def test_a_notice_offers_undo_only_where_it_can_be_undone(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it)
            window.notice("Copied.")
            assert not window.undo_button.isVisible()
            window.notice("Kept.", undoable=True)
            assert window.undo_button.isVisible()
            window.statusBar().clearMessage()
            assert not window.undo_button.isVisible()

    qrun(story())


def test_a_question_lists_what_it_is_about_and_waits(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it)
            answers: list[bool] = []

            async def ask() -> None:
                lines = ["<b>Prefer pytest.</b>", "Hidden\u200bsign"]
                answers.append(await confirm(window, "Keep these?", lines=lines, verb="Keep 2"))

            for role in (
                QDialogButtonBox.ButtonRole.AcceptRole,
                QDialogButtonBox.ButtonRole.RejectRole,
            ):
                window.act(ask(), name="ask")
                await until(lambda: window.findChildren(Question))
                (question,) = window.findChildren(Question)
                (listed,) = question.findChildren(QListWidget)
                assert listed.item(0).text() == "<b>Prefer pytest.</b>"
                assert listed.item(1).text() == "Hidden⟪U+200B⟫sign"
                (box,) = question.findChildren(QDialogButtonBox)
                (button,) = [b for b in box.buttons() if box.buttonRole(b) is role]
                QTest.mouseClick(button, Qt.MouseButton.LeftButton)
                await until(lambda: not window.findChildren(Question))
            assert answers == [True, False]

    qrun(story())
