"""`Save clipboard now`, the first time and after, with a window and without."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from archivist.gui.clip_saver import ClipSaver
from archivist.gui.dialogs import Question
from archivist.gui.places import Room
from archivist.ports.machine import Message
from archivist.services.capture import answered
from helpers import windows
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


class Saver:
    """The saver on an open profile, over a clipboard with always the same text."""

    def __init__(self, it: Opened) -> None:
        self.it = it
        self.told: list[str] = []
        self.saver = ClipSaver(
            it.rooms.desk,
            self.save,
            shown=lambda: next(reversed(it.rooms.shown), None),
            beside_tray=lambda title, text: self.told.append(f"{title}: {text}"),
        )

    async def save(self) -> Message:
        return answered(await self.it.services.capture.save("A text that was copied."))

    def ask(self) -> None:
        self.it.rooms.desk.spawn(self.saver.save(), name="clipboard")


def questions() -> list[Question]:
    widgets = QApplication.topLevelWidgets()
    return [w for w in widgets if isinstance(w, Question) and w.isVisible()]


def press(text: str) -> None:
    (question,) = questions()
    (button,) = [b for b in question.findChildren(QPushButton) if b.text() == text]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_it_asks_once_then_saves_and_the_leave_can_be_taken_back(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            saver = Saver(it)
            for _ in range(3):
                saver.ask()
            await until(lambda: questions() and not len(it.rooms.desk.supervisor._live) > 1)
            assert len(questions()) == 1
            press("Allow")
            await until(lambda: saver.told)
            assert saver.told == ["Save clipboard: Saved the clipboard as one text."]
            saver.ask()
            await until(lambda: len(saver.told) == 2)
            assert questions() == []
            labels = [command.label for command in await it.services.undo.commands()]
            assert labels[-1] == "Set clipboard.allowed to True"
            await it.services.undo.undo(2)
            saver.ask()
            await until(questions)
            press("Not now")
            await until(lambda: not it.rooms.desk.supervisor._live)
            assert len(saver.told) == 2

    qrun(story())


def test_in_a_window_the_question_and_the_answer_are_the_window_s(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            it.rooms.go(Room.PROBLEMS)
            window = it.rooms.window(Room.PROBLEMS)
            saver = Saver(it)
            saver.ask()
            await until(questions)
            assert questions()[0].parent() is window
            press("Allow")
            await until(lambda: window.statusBar().currentMessage().startswith("Saved"))
            assert saver.told == []

    qrun(story())


def test_no_command_line_is_shown_where_the_source_is_switched_off(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            await it.services.preferences.set("sources.off", "clipboard")
            saver = Saver(it)
            saver.ask()
            await until(questions)
            press("Allow")
            await until(lambda: saver.told)
            assert "archivist settings" not in saver.told[0]
            assert "switched off in the settings" in saver.told[0]

    qrun(story())
