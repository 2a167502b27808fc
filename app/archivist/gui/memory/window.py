"""The memory window: proposed changes of memory files, written by hand only, and their history."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QTabWidget

from archivist.domain.problems import Refused
from archivist.domain.proposals import WriteId
from archivist.gui.desk import Desk
from archivist.gui.dialogs import ask, confirm
from archivist.gui.latest import Latest
from archivist.gui.memory import words
from archivist.gui.memory.again import Again
from archivist.gui.memory.changes import ChangesPane
from archivist.gui.memory.file_choice import choose_files
from archivist.gui.memory.file_watch import FileWatch
from archivist.gui.memory.history import HistoryPane
from archivist.gui.memory.preview import PreviewDialog
from archivist.gui.places import Room, Thing
from archivist.gui.room import RoomWindow
from archivist.services.memory_shown import FileView, HunkView
from archivist.services.memory_view import CHANGED
from archivist.services.memory_writes import CONFLICT, Applied
from archivist.texts import tr, tr_n

_PAUSE: Final = 0.2
"""Seconds without another touch of a file before it is read: editors write in several steps."""


class MemoryWindow(RoomWindow):
    """Shows one memory file at a time. Nothing is written but what is chosen and seen."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.MEMORY, title=tr("Memory changes"))
        self.changes = ChangesPane(desk.look)
        self.history = HistoryPane(desk.look)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Changes and history"))
        self.tabs.addTab(self.changes, tr("Changes"))
        self.tabs.addTab(self.history, tr("History"))
        self.set_body(self.tabs)
        self._views: Sequence[FileView] = ()
        self._path = ""
        self._seen: dict[str, str | None] = {}
        self._done: Applied | None = None
        self._is_writing = False
        self._is_coming = False
        self._reading = Again(desk.spawn, lambda: self.trying(self._look), name="memory-look")
        self._measuring, self._settling = Latest(desk.spawn), Latest(desk.spawn)
        self._picking = Latest(desk.spawn)
        self._watch = FileWatch(self)
        self._connect()
        self._add_letters()

    def refresh(self) -> None:
        """Read the files and what is proposed to them."""
        self._reading.ask()

    def show_at(self, thing: Thing) -> None:
        """Show the file of a proposal, by its number."""
        for view in self._views:
            if view.proposal is not None and view.proposal == thing:
                self._pick(view.target.path)
        self._is_coming = True
        self.refresh()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of this window."""
        return (
            ("Space", tr("choose the change, or not")),
            ("J  K", tr("next change, back")),
            ("E", tr("edit the line in place")),
            ("P", tr("preview the whole file")),
            ("Ctrl+Enter", tr("write what is chosen")),
        )

    def escape(self) -> None:
        """Leave the line under edit; otherwise close."""
        if self.changes.hunks.is_editing:
            self.changes.hunks.leave_edits()
            self.refresh()
        else:
            super().escape()

    def restyle(self) -> None:
        """Take the colours of the look."""
        super().restyle()
        self.changes.restyle()
        self.history.restyle()

    def changeEvent(self, event: QEvent) -> None:
        """Look again when the person comes back to the window."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self._look_again()

    def _connect(self) -> None:
        changes, hunks = self.changes, self.changes.hunks
        self.desk.signals.proposals_changed.connect(self._look_again)
        self.desk.signals.lessons_changed.connect(self._look_again)
        self._watch.touched.connect(self._on_file_touched)
        changes.file_picked.connect(self._pick)
        changes.files_wanted.connect(self.choose_files)
        changes.preview_wanted.connect(self.preview)
        changes.later_wanted.connect(self.close)
        changes.reject_wanted.connect(self.reject_rest)
        changes.write_wanted.connect(self.write)
        changes.state_line.files_wanted.connect(self.choose_files)
        changes.state_line.preview_wanted.connect(self.preview)
        changes.state_line.look_wanted.connect(self.refresh)
        hunks.choice_changed.connect(self._measure_soon)
        hunks.asked.connect(self._on_hunk_asked)
        hunks.reworded.connect(self._on_hunk_reworded)
        hunks.lesson_wanted.connect(self._on_lesson_wanted)
        hunks.edit_left.connect(self.refresh)
        self.history.picked.connect(self._on_write_picked)
        self.history.taken_back.connect(self._on_taken_back)

    def _add_letters(self) -> None:
        hunks = self.changes.hunks
        actions = [
            self._add_key(tr("Next change"), "J", lambda: hunks.go(1)),
            self._add_key(tr("Change before"), "K", lambda: hunks.go(-1)),
            self._add_key(tr("Edit line"), "E", self.edit_line),
            self._add_key(tr("Preview file"), "P", self.preview),
            self._add_key(tr("Write"), "Ctrl+Return", self.write),
            self._add_key(tr("Write"), "Ctrl+Enter", self.write),
        ]
        hunks.addActions(actions[:-1])
        hunks.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    # What the person does.

    def write(self) -> None:
        """Write what is chosen; while a line is edited, save its wording instead."""
        current = self.changes.hunks.current
        if current is not None and current.editor is not None:
            current.editor.save()
        elif self.changes.may_write and not self._is_writing:
            self._is_writing = True
            self.act(self._write(), name="memory-write")

    def preview(self) -> None:
        """Show the whole file as it would be."""
        view = self.changes.view
        if view is not None and view.hunks:
            self.act(self._preview(view), name="memory-preview")

    def reject_rest(self) -> None:
        """Reject what is not chosen."""
        self.act(self._reject(), name="memory-reject")

    def edit_line(self) -> None:
        """Edit the line of the current change in place."""
        card = self.changes.hunks.current
        if card is None:
            return
        if len(card.hunk.sources) == 1:
            card.edit()
        else:
            self.notice(tr("This line says several lessons; edit them in the lessons window."))

    def choose_files(self) -> None:
        """Choose which memory files lessons are proposed to."""
        self.act(self._choose_files(), name="memory-files")

    async def _choose_files(self) -> None:
        await choose_files(self)
        await self._look()

    # Reading.

    def _look_again(self) -> None:
        if self.isVisible():
            self._reading.ask()

    def _on_file_touched(self) -> None:
        self._settling.after(_PAUSE, self._look_at_rest, name="memory-settle")

    async def _look_at_rest(self) -> None:
        self._look_again()

    async def _look(self) -> None:
        views = await self.desk.services.memory.look(self._seen)
        self.history.show_writes(await self.desk.services.memory.history())
        self._watch.follow(view.target.path for view in views)
        if self.changes.hunks.is_editing:
            return  # what is typed stays; the end of the edit looks again
        self._take(views)

    def _take(self, views: Sequence[FileView]) -> None:
        """Show what was read."""
        self._views = views
        for view in views:
            self._seen[view.target.path] = view.sha
            self.changes.state_line.note(view)
        paths = [view.target.path for view in views]
        if self._path not in paths:
            waiting = [view.target.path for view in views if view.hunks]
            self._path = (waiting or paths or [""])[0]
        self._show()

    def _show(self) -> None:
        self.changes.show_files(self._views, self._path)
        view = self.changes.view
        self.changes.state_line.tell(view)
        done = self._done
        if done is not None and (view is None or view.sha != done.sha256):
            self.changes.done_line.hide()
        if self._is_coming:
            self._is_coming = False
            self.changes.hunks.go(0)

    def _pick(self, path: str) -> None:
        if self.changes.hunks.is_editing:
            self.changes.show_name(self._path)
            self.notice(tr("Save the line that you are editing first, or leave it."))
        else:
            self._path = path
            self._show()

    def _measure_soon(self) -> None:
        self._measuring.start(self.trying(self._measure), name="memory-measure")

    async def _measure(self) -> None:
        view, chosen = self.changes.view, self.changes.hunks.chosen
        if view is None or view.proposal is None or not view.hunks:
            return
        result = await self.desk.services.memory.preview(view.proposal, chosen)
        size, lines = result.size, len(result.lines)
        text = words.budget(size, lines, view.readers)
        self.changes.show_budget(text, is_over=words.is_over(size, lines, view.readers))

    # Doing.

    async def _write(self) -> None:
        try:
            view, chosen = self.changes.view, self.changes.hunks.chosen
            if view is None or view.proposal is None:
                return
            done = await self.desk.services.memory.write(view.proposal, chosen, seen=view.sha)
        except Refused as refused:
            await self._refused(refused)
        else:
            await self._wrote(done)
        finally:
            self._is_writing = False

    async def _refused(self, refused: Refused) -> None:
        if refused.key == CHANGED:
            await self._look()
            self.notice(refused.message)
        elif refused.key == CONFLICT:
            self.banner.say(refused.message, action=tr("Propose again"), run=self.refresh)
        else:
            raise refused

    async def _wrote(self, done: Applied) -> None:
        self._seen[done.path] = done.sha256
        self.changes.state_line.forget(done.path)
        self._done = done
        self.changes.done_line.say(
            words.written(done.written, done.path), action=tr("Undo"), run=self._undo_last
        )
        await self._look()

    def _undo_last(self) -> None:
        if self._done is not None:
            self.act(self._take_out(self._done.write), name="memory-undo")

    def _on_taken_back(self, write: WriteId) -> None:
        self.act(self._take_out(write), name="memory-undo")

    async def _take_out(self, write: WriteId) -> None:
        try:
            await self.desk.services.proposals.undo_write(write)
        except Refused as refused:
            if refused.key != CONFLICT:
                raise
            self.banner.say(tr("{what} Nothing was changed: edit the file by hand.",
                               what=refused.message),
                            action=tr("Look again"), run=self.refresh)  # fmt: skip
            return
        self.notice(tr("Taken back; the changes wait again."))
        await self._look()

    async def _reject(self) -> None:
        chosen = self.changes.hunks.chosen
        rest = [hunk for hunk in self.changes.hunks.hunks if hunk.id not in chosen]
        count = len(rest)
        verb = tr("Reject {n}", n=count)
        question = tr("Reject these changes? They are not proposed again.")
        if not rest:
            return
        lines = [hunk.text for hunk in rest]
        if count > 1 and not await confirm(self, question, lines=lines, verb=verb):
            return
        await self.desk.services.proposals.reject([hunk.id for hunk in rest])
        self.notice(tr_n("Rejected {n} change.", "Rejected {n} changes.", count), undoable=True)
        await self._look()

    async def _preview(self, view: FileView) -> None:
        if view.proposal is None:
            return
        chosen = self.changes.hunks.chosen
        result = await self.desk.services.memory.preview(view.proposal, chosen)
        await ask(PreviewDialog(self, self.desk.look, view.target.path, result.lines))

    def _on_hunk_asked(self, hunk: HunkView) -> None:
        self.act(self._confirm(hunk), name="memory-care")

    async def _confirm(self, hunk: HunkView) -> None:
        question = words.care_question(hunk)
        if await confirm(self, question, lines=[hunk.text], verb=tr("Choose it")):
            self.changes.hunks.choose(hunk)

    def _on_hunk_reworded(self, hunk: HunkView, text: str) -> None:
        self.act(self._reword(hunk, text), name="memory-edit")

    async def _reword(self, hunk: HunkView, text: str) -> None:
        hunks = self.changes.hunks
        was_chosen = hunk.id in hunks.chosen
        new = await self.desk.services.memory.edit(hunk.id, text)
        hunks.leave_edits()
        await self._look()
        for again in hunks.hunks:
            if again.id == new:
                hunks.choose(again, chosen=was_chosen and set(again.cares) <= set(hunk.cares))

    def _on_lesson_wanted(self, hunk: HunkView) -> None:
        self.desk.go(Room.LESSONS, hunk.sources[0].lesson)

    def _on_write_picked(self, write: WriteId) -> None:
        self._picking.start(self.trying(lambda: self._show_written(write)), name="memory-written")

    async def _show_written(self, write: WriteId) -> None:
        self.history.show_diff(await self.desk.services.memory.written(write))
