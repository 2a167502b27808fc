"""The memory window and the files on disk: their states, their history, which are used."""

import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from archivist.domain.memory_file import fingerprint
from archivist.gui.memory.choose_files import ChooseFiles
from archivist.gui.places import Room
from helpers import windows
from helpers.audit import clipped, nameless, unreached
from helpers.memory_window import (
    FILE,
    dialog,
    focused,
    kept,
    press,
    says,
    settled,
    shown,
    texts,
)
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights and links")
HIDDEN = "Always run\u200b the tests"


# A file that changes


def test_a_hand_edit_between_shown_and_write_is_never_lost(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            edited = FILE + b"\r\n- By hand"
            target.write_bytes(edited)
            press(Qt.Key.Key_Return, ctrl=True)  # before anything could notice
            await until(lambda: window.changes.state_line.message)
            await settled(it)
            assert target.read_bytes() == edited
            assert "redone on top of it" in window.changes.state_line.message
            assert "Nothing was written" in window.statusBar().currentMessage()
            assert "- By hand" in window.changes.hunks.cards[0].rows.accessibleName()
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            assert target.read_bytes() == edited + b"\r\n- First rule"
            assert window.changes.state_line.message == ""

    qrun(story())


def test_an_edit_in_another_program_is_noticed(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", "Second rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 2)
            press(Qt.Key.Key_J)
            press(Qt.Key.Key_Space)
            for text in (b"\r\n- By hand", b"\r\n- By hand, again"):
                draft = target.with_name("draft")  # as editors save
                draft.write_bytes(FILE + text)
                draft.replace(target)
                await until(partial(says, window, text.decode().strip()))
            await settled(it)
            assert "changed on disk just now" in window.changes.state_line.message
            # What was chosen, and where the person was, stays.
            assert [card.box.isChecked() for card in window.changes.hunks.cards] == [True, False]
            assert window.changes.hunks.cards[1].box.hasFocus()
            QTest.mouseClick(window.changes.state_line._close, Qt.MouseButton.LeftButton)
            window.refresh()
            await settled(it)
            assert window.changes.state_line.message == ""

    qrun(story())


@POSIX
def test_missing_read_only_and_linked_files_each_say_one_thing(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        target.unlink()
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            line = window.changes.state_line
            assert "does not exist" in line.message
            assert window.changes.write.text() == "Create with 1 ▸"
            target.write_bytes(FILE)
            target.chmod(0o444)
            await until(lambda: "read-only" in line.message)
            assert not window.changes.write.isEnabled()
            press(Qt.Key.Key_Return, ctrl=True)
            target.chmod(0o644)
            QTest.mouseClick(line._action, Qt.MouseButton.LeftButton)
            await until(window.changes.write.isEnabled)
            assert "read-only" not in line.message
            target.unlink()
            target.symlink_to(empty_profile.home)
            await until(lambda: "symbolic link" in line.message)
            await settled(it)
            assert texts(window.changes.hunks.cards) == ["First rule"]  # it waits
            assert window.changes.pages.currentWidget() is window.changes.hunks
            assert not window.changes.write.isEnabled()
            assert not window.changes.preview.isEnabled()
            assert window.changes.budget.text() == ""
            press(Qt.Key.Key_Return, ctrl=True)
            press(Qt.Key.Key_P)
            press(Qt.Key.Key_E)
            assert "once its file can be read" in window.statusBar().currentMessage()
            await settled(it)
            assert target.is_symlink()
            target.unlink()
            window.refresh()
            await until(window.changes.write.isEnabled)
            press(Qt.Key.Key_Return, ctrl=True)
            await until(target.exists)
            assert target.read_bytes() == b"## Preferences\n\n- First rule\n"

    qrun(story())


def test_lines_that_were_changed_since_are_not_taken_out(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            edited = FILE + b"\r\n- First rule, but mine"
            target.write_bytes(edited)
            window.acts.undo_last()
            await until(lambda: window.banner.message)
            await settled(it)
            assert "near line 7, were changed since" in window.banner.message
            assert target.read_bytes() == edited
            assert window.changes.done_line.message == ""

    qrun(story())


def test_a_conflict_is_named_and_proposed_again(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            view = window.changes.view
            assert view is not None
            edited = b"# Notes\r\n\r\nRewritten.\r\n"
            target.write_bytes(edited)
            # As if it were rewritten just after the comparison with what is shown.
            window.changes._view = replace(view, sha=fingerprint(edited))
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.banner.message)
            assert "same place, near line 3," in window.banner.message
            assert target.read_bytes() == edited
            QTest.mouseClick(window.banner._action, Qt.MouseButton.LeftButton)
            await until(partial(says, window, "Rewritten."))
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: target.read_bytes() != edited)
            assert target.read_bytes() == edited + b"\r\n## Preferences\r\n\r\n- First rule\r\n"
            await settled(it)

    qrun(story())


# History


def test_history_shows_a_write_and_takes_it_back(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            assert not window.history.take_back.isEnabled()
            press(Qt.Key.Key_Return, ctrl=True)
            await until(lambda: window.changes.done_line.message)
            await settled(it)
            assert window.history.list.count() == 0  # nobody looks at it
            window.tabs.setCurrentWidget(window.history)
            await until(lambda: window.history.list.count() == 1)
            await settled(it)
            assert "in the file" in window.history.list.item(0).text()
            assert [rows.accessibleName().split("\n")[-1] for rows in window.history.diffs] == [
                "line 7, added: - First rule"
            ]
            QTest.mouseClick(window.history.take_back, Qt.MouseButton.LeftButton)
            await until(lambda: target.read_bytes() == FILE)
            await settled(it)
            assert "taken back" in window.history.list.item(0).text()
            assert not window.history.take_back.isEnabled()

    qrun(story())


# Files


def test_choosing_files_is_done_at_once(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it, 0)
            assert window.changes.pages.currentWidget() is window.changes.nothing
            assert not window.changes.files.isVisible()
            window.changes.nothing.choose.click()
            choice: ChooseFiles = await dialog(ChooseFiles)
            await until(lambda: choice.rows)
            assert nameless(choice) == []
            assert clipped(choice) == []
            (row,) = choice.rows
            assert not row.box.isChecked()
            press(Qt.Key.Key_Space)
            await until(lambda: [row for row in choice.rows if row.box.isChecked()])
            await settled_but_for_the_dialog(it)
            (target,) = await it.services.proposals.targets()
            assert target.project == "/home/demo/code/orders-api"
            choice.rows[0].scope.setCurrentIndex(1)
            await until(lambda: choice.rows[0].scope.currentText() == "lessons for everywhere")
            await settled_but_for_the_dialog(it)
            assert [one.project for one in await it.services.proposals.targets()] == [""]
            press(Qt.Key.Key_Escape)
            await until(window.changes.files.isVisible)
            await settled(it)
            assert window.changes.files.currentText() == "MEMORY.md · everywhere"
            assert window.changes.path.accessibleName() == target.path

    qrun(story())


def test_a_file_that_is_ticked_while_the_dialog_closes_is_used_all_the_same(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            window = await shown(it, 0)
            window.acts.choose_files()
            choice: ChooseFiles = await dialog(ChooseFiles)
            await until(lambda: choice.rows)
            for _ in range(3):  # on, off, on: done in the order it was asked for
                press(Qt.Key.Key_Space)
            press(Qt.Key.Key_Escape)
            await settled(it)
            assert len(await it.services.proposals.targets()) == 1
            assert [one.message for one in await it.services.browse.problems()] == []

    qrun(story())


def test_the_file_that_was_changed_keeps_the_focus(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        second = target.with_name("sub") / "MEMORY.md"
        second.parent.mkdir()
        second.write_bytes(FILE)
        async with windows.opened(empty_profile) as it:
            await it.services.proposals.enable(target)
            await it.services.proposals.enable(second, project="/code/app")
            window = await shown(it, 0)
            window.acts.choose_files()
            choice: ChooseFiles = await dialog(ChooseFiles)
            await until(lambda: len(choice.rows) == 2)
            choice.rows[1].scope.setFocus()
            choice.rows[1].scope.setCurrentIndex(0)
            await settled_but_for_the_dialog(it)
            assert choice.rows[1].scope.currentText() == "lessons for everywhere"
            assert [row.has_focus for row in choice.rows] == [False, True]
            choice.reject()
            await settled(it)

    qrun(story())


async def settled_but_for_the_dialog(it: Opened) -> None:
    live = it.rooms.desk.supervisor._live
    await until(lambda: [task.get_name() for task in live] == ["memory-files"])


def test_another_file_is_chosen_without_a_loop_of_its_own(
    qrun: Run, empty_profile: Profile, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = QFileDialog.open

    def plain(chooser: QFileDialog) -> None:
        chooser.setOption(QFileDialog.Option.DontUseNativeDialog, True)
        opened(chooser)

    monkeypatch.setattr(QFileDialog, "open", plain)

    async def story() -> None:
        wrong = target.with_name("notes.md")
        wrong.write_text("x")
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 0)
            window.acts.choose_files()
            choice: ChooseFiles = await dialog(ChooseFiles)
            for path in (wrong, target):
                choice.other_button.click()
                chooser: QFileDialog = await dialog(QFileDialog)
                chooser.selectFile(str(path))
                chooser.fileSelected.emit(str(path))
                chooser.close()
                await settled_but_for_the_dialog(it)
                assert ("not a memory file" in choice.banner.message) is (path == wrong)
            assert [one.path for one in await it.services.proposals.targets()] == [str(target)]
            choice.reject()
            await settled(it)

    qrun(story())


def test_files_are_picked_and_a_proposal_opens_its_own(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        (empty_profile.home / "sub").mkdir()
        other = empty_profile.home.resolve() / "sub" / "MEMORY.md"
        await kept(empty_profile, target, "First rule")
        await kept(empty_profile, other)
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 1)
            assert window.changes.files.count() == 2
            assert window.changes.path.accessibleName() == str(target)
            proposals = {p.file: p.id for p in await it.services.proposals.proposals()}
            it.rooms.go(Room.MEMORY, proposals[str(other)])
            assert window.changes.path.accessibleName() == str(other)
            await settled(it)
            window.changes.files.setFocus()
            press(Qt.Key.Key_Up)
            await until(lambda: window.changes.path.accessibleName() == str(target))
            window.changes.hunks.go(0)
            press(Qt.Key.Key_E)
            QTest.keyClicks(focused(), "!")
            window.show_at(proposals[str(other)])
            assert window.changes.files.currentData() == str(target)
            assert "editing" in window.statusBar().currentMessage()
            editor = window.changes.hunks.cards[0].editor
            assert editor is not None
            editor.left.emit()
            await settled(it)
            assert not window.changes.hunks.is_editing

    qrun(story())


# For everybody


def test_all_of_it_is_named_reachable_and_fits(
    qrun: Run, empty_profile: Profile, target: Path
) -> None:
    async def story() -> None:
        await kept(empty_profile, target, "First rule", HIDDEN, "回答请用中文，" * 30)
        async with windows.opened(empty_profile) as it:
            window = await shown(it, 3)
            assert nameless(window) == []
            assert clipped(window) == []
            assert unreached(window) == []
            names = [card.box.accessibleName() for card in window.changes.hunks.cards]
            assert names[0] == "Hunk 1 of 3, add 1 line under Preferences: First rule"
            wide = window.changes.hunks.cards[2].rows
            assert wide.heightForWidth(300) > 2 * wide.heightForWidth(3000)
            window.tabs.setCurrentWidget(window.history)
            assert nameless(window) == []

    qrun(story())
