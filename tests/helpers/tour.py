"""A person at the program: runs it whole in this process and presses its keys and buttons.

`python -m helpers.tour PROFILE HOME` ends with the program's own exit code, or with 9 and a
traceback where the person did not find what they looked for.
"""

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QToolBar,
    QToolButton,
    QTreeView,
    QWidget,
)

from archivist import compose
from archivist.gui import shell
from archivist.gui.application import Application
from archivist.gui.lessons.window import LessonsWindow
from archivist.gui.memory.choose_files import ChooseFiles
from archivist.gui.memory.window import MemoryWindow
from archivist.gui.places import Room
from archivist.gui.segments.window import SegmentsWindow
from archivist.machine.single import Instance
from archivist.paths import Paths
from archivist.services.facade import Services
from helpers.windows import until

Window = TypeVar("Window", bound=QWidget)
LOST: Final = 9
CONTROL: Final = Qt.KeyboardModifier.ControlModifier
LEFT: Final = Qt.MouseButton.LeftButton

QUESTION: Final = "staging database"
KEPT: Final = ("Our staging database is called orders_stage.", "Log timestamps in UTC")
EDITED: Final = "Always run the migrations with --dry-run first."
REWORDED: Final = "Run every migration with --dry-run first."
REJECTED: Final = "We'll use RabbitMQ for the order events."
BY_HAND: Final = "- Written by hand between two proposals.\n"


async def tour(memory: Path) -> None:
    """Search, read, review, approve a change, edit by hand, merge, take back, quit."""
    await _search()
    await _review()
    await _approve(memory)
    QTest.keyClick(await _window(MemoryWindow), Qt.Key.Key_Q, CONTROL)


