"""The segment browser: search as you type on the left of what is found, one segment to read."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QShowEvent

from archivist.domain.segment_list import Order
from archivist.gui.desk import Desk
from archivist.gui.places import Place, Room, Thing
from archivist.gui.room import RoomWindow
from archivist.gui.segments.acts import SegmentActs
from archivist.gui.segments.model import Column
from archivist.gui.segments.page import SegmentsPage
from archivist.gui.segments.reading import SegmentReading
from archivist.gui.segments.sidebar import narrowed_to
from archivist.gui.segments.status import ActivityLine
from archivist.texts import tr

_SETTLE_MS: Final = 400
"""Changes that come in a row are shown together."""
_GROWTH_MS: Final = 1_000
"""The same for turns, of which an import brings many."""
_USUAL: Final = (292, 180)
_ORDER: Final = "segments-order"


class SegmentsWindow(RoomWindow):
    """Joins the page with what is read for it and with what the person does."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.SEGMENTS, title=tr("Segments"), usual=_USUAL)
        self.page = SegmentsPage(desk.look)
        self.activity = ActivityLine(desk.look, desk.running)
        self.set_body(self.page)
        self.statusBar().addWidget(self.activity)
        self.acts = SegmentActs(self, self.page)
        self.reading = SegmentReading(self, self.page)
        self._is_stale = True
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._on_soon_timeout)
        self._connect()
        self._add_actions()
        desk.remembered.place_splitter(self.room, self.page.splitter)
        order = desk.remembered.text(_ORDER)
        if order in set(Order):
            self.page.bar.set_order(Order(order))
        self.activity.show_activity(desk.services.activities.current)

    # What every window does.

    def refresh(self) -> None:
        """Read the list, the numbers and the chosen segment anew; nothing jumps."""
        self._is_stale = False
        self._soon.stop()
        self.reading.refresh()

    def show_at(self, thing: Thing) -> None:
        """Show a segment, at a turn of it where one is named; the search makes way if it must."""
        if isinstance(thing, Place):
            self.reading.aim(thing)
            if self.isVisible():
                self.reading.go_to_target()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of this window."""
        return (
            ("/  Ctrl+F", tr("search")),
            ("↑ ↓ PgUp PgDn Home End", tr("move in the list")),
            ("Enter", tr("read the segment")),
            ("F3  Shift+F3", tr("next match, previous match")),
            ("Ctrl+C", tr("copy the segment as Markdown")),
            ("Ctrl+O", tr("open the transcript it was read from")),
            ("Ctrl+E", tr("show long turns whole")),
            ("Ctrl+L", tr("go to its lessons")),
            ("Ctrl+B", tr("show or hide what is on the left")),
        )

    def escape(self) -> None:
        """Clear the search first, then go back to the list, then close."""
        if self.page.bar.text:
            self.page.bar.set_text("")
        elif self.page.preview.text.hasFocus():
            self.page.enter_list()
        else:
            self.close()

    def restyle(self) -> None:
        """Take the colours of the look."""
        super().restyle()
        self.page.restyle()

    def showEvent(self, event: QShowEvent) -> None:
        """Read when it comes into sight; what happened meanwhile is then in it."""
        super().showEvent(event)
        if self._is_stale or self.reading.has_target:
            self._is_stale = False
            self.reading.go_to_target()
        if self.focusWidget() is None:
            self.page.bar.box.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the panes and the order; the words that were searched are nobody's."""
        self.desk.remembered.keep_splitter(self.room, self.page.splitter)
        self.desk.remembered.set_text(_ORDER, self.page.bar.order)
        self.reading.rest()
        self._soon.stop()
        self._is_stale = True
        super().closeEvent(event)

    # Making it.

    def _connect(self) -> None:
        page = self.page
        page.bar.text_changed.connect(self._on_bar_text_changed)
        page.bar.order_changed.connect(self._on_bar_order_changed)
        page.bar.box.down.connect(page.enter_list)
        page.sidebar.filter_wanted.connect(self._on_sidebar_filter_wanted)
        page.model.wanted.connect(self.reading.read_pages)
        page.results.table.moved.connect(self.reading.show_row)
        page.results.table.opened.connect(page.preview.text.setFocus)
        page.results.table.horizontalHeader().sectionClicked.connect(self._on_head_section_clicked)
        page.preview.copy_wanted.connect(self.acts.copy)
        page.preview.transcript_wanted.connect(self.acts.open_transcript)
        page.preview.lessons_wanted.connect(self.acts.go_to_lessons)
        page.preview.lesson_wanted.connect(partial(self.desk.go, Room.LESSONS))
        self.reading.sources_wanted.connect(self.acts.listen)
        signals = self.desk.signals
        signals.activity_changed.connect(self.activity.show_activity)
        for changed in (signals.segments_changed, signals.lessons_changed):
            changed.connect(self._on_archive_changed)
        signals.turns_arrived.connect(self._on_turns_arrived)

    def _add_actions(self) -> None:
        page, table = self.page, self.page.results.table
        copy = self._action(tr("Copy as Markdown"), "Ctrl+C", self.acts.copy)
        # Elsewhere it copies the text that is selected.
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        of_a_row = (
            self._action(tr("Open transcript"), "Ctrl+O", self.acts.open_transcript),
            self._action(tr("Open folder"), "", self.acts.open_folder),
            self._action(tr("Go to its lessons"), "Ctrl+L", self.acts.go_to_lessons),
            self._action(tr("Show long turns whole"), "Ctrl+E", page.preview.unfold),
        )
        table.addActions([copy, *of_a_row])
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addActions(of_a_row)
        for text, keys, run in (
            (tr("Search"), "/", page.search_again),
            (tr("Search"), "Ctrl+F", page.search_again),
            (tr("Next match"), "F3", partial(page.preview.step, 1)),
            (tr("Previous match"), "Shift+F3", partial(page.preview.step, -1)),
            (tr("Show or hide the left pane"), "Ctrl+B", page.toggle_sidebar),
        ):
            self.addAction(self._action(text, keys, run))

    def _action(self, text: str, keys: str, run: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(run)
        return action

    # What happens.

    def _on_bar_text_changed(self, text: str) -> None:
        self.page.sidebar.follow(text)
        self.reading.search_soon()

    def _on_bar_order_changed(self, order: Order) -> None:
        self.page.bar.set_order(order)
        self.reading.search()

    def _on_head_section_clicked(self, column: int) -> None:
        """Sort by time, the other way round where it is already; by relevance on the title."""
        if column == Column.WHEN:
            is_newest = self.page.bar.shown_order is Order.NEWEST
            self._on_bar_order_changed(Order.OLDEST if is_newest else Order.NEWEST)
        elif column == Column.TITLE:
            self._on_bar_order_changed(Order.BEST)

    def _on_sidebar_filter_wanted(self, filters: str) -> None:
        self.page.bar.set_text(narrowed_to(self.page.bar.text, filters))

    def _on_archive_changed(self) -> None:
        self._look_again(_SETTLE_MS)

    def _on_turns_arrived(self) -> None:
        self._look_again(_GROWTH_MS)

    def _look_again(self, milliseconds: int) -> None:
        self._is_stale = True
        if not self.isVisible():
            return
        left = self._soon.remainingTime()
        if left < 0 or left > milliseconds:
            self._soon.start(milliseconds)

    def _on_soon_timeout(self) -> None:
        if self.isVisible():
            self.refresh()
