"""The two tabs of the memory window by key, what waits over a restart, and where it opens."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidget

from archivist.gui.dialogs import Listing
from archivist.gui.memory.choose_files import ChooseFiles
from archivist.gui.memory.preview import PreviewDialog
from archivist.gui.memory.window import MemoryWindow
from archivist.gui.places import Room
from helpers import windows
from helpers.memory_files import memory
from helpers.memory_window import (
    FILE,
    dialog,
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
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def chosen(window: MemoryWindow) -> dict[str, bool]:
    return {card.hunk.text: card.box.isChecked() for card in window.changes.hunks.cards}


# Keys


def test_keys_of_the_changes_do_nothing_from_the_history(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            hunks = window.changes.hunks
            press(Qt.Key.Key_PageDown, ctrl=True)
            for key in (Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_E, Qt.Key.Key_P):
                press(key)
            for enter in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                press(enter, ctrl=True)
            await settled(it)
            assert target.read_bytes() == FILE
            assert not hunks.is_editing
            assert hunks.current is hunks.cards[0]
            assert open_dialog(PreviewDialog) is None
            press(Qt.Key.Key_PageUp, ctrl=True)
            press(Qt.Key.Key_J)
            assert hunks.current is hunks.cards[1]
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: target.read_bytes() != FILE)
            await settled(it)

    qrun(story())


@pytest.mark.parametrize(
    "there, back",
    [
        ((Qt.Key.Key_PageDown, CTRL), (Qt.Key.Key_PageUp, CTRL)),
        ((Qt.Key.Key_PageUp, CTRL), (Qt.Key.Key_PageDown, CTRL)),
        ((Qt.Key.Key_Tab, CTRL), (Qt.Key.Key_Backtab, CTRL | SHIFT)),
        ((Qt.Key.Key_Backtab, CTRL | SHIFT), (Qt.Key.Key_Tab, CTRL)),
    ],
)
def test_keys_change_tabs_wherever_the_focus_is(
    qrun: Run,
    empty_profile: Profile,
    target: Path,
    there: tuple[Qt.Key, Qt.KeyboardModifier],
    back: tuple[Qt.Key, Qt.KeyboardModifier],
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            press(Qt.Key.Key_Space)
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            QTest.keyClick(focused(), *there)
            assert window.tabs.currentWidget() is window.history
            assert window.history.list.hasFocus()
            await until(lambda: window.history.list.count() == 1)
            await settled(it)
            QTest.keyClick(focused(), *back)
            assert window.tabs.currentWidget() is window.changes
            assert window.changes.hunks.cards[0].box.hasFocus()
            press(Qt.Key.Key_E)
            QTest.keyClick(focused(), *there)
            assert window.tabs.currentWidget() is window.history
            QTest.keyClick(focused(), *back)
            editor = window.changes.hunks.cards[0].editor
            assert editor is not None
            assert editor.field.hasFocus()
            await settled(it)

    qrun(story())


def test_the_list_of_keys_names_those_that_change_tabs(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            await shown(it, 1)
            press(Qt.Key.Key_F1)
            (table,) = (await dialog(Listing)).findChildren(QTreeWidget)
            found = table.findItems("Ctrl", Qt.MatchFlag.MatchContains)
            keys = " ".join(item.text(0) for item in found)
            for name in ("Ctrl+PgDown", "Ctrl+PgUp", "Ctrl+Tab", "Ctrl+Shift+Tab"):
                assert name in keys.split()
            press(Qt.Key.Key_Escape)
            await settled(it)

    qrun(story())


# What waits, over a restart


def test_what_was_put_aside_stays_so_over_a_restart_whatever_its_wording(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule", "Third rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            press(Qt.Key.Key_Space)
            press(Qt.Key.Key_J)
            press(Qt.Key.Key_Space)
            press(Qt.Key.Key_Space)  # chosen again
            window.close()
            assert chosen(await shown(it, 3))["First rule"] is False
            (first, *_) = [lesson.id for lesson in await it.services.review.lessons()]
        async with memory(empty_profile.folder) as here:  # not in the window, and not while it runs
            await here.review.edit(first, "First rule, reworded")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            assert chosen(window) == {
                "First rule, reworded": False,
                "Second rule": True,
                "Third rule": True,
            }
            assert window.changes.write.text() == "Write 2 ▸"
            press(Qt.Key.Key_Space)
        async with windows.opened(empty_profile) as it:
            assert all(chosen(await shown(it, 3)).values())
        kept_words = (empty_profile.folder / "windows.ini").read_text()
        assert "rule" not in kept_words  # numbers alone

    qrun(story())


def test_a_wording_that_was_not_chosen_is_not_chosen_after_a_restart(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "Always run\u200b the tests")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            press(Qt.Key.Key_E)
            press(Qt.Key.Key_Return)
            await until(lambda: texts(window.changes.hunks.cards) == ["Always run the tests"])
            await settled(it)
            assert not any(chosen(window).values())
        async with windows.opened(empty_profile) as it:
            assert not any(chosen(await shown(it, 1)).values())

    qrun(story())


# Where it opens


def test_a_proposal_opens_its_file_though_the_window_is_made_for_it(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        (empty_profile.home / "sub").mkdir()
        other = empty_profile.home.resolve() / "sub" / "MEMORY.md"
        await kept(empty_profile, target, "First rule")
        await kept(empty_profile, other)
        async with windows.opened(empty_profile) as it:
            await it.services.proposals.propose()
            proposals = {p.file: p.id for p in await it.services.proposals.proposals()}
            it.rooms.go(Room.MEMORY, proposals[str(other)])
            window = await shown(it, 1)
            assert window.changes.path.accessibleName() == str(other)
            window.refresh()
            await settled(it)
            assert window.changes.path.accessibleName() == str(other)
            window.tabs.setCurrentWidget(window.history)
            it.rooms.go(Room.MEMORY, proposals[str(target)])
            assert window.tabs.currentWidget() is window.changes
            assert window.changes.path.accessibleName() == str(target)
            await settled(it)

    qrun(story())


# Names


def test_a_project_with_an_ampersand_has_its_name_and_no_key(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        folder = empty_profile.home.resolve() / "R&D"
        folder.mkdir()
        (folder / "MEMORY.md").write_bytes(FILE)
        async with windows.opened(empty_profile) as it:
            await it.services.proposals.enable(folder / "MEMORY.md", project=str(folder))
            window = await shown(it, 0)
            window.acts.choose_files()
            choice = await dialog(ChooseFiles)
            await until(lambda: choice.rows)
            (row,) = choice.rows
            assert row.box.shortcut().isEmpty()
            assert row.box.text() == "MEMORY.md · R&&D"  # as Qt writes one &
            choice.reject()
            await settled(it)

    qrun(story())


# A file that nothing can be proposed to


def test_a_file_that_cannot_take_lessons_does_not_say_that_there_are_none(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target)
        target.write_bytes(FILE + b"\r\n\xff\r\n")
        await kept(empty_profile, None, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 0)
            assert "not UTF-8" in window.changes.state_line.message
            assert window.changes.pages.currentWidget() is window.changes.nothing
            assert window.changes.nothing.text.startswith("Nothing can be proposed to this file")
            target.write_bytes(FILE)
            await until(lambda: texts(window.changes.hunks.cards) == ["First rule"])
            await settled(it)

    qrun(story())
