"""The lessons window on a real profile, with real keys, for the tests of the review."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.gui.dialogs import Question
from archivist.gui.lessons.window import LessonsWindow
from archivist.gui.places import Room, Thing
from helpers import windows
from helpers.windows import Opened, Profile, until

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@dataclass(slots=True)
class Review:
    """The window, and where it wanted to go."""

    it: Opened
    window: LessonsWindow
    went: list[tuple[Room, Thing]]

    @property
    def current(self) -> Lesson:
        """The lesson with the cursor."""
        lesson = self.window.page.current
        assert lesson is not None
        return lesson

    @property
    def texts(self) -> list[str]:
        """The lessons of the list from top to bottom."""
        return [lesson.text for lesson in self.window.page.model.lessons]

    @property
    def said(self) -> str:
        """What the status line says."""
        return self.window.statusBar().currentMessage()

    def press(
        self,
        key: Qt.Key,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        times: int = 1,
    ) -> None:
        """Press a key where the focus is."""
        for _ in range(times):
            QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def type(self, text: str) -> None:
        """Type where the focus is."""
        QTest.keyClicks(QApplication.focusWidget() or self.window, text)

    async def active(self) -> None:
        """Wait until keys reach the window: the offscreen platform gives it nothing back."""
        self.window.activateWindow()
        await until(self.window.isActiveWindow)

    async def states(self, lessons: Sequence[Lesson]) -> list[str]:
        """Return the stored states of lessons, with the reason of a rejection."""
        found = {one.id: one for one in await self.it.services.review.lessons()}
        stored = [found[lesson.id] for lesson in lessons]
        return [f"{one.state} {one.reason or ''}".strip() for one in stored]

    def row(self, lesson: Lesson) -> Lesson:
        """Return a lesson as its row shows it now."""
        return self.row_of(lesson.id)

    def row_of(self, ident: LessonId) -> Lesson:
        """The same by its number."""
        row = self.window.page.model.row_of(ident)
        assert row is not None
        shown = self.window.page.model.lesson_at(row)
        assert shown is not None
        return shown

    async def decided(self, lesson: Lesson, state: LessonState) -> None:
        """Wait until the row of a lesson says so."""
        await until(lambda: self.row(lesson).state is state)

    async def question(self) -> Question:
        """Wait for a question and return it."""
        found: list[Question] = []

        def is_asked() -> bool:
            shown = self.window.findChildren(Question)
            found[:] = [dialog for dialog in shown if dialog.isVisible()]
            return bool(found)

        await until(is_asked)
        return found[0]


@asynccontextmanager
async def reviewing(profile: Profile, *, asked_by: str | None = None) -> AsyncIterator[Review]:
    """Open a profile and its lessons window, active, with its first list read."""
    went: list[tuple[Room, Thing]] = []

    def go(room: Room, thing: Thing = None) -> None:
        went.append((room, thing))

    async with windows.opened(profile, asked_by=asked_by) as it:
        window = LessonsWindow(replace(it.rooms.desk, go=go))
        try:
            await shown(window)
            yield Review(it, window, went)
        finally:  # a window that outlives its loop takes the interpreter with it
            window.page.card.end_edit()
            window.close()


async def shown(window: LessonsWindow) -> None:
    """Show the window and wait until it is active and has read its list."""
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    await until(lambda: not window.is_reading)


def in_archive(profile: Profile, *statements: str) -> None:
    """Change the archive of a profile that is not open."""
    with closing(sqlite3.connect(_archive(profile.folder))) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def _archive(folder: Path) -> Path:
    return folder / "archive.db"
