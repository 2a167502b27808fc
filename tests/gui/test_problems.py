"""The problems window on a real list of problems."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from archivist.domain.problems import Problem, ProblemRow
from archivist.gui.places import Room
from archivist.gui.problems.report import report, times
from archivist.gui.problems.window import ProblemsWindow
from helpers import windows
from helpers.audit import clipped, nameless, unreached
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]

DISK = Problem("The disk is full.", advice="Free some space.", key="disk")
FILE = Problem(
    "/home/ada/secret-project/a.jsonl cannot be read\u202e.",
    advice="Look at its rights.",
    key="read:/home/ada/secret-project/a.jsonl",
)


async def shown(it: Opened, *problems: Problem) -> ProblemsWindow:
    for problem in problems:
        await it.services.browse.report(problem)
    it.rooms.go(Room.PROBLEMS)
    window = it.rooms.window(Room.PROBLEMS)
    assert isinstance(window, ProblemsWindow)
    window.activateWindow()
    await until(window.isActiveWindow)
    await until(lambda: window.list.count() == len({p.key for p in problems}))
    return window


def test_a_problem_is_shown_with_its_advice_and_times(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it, DISK, FILE, DISK, DISK)
            assert window.pages.currentIndex() == 1
            choose(window, "disk")
            assert window.details.message.text() == "The disk is full."
            assert window.details.advice.text() == "Free some space."
            assert window.details.times.text().startswith("Happened 3 times")
            other = Qt.Key.Key_Up if window.list.currentRow() else Qt.Key.Key_Down
            QTest.keyClick(window.list, other)
            assert window.details.message.text().endswith("cannot be read⟪U+202E⟫.")
            assert "⟪U+202E⟫" in window.list.currentItem().text()

    qrun(story())


def test_clearing_takes_it_off_and_goes_on_to_the_next(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it, FILE, DISK)
            choose(window, "disk")
            QTest.mouseClick(window.details.clear, Qt.MouseButton.LeftButton)
            await until(lambda: window.list.count() == 1)
            assert [row.key for row in await it.services.browse.problems()] == [FILE.key]
            assert window.details.message.text().startswith("/home/ada")
            QTest.keyClick(window.list, Qt.Key.Key_Delete)
            await until(lambda: window.pages.currentWidget() is window.empty)
            assert await it.services.browse.problems() == []
            assert window.empty.text().startswith("No problems.")
            assert window.statusBar().currentMessage().startswith("Cleared.")

    qrun(story())


def test_the_list_follows_and_keeps_what_is_chosen(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it, DISK)
            await it.services.browse.report(FILE)
            await until(lambda: window.list.count() == 2)
            assert window.details.message.text() == "The disk is full."

    qrun(story())


def test_the_copied_report_holds_nothing_of_the_person(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it, FILE)
            QTest.mouseClick(window.details.copy, Qt.MouseButton.LeftButton)
            (copied,) = it.clipboard.texts
            assert "problem=read:…\ncount=1\n" in copied
            for word in ("ada", "secret", "jsonl", "rights", str(empty_profile.folder)):
                assert word not in copied
            assert "Report copied" in window.statusBar().currentMessage()

    qrun(story())


def test_it_can_be_used_without_a_mouse_and_read_aloud(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            window = await shown(it, DISK, FILE)
            assert nameless(window) == []
            assert unreached(window) == []
            assert clipped(window) == []
            said = [
                window.list.item(at).data(Qt.ItemDataRole.AccessibleTextRole) for at in range(2)
            ]
            assert all("Happened once" in line for line in said)
            assert any("cannot be read⟪U+202E⟫" in line for line in said)

    qrun(story())


def choose(window: ProblemsWindow, word: str) -> None:
    """Choose a problem; two of the same millisecond stand in either order."""
    rows = [at for at in range(window.list.count()) if word in window.list.item(at).text()]
    window.list.setCurrentRow(rows[0])


def row(key: str, count: int) -> ProblemRow:
    return ProblemRow(key, "message", "advice", count, 1_790_000_000_000, 1_790_000_600_000)


def test_what_happened_once_has_one_time() -> None:
    assert times(row("disk", 1)).startswith("Happened once: ")
    assert times(row("disk", 2)).startswith("Happened 2 times, first ")


def test_a_report_names_the_bug_s_place() -> None:
    text = report(row("bug-stage recap-KeyError", 4))
    assert "problem=bug-stage recap-KeyError\n" in text
    assert "first=2026-09-21T" in text
    assert "message" not in text