async def _search() -> None:
    window = await _window(SegmentsWindow)
    page = window.page
    await until(lambda: page.model.rowCount() > 50)
    QTest.keyClick(window, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(page.bar.box, QUESTION)
    await until(lambda: 0 < page.model.rowCount() < 50)
    QTest.keyClick(page.bar.box, Qt.Key.Key_Down)
    await until(lambda: QUESTION in page.preview.text.toPlainText())
    QTest.keyClick(page.results.table, Qt.Key.Key_Return)
    await until(page.preview.text.hasFocus)
    _click_way(window, "Lessons")


async def _review() -> None:
    window = await _window(LessonsWindow)
    page = window.page
    await until(lambda: page.model.rowCount() > 20)
    for text in KEPT:
        _click_lesson(window, text)
        QTest.keyClick(page.list, Qt.Key.Key_K)
    await until(lambda: len([one for one in page.model.lessons if one.state == "kept"]) == 2)
    _click_lesson(window, EDITED)
    QTest.keyClick(page.list, Qt.Key.Key_E)
    await until(page.card.sentence.hasFocus)
    QTest.keyClick(page.card.sentence, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(page.card.sentence, REWORDED)
    QTest.keyClick(page.card.sentence, Qt.Key.Key_Return)
    await until(lambda: any(one.text == REWORDED for one in page.model.lessons))
    _click_lesson(window, REJECTED)
    QTest.keyClick(page.list, Qt.Key.Key_R)
    QTest.keyClick(QApplication.focusWidget() or page.list, Qt.Key.Key_5)
    await until(lambda: any(one.state == "rejected" for one in page.model.lessons))
    _click_way(window, "Memory")


async def _approve(memory: Path) -> None:
    window = await _window(MemoryWindow)
    changes = window.changes
    before = memory.read_bytes()
    await until(changes.nothing.choose.isVisible)
    QTest.mouseClick(changes.nothing.choose, LEFT)
    await _use(memory)
    await until(lambda: len(changes.hunks.cards) == 2)
    first, second = changes.hunks.cards
    QTest.mouseClick(second.box, LEFT, pos=_mark_of(second.box))
    assert (first.box.isChecked(), second.box.isChecked()) == (True, False)
    QTest.mouseClick(changes.write, LEFT)
    await until(lambda: memory.read_bytes() != before)
    with memory.open("ab") as file:
        file.write(BY_HAND.encode())
    await until(lambda: changes.state_line.message)  # the window has seen the file
    await until(lambda: len(changes.hunks.cards) == 1)
    await _window(MemoryWindow)
    one_written = memory.read_bytes()
    card = changes.hunks.cards[0]
    if not card.box.isChecked():
        QTest.mouseClick(card.box, LEFT, pos=_mark_of(card.box))
    QTest.keyClick(card.box, Qt.Key.Key_Return, CONTROL)
    await until(lambda: memory.read_bytes() != one_written)
    assert BY_HAND in memory.read_text()
    await until(lambda: changes.done_line.message)
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    await until(lambda: memory.read_bytes() == one_written)


async def _use(memory: Path) -> None:
    dialog = await _window(ChooseFiles)
    await until(lambda: dialog.rows)
    (row,) = [row for row in dialog.rows if str(memory) in row.box.accessibleName()]
    QTest.mouseClick(row.box, LEFT, pos=_mark_of(row.box))
    await until(row.box.isChecked)
    (buttons,) = dialog.findChildren(QDialogButtonBox)
    (close,) = [
        button
        for button in buttons.buttons()
        if buttons.buttonRole(button) is QDialogButtonBox.ButtonRole.RejectRole
    ]
    QTest.mouseClick(close, LEFT)
    await until(lambda: not dialog.isVisible())


async def _window(kind: type[Window]) -> Window:
    """Wait for a window to be in front."""
    found: list[Window] = []

    def is_there() -> bool:
        found[:] = [
            one
            for one in QApplication.topLevelWidgets()
            if isinstance(one, kind) and one.isVisible()
        ]
        return bool(found)

    await until(is_there)
    found[0].activateWindow()  # what a window manager does when a dialog above it is closed
    await until(found[0].isActiveWindow)
    return found[0]


def _click_way(window: QWidget, name: str) -> None:
    """Click on the bar's way to another window."""
    (bar,) = [bar for bar in window.findChildren(QToolBar) if bar.objectName() == "navigation"]
    (button,) = [
        button for button in bar.findChildren(QToolButton) if button.text().startswith(name)
    ]
    QTest.mouseClick(button, LEFT)


def _click_lesson(window: LessonsWindow, text: str) -> None:
    """Click on the row of a lesson that begins so."""
    listed: QTreeView = window.page.list
    (lesson,) = [one for one in window.page.model.lessons if one.text.startswith(text)]
    row = window.page.model.row_of(lesson.id)
    assert row is not None
    index: QModelIndex = window.page.model.index(row, 0)
    listed.scrollTo(index)
    QTest.mouseClick(listed.viewport(), LEFT, pos=listed.visualRect(index).center())


def _mark_of(box: QWidget) -> QPoint:
    """Return where the mark of a checkbox is; beside its text a click does nothing."""
    return QPoint(box.height() // 2, box.height() // 2)


class Person:
    """Goes on the tour while the program runs, and ends it where they are lost."""

    def __init__(self, profile: Path, home: Path) -> None:
        self._profile = profile
        self._home = home
        self.is_lost = False

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Services]:
        """Open the services, and sit down at the program."""
        async with (
            compose.opened(self._profile, self._home) as services,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(self._goes())
            yield services

    async def _goes(self) -> None:
        try:
            await tour(self._home / "code" / "orders-api" / "MEMORY.md")
        except BaseException:
            self.is_lost = True
            traceback.print_exc()
            app = QApplication.instance()
            assert isinstance(app, Application)
            app.quit_asked.emit()
            if not isinstance(sys.exception(), Exception):
                raise


def main(profile: Path, home: Path) -> int:
    """Run the program with a person at it."""
    person, paths = Person(profile, home), Paths(profile)
    code = shell.run(
        shell.Start(
            opened=person.opened,
            instance=Instance(lock=paths.lock, socket=paths.socket),
            data=paths.data,
            room=Room.SEGMENTS,
        )
    )
    return LOST if person.is_lost else code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
