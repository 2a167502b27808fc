"""What the person does in the memory window. Nothing is written but what is chosen and seen."""

from collections.abc import Coroutine
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from archivist.domain.problems import Refused
from archivist.domain.proposals import WriteId
from archivist.gui.dialogs import ask, confirm
from archivist.gui.memory import words
from archivist.gui.memory.changes import ChangesPane
from archivist.gui.memory.file_choice import choose_files
from archivist.gui.memory.preview import PreviewDialog
from archivist.gui.places import Room
from archivist.gui.room import RoomWindow
from archivist.services.memory_shown import FileView, HunkView
from archivist.services.memory_view import CHANGED
from archivist.services.memory_writes import CONFLICT, Applied
from archivist.texts import tr, tr_n


class LookAnew(Protocol):
    """Reads the files and shows them."""

    def __call__(self, *, ends_edit: bool = False) -> Coroutine[Any, Any, None]:
        """Read; a line under edit keeps the list as it is, unless this ends the edit."""


class MemoryActs(QObject):
    """Acts on what the pane shows; the window reads anew and shows what came of it."""

    wrote = Signal(object)
    """A file was written."""

    def __init__(self, window: RoomWindow, changes: ChangesPane, look: LookAnew) -> None:
        super().__init__(window)
        self._window, self._changes, self._hunks = window, changes, changes.hunks
        self._services = window.desk.services
        self._look = look
        self._is_writing = False
        self._done: Applied | None = None
        self._hunks.asked.connect(self._on_hunk_asked)
        self._hunks.reworded.connect(self._on_hunk_reworded)
        self._hunks.lesson_wanted.connect(self._on_lesson_wanted)

    # The line under edit.

    def edit_line(self) -> None:
        """Edit the line of the current change in place."""
        card = self._hunks.current
        if card is None or self._is_writing:
            return
        if not self._changes.may_look_ahead:
            self._window.notice(tr("A line can be edited once its file can be read again."))
        elif len(card.hunk.sources) != 1:
            self._window.notice(
                tr("This line says several lessons; edit them in the lessons window.")
            )
        elif card.editor is not None or self.is_line_saved():
            self._hunks.edit(card)

    def is_line_saved(self) -> bool:
        """Tell whether no typed words wait to be saved; where some do, say so and go there."""
        card = self._hunks.changed
        if card is None:
            self._hunks.leave_edits()
            return True
        self._hunks.focus_on(card)
        self._window.notice(tr("Save the line that you are editing first, or leave it."))
        return False

    def leave_line(self) -> None:
        """Leave the line as it was; what was typed goes only when this is asked twice in a row."""
        if self._hunks.may_leave_edit():
            self._hunks.leave_edits()
            self._window.refresh()
        else:
            self._window.notice(
                tr("Enter saves what you typed. Esc once more leaves the line as it was.")
            )

    def save_what_is_typed(self) -> None:
        """Save a line that the person moves away from; undo brings the old words back."""
        card = self._hunks.changed
        if card is not None and card.editor is not None:
            card.editor.save()

    def _on_hunk_reworded(self, hunk: HunkView, text: str) -> None:
        if text == hunk.text:
            self._hunks.leave_edits()
            self._window.refresh()
            return
        self._hunks.set_saving(hunk, is_saving=True)
        self._window.act_to_the_end(self._reword(hunk, text), name="memory-edit")

    async def _reword(self, hunk: HunkView, text: str) -> None:
        was_chosen = hunk.id in self._hunks.chosen
        try:
            new = await self._services.memory.edit(hunk.id, text)
            await self._look(ends_edit=True)
        finally:
            self._hunks.set_saving(hunk, is_saving=False)
        for again in self._hunks.hunks:
            if again.id == new:
                chosen = was_chosen and set(again.cares) <= set(hunk.cares)
                self._hunks.choose(again, chosen=chosen)
        self._window.notice(tr("Changed."), undoable=True)

    # Writing.

    def write(self) -> None:
        """Write what is chosen, as it is shown."""
        if not self._is_writing and self.is_line_saved() and self._changes.may_write:
            self._is_writing = True
            self._window.act(self._write(), name="memory-write")

    def keep_done_line(self, view: FileView | None) -> None:
        """Offer to take the last write back for as long as the file is as it was written."""
        done = self._done
        if done is not None and (view is None or view.sha != done.sha256):
            self._changes.done_line.hide()

    def take_back(self, write: WriteId) -> None:
        """Take a write out of its file."""
        self._window.act(self._take_out(write), name="memory-undo")

    def undo_last(self) -> None:
        """Take back what the line above the changes says."""
        if self._done is not None:
            self.take_back(self._done.write)

    async def _write(self) -> None:
        try:
            view, chosen = self._changes.view, self._hunks.chosen
            if view is None or view.proposal is None:
                return
            done = await self._services.memory.write(view.proposal, chosen, seen=view.sha)
            await self._tell(done)
        except Refused as refused:
            await self._refused(refused)
        finally:
            self._is_writing = False

    async def _refused(self, refused: Refused) -> None:
        if refused.key == CONFLICT:
            self._window.banner.say(
                refused.message, action=tr("Propose again"), run=self._window.refresh
            )
            return
        await self._look()
        if refused.key != CHANGED:
            raise refused
        self._window.notice(refused.message)

    async def _tell(self, done: Applied) -> None:
        self._done = done
        self.wrote.emit(done)
        self._changes.done_line.say(
            words.written(done.written, done.path), action=tr("Undo"), run=self.undo_last
        )
        await self._look()

    async def _take_out(self, write: WriteId) -> None:
        try:
            await self._services.proposals.undo_write(write)
        except Refused as refused:
            if refused.key != CONFLICT:
                raise
            self._window.banner.say(
                tr("{what} Nothing was changed: edit the file by hand.", what=refused.message),
                action=tr("Look again"),
                run=self._window.refresh,
            )
            return
        self._window.notice(tr("Taken back; the changes wait again."))
        await self._look()

    # The other buttons.

    def reject_rest(self) -> None:
        """Reject what is not chosen."""
        if self.is_line_saved():
            self._window.act(self._reject(), name="memory-reject")

    def preview(self) -> None:
        """Show the whole file as it would be."""
        view = self._changes.view
        if view is not None and self._changes.may_look_ahead and self.is_line_saved():
            self._window.act(self._preview(view), name="memory-preview")

    def choose_files(self) -> None:
        """Choose which memory files lessons are proposed to."""
        self._window.act(self._choose_files(), name="memory-files")

    async def _reject(self) -> None:
        chosen = self._hunks.chosen
        rest = [hunk for hunk in self._hunks.hunks if hunk.id not in chosen]
        count = len(rest)
        verb = tr("Reject {n}", n=count)
        question = tr("Reject these changes? They are not proposed again.")
        if not rest:
            return
        lines = [hunk.text for hunk in rest]
        if count > 1 and not await confirm(self._window, question, lines=lines, verb=verb):
            return
        await self._services.proposals.reject([hunk.id for hunk in rest])
        self._window.notice(
            tr_n("Rejected {n} change.", "Rejected {n} changes.", count), undoable=True
        )
        await self._look()

    async def _preview(self, view: FileView) -> None:
        if view.proposal is None:
            return
        result = await self._services.memory.preview(view.proposal, self._hunks.chosen)
        look = self._window.desk.look
        await ask(PreviewDialog(self._window, look, view.target.path, result.lines))

    async def _choose_files(self) -> None:
        await choose_files(self._window)
        await self._look()

    def _on_hunk_asked(self, hunk: HunkView) -> None:
        self._window.act(self._confirm(hunk), name="memory-care")

    async def _confirm(self, hunk: HunkView) -> None:
        question = words.care_question(hunk)
        if await confirm(self._window, question, lines=[hunk.text], verb=tr("Choose it")):
            self._hunks.choose(hunk)

    def _on_lesson_wanted(self, hunk: HunkView) -> None:
        self._window.desk.go(Room.LESSONS, hunk.sources[0].lesson)
