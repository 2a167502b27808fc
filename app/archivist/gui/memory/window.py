"""The memory window: proposed changes of memory files, written by hand only, and their history."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QTabWidget

from archivist.domain.proposals import ProposalId, WriteId
from archivist.gui.desk import Desk
from archivist.gui.latest import Latest
from archivist.gui.memory import words
from archivist.gui.memory.acts import MemoryActs
from archivist.gui.memory.again import Again
from archivist.gui.memory.changes import ChangesPane
from archivist.gui.memory.file_watch import FileWatch
from archivist.gui.memory.history import HistoryPane
from archivist.gui.memory.put_aside import PutAside
from archivist.gui.places import Room, Thing
from archivist.gui.room import RoomWindow
from archivist.services.memory_shown import FileView
from archivist.services.memory_writes import Applied
from archivist.texts import tr

_PAUSE: Final = 0.2
"""Seconds without another touch of a file before it is read: editors write in several steps."""

_TURNS: Final = (("Ctrl+PgDown", 1), ("Ctrl+Tab", 1), ("Ctrl+PgUp", -1), ("Ctrl+Shift+Tab", -1))


class MemoryWindow(RoomWindow):
    """Reads and shows one memory file at a time; what the person does is in `acts`."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.MEMORY, title=tr("Memory changes"))
        self.changes = ChangesPane(desk.look, PutAside(desk.remembered))
        self.history = HistoryPane(desk.look)
        self.acts = MemoryActs(self, self.changes, self._look)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Changes and history"))
        self.tabs.addTab(self.changes, tr("Changes"))
        self.tabs.addTab(self.history, tr("History"))
        self.set_body(self.tabs)
        self._views: Sequence[FileView] = ()
        self._path = ""
        self._wanted: ProposalId | None = None
        self._seen: dict[str, str | None] = {}
        self._is_coming = False
        self._in_order = asyncio.Lock()
        self._reading = Again(desk.spawn, lambda: self.trying(self._look), name="memory-look")
        self._measuring, self._settling = Latest(desk.spawn), Latest(desk.spawn)
        self._picking, self._recalling = Latest(desk.spawn), Latest(desk.spawn)
        self._watch = FileWatch(self)
        self._letters = self._bind_keys()
        self._connect()

    # What every window does.

    def refresh(self) -> None:
        """Read the files and what is proposed to them."""
        self._reading.ask()

    def show_at(self, thing: Thing) -> None:
        """Show the file of a proposal, by its number."""
        if isinstance(thing, int) and self.acts.is_line_saved():
            self.tabs.setCurrentWidget(self.changes)
            self._wanted = ProposalId(thing)
            self._take(self._views)
        self._is_coming = True
        self.refresh()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of this window."""
        return (
            ("Space", tr("choose the change, or not")),
            ("J  K", tr("next change, back")),
            ("E", tr("edit the line in place; Enter saves, Esc leaves it as it was")),
            ("P", tr("preview the whole file")),
            ("Ctrl+Enter", tr("write what is chosen")),
            ("Ctrl+PgDown  Ctrl+PgUp", tr("changes, history")),
            ("Ctrl+Tab  Ctrl+Shift+Tab", tr("changes, history")),
        )

    def escape(self) -> None:
        """Leave the line under edit; otherwise close."""
        if self.tabs.currentWidget() is self.changes and self.changes.hunks.is_editing:
            self.acts.leave_line()
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

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save a line that is under edit; all else waits as it is."""
        self.acts.save_what_is_typed()
        super().closeEvent(event)

    # Reading.

    def _look_again(self) -> None:
        if self.isVisible():
            self._reading.ask()

    def _on_file_touched(self) -> None:
        self._settling.after(_PAUSE, self._look_at_rest, name="memory-settle")

    async def _look_at_rest(self) -> None:
        self._look_again()

    async def _look(self, *, ends_edit: bool = False) -> None:
        """Read and show; what is typed stays, and the end of the edit looks again."""
        async with self._in_order:
            views = await self.desk.services.memory.look(self._seen)
            self._watch.follow(view.target.path for view in views)
            if ends_edit:
                self.changes.hunks.leave_edits()
            if not self.changes.hunks.is_editing:
                self._take(views)
        if self.tabs.currentWidget() is self.history:
            await self._recall()

    async def _recall(self) -> None:
        self.history.show_writes(await self.desk.services.memory.history())

    def _take(self, views: Sequence[FileView]) -> None:
        """Show what was read."""
        self._views = views
        for view in views:
            self._seen[view.target.path] = view.sha
            self.changes.state_line.note(view)
            if self._wanted is not None and view.proposal == self._wanted:
                self._path, self._wanted = view.target.path, None
        paths = [view.target.path for view in views]
        if self._path not in paths:
            waiting = [view.target.path for view in views if view.hunks]
            self._path = (waiting or paths or [""])[0]
        self._show()

    def _show(self) -> None:
        before = self.changes.view
        self.changes.show_files(self._views, self._path)
        view = self.changes.view
        if view != before:
            self._measure_soon()
        self.changes.state_line.tell(view)
        self.acts.keep_done_line(view)
        if self._is_coming:
            self._is_coming = False
            self.changes.hunks.go(0)

    def _pick(self, path: str) -> None:
        if self.acts.is_line_saved():
            self._path = path
            self._show()
        else:
            self.changes.show_name(self._path)

    def _measure_soon(self) -> None:
        self._measuring.start(self.trying(self._measure), name="memory-measure")

    async def _measure(self) -> None:
        view, chosen = self.changes.view, self.changes.hunks.chosen
        if view is None or view.proposal is None or not self.changes.may_look_ahead:
            self.changes.show_budget("", is_over=False)
            return
        result = await self.desk.services.memory.preview(view.proposal, chosen)
        size, lines = result.size, len(result.lines)
        text = words.budget(size, lines, view.readers)
        self.changes.show_budget(text, is_over=words.is_over(size, lines, view.readers))

    async def _show_written(self, write: WriteId) -> None:
        self.history.show_diff(await self.desk.services.memory.written(write))

    # Wiring.

    def _bind_keys(self) -> list[QAction]:
        """Bind the keys; return those that act on the changes, and on nothing unseen."""
        hunks, acts = self.changes.hunks, self.acts
        letters = [
            self._add_key(tr("Next change"), "J", lambda: hunks.go(1)),
            self._add_key(tr("Change before"), "K", lambda: hunks.go(-1)),
            self._add_key(tr("Edit line"), "E", acts.edit_line),
            self._add_key(tr("Preview file"), "P", acts.preview),
            self._add_key(tr("Write"), "Ctrl+Return", acts.write),
            self._add_key(tr("Write"), "Ctrl+Enter", acts.write),
        ]
        hunks.addActions(letters[:-1])
        hunks.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for keys, by in _TURNS:
            self._add_key("", keys, partial(self._turn, by))
        return letters

    def _connect(self) -> None:
        changes, hunks, acts = self.changes, self.changes.hunks, self.acts
        self.desk.signals.proposals_changed.connect(self._look_again)
        self.desk.signals.lessons_changed.connect(self._look_again)
        self._watch.touched.connect(self._on_file_touched)
        changes.file_picked.connect(self._pick)
        changes.files_wanted.connect(acts.choose_files)
        changes.preview_wanted.connect(acts.preview)
        changes.later_wanted.connect(self.close)
        changes.reject_wanted.connect(acts.reject_rest)
        changes.write_wanted.connect(acts.write)
        changes.state_line.files_wanted.connect(acts.choose_files)
        changes.state_line.preview_wanted.connect(acts.preview)
        changes.state_line.look_wanted.connect(self.refresh)
        hunks.choice_changed.connect(self._measure_soon)
        hunks.edit_left.connect(self.refresh)
        acts.wrote.connect(self._on_wrote)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.history.picked.connect(self._on_write_picked)
        self.history.taken_back.connect(acts.take_back)

    def _turn(self, by: int, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's
        """Go to another tab, and to what it lists."""
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())
        if self.tabs.currentWidget() is self.history:
            self.history.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif self.changes.hunks.current is not None:
            self.changes.hunks.focus_on(self.changes.hunks.current)

    def _on_tab_changed(self) -> None:
        is_history = self.tabs.currentWidget() is self.history
        for action in self._letters:
            action.setEnabled(not is_history)
        if is_history:
            self._recalling.start(self.trying(self._recall), name="memory-history")

    def _on_wrote(self, done: Applied) -> None:
        self._seen[done.path] = done.sha256
        self.changes.state_line.forget(done.path)

    def _on_write_picked(self, write: WriteId) -> None:
        self._picking.start(self.trying(lambda: self._show_written(write)), name="memory-written")
