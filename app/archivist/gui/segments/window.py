"""The segment browser: search as you type on the left of what is found, one segment to read."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QShowEvent

from archivist.domain.problems import Problem
from archivist.domain.segment_list import Order
from archivist.domain.turns import SegmentId
from archivist.gui.desk import Desk
from archivist.gui.latest import Latest
from archivist.gui.places import Place, Room, Thing
from archivist.gui.room import RoomWindow
from archivist.gui.segments import words
from archivist.gui.segments.model import Column
from archivist.gui.segments.page import SegmentsPage
from archivist.gui.segments.results import Way
from archivist.gui.segments.sidebar import narrowed_to
from archivist.gui.segments.status import ActivityLine
from archivist.services.segment_list import Listing
from archivist.services.segment_text import markdown
from archivist.services.supervise import settled
from archivist.texts import tr

TYPING_SECONDS: Final = 0.12
_SLOW_MS: Final = 200
_SETTLE_MS: Final = 400
"""Changes that come in a row are shown together."""
_FIRST: Final = 50
"""So many rows are read before the list is shown: more than a screen holds."""
_USUAL: Final = QSize(1240, 760)
_ORDER: Final = "segments-order"
_SOURCES_OFF: Final = "sources.off"


class SegmentsWindow(RoomWindow):
    """Of each kind of reading only the latest counts: typing on cancels the search before."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.SEGMENTS, title=tr("Segments"), usual=_USUAL)
        self.page = SegmentsPage(desk.look)
        self.activity = ActivityLine(desk.look, desk.running)
        self.set_body(self.page)
        self.statusBar().addWidget(self.activity)
        self._all = 0
        self._target: Place | None = None
        self._is_stale = True
        self._searching, self._paging = Latest(desk.spawn), Latest(desk.spawn)
        self._previewing, self._counting = Latest(desk.spawn), Latest(desk.spawn)
        self._slow = self._timer(_SLOW_MS, self._on_slow_timeout)
        self._soon = self._timer(_SETTLE_MS, self._on_soon_timeout)
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
        jumps = self._target is not None
        self._searching.start(self._search(jumps=jumps), name="segments-search")
        self._counting.start(self._count(), name="segments-counts")

    def show_at(self, thing: Thing) -> None:
        """Show a segment, at a turn of it where one is named; the search makes way if it must."""
        if isinstance(thing, Place):
            self._target = thing
            if self.isVisible():
                self._go_to_target()

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
        if self._is_stale or self._target is not None:
            self._go_to_target()
        if self.focusWidget() is None:
            self.page.bar.box.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the panes and the order; the words that were searched are nobody's."""
        self.desk.remembered.keep_splitter(self.room, self.page.splitter)
        self.desk.remembered.set_text(_ORDER, self.page.bar.order)
        for work in (self._searching, self._paging, self._previewing, self._counting):
            work.cancel()
        self._slow.stop()
        self._is_stale = True
        super().closeEvent(event)

    # Making it.

    def _timer(self, milliseconds: int, run: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(run)
        return timer

    def _connect(self) -> None:
        page = self.page
        page.bar.text_changed.connect(self._on_bar_text_changed)
        page.bar.order_changed.connect(self._on_bar_order_changed)
        page.bar.box.down.connect(page.enter_list)
        page.sidebar.filter_wanted.connect(self._on_sidebar_filter_wanted)
        page.model.wanted.connect(self._on_model_wanted)
        page.results.table.moved.connect(self._on_table_moved)
        page.results.table.opened.connect(page.preview.text.setFocus)
        page.results.table.horizontalHeader().sectionClicked.connect(self._on_head_section_clicked)
        page.preview.copy_wanted.connect(self.copy)
        page.preview.transcript_wanted.connect(self.open_transcript)
        page.preview.lesson_wanted.connect(partial(self.desk.go, Room.LESSONS))
        signals = self.desk.signals
        signals.activity_changed.connect(self.activity.show_activity)
        for changed in (signals.segments_changed, signals.lessons_changed):
            changed.connect(self._on_archive_changed)

    def _add_actions(self) -> None:
        page, table = self.page, self.page.results.table
        copy = self._action(tr("Copy as Markdown"), "Ctrl+C", self.copy)
        # Elsewhere it copies the text that is selected.
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        of_a_row = (
            self._action(tr("Open transcript"), "Ctrl+O", self.open_transcript),
            self._action(tr("Open folder"), "", self.open_folder),
            self._action(tr("Go to its lessons"), "Ctrl+L", page.preview.ask_for_lessons),
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

    # What the person does.

    def copy(self) -> None:
        """Copy the shown segment as Markdown."""
        content = self.page.preview.content
        if content is not None:
            self.desk.clipboard.put(markdown(content, words.when))
            self.notice(words.copied(content.row))

    def open_transcript(self) -> None:
        """Open the file that the segment was read from."""
        if (segment := self.page.results.current) is not None:
            self.act(self._open_transcript(segment), name="open-transcript")

    def open_folder(self) -> None:
        """Open the folder of that file."""
        if (segment := self.page.results.current) is not None:
            self.act(self._open_folder(segment), name="open-folder")

    async def _open_transcript(self, segment: SegmentId) -> None:
        path = await self.desk.services.segments.open_transcript(segment)
        self.notice(tr("Opened {path}", path=path))

    async def _open_folder(self, segment: SegmentId) -> None:
        path = await self.desk.services.segments.open_folder(segment)
        self.notice(tr("Opened {path}", path=path))

    def _on_bar_text_changed(self, text: str) -> None:
        self.page.sidebar.follow(text)
        self._slow.start()
        self._searching.after(TYPING_SECONDS, self._search, name="segments-search")

    def _on_bar_order_changed(self, order: Order) -> None:
        self.page.bar.set_order(order)
        self._searching.start(self._search(), name="segments-search")

    def _on_head_section_clicked(self, column: int) -> None:
        """Sort by time, the other way round where it is already; by relevance on the title."""
        if column == Column.WHEN:
            is_newest = self.page.bar.shown_order is Order.NEWEST
            self._on_bar_order_changed(Order.OLDEST if is_newest else Order.NEWEST)
        elif column == Column.TITLE:
            self._on_bar_order_changed(Order.BEST)

    def _on_sidebar_filter_wanted(self, filters: str) -> None:
        self.page.bar.set_text(narrowed_to(self.page.bar.text, filters))

    def _on_table_moved(self) -> None:
        segment = self.page.results.current
        if segment is not None:
            self._previewing.start(self._preview(segment), name="segments-preview")

    def _on_model_wanted(self) -> None:
        self._paging.start(self._read_pages(), name="segments-rows")

    def _on_slow_timeout(self) -> None:
        self.page.bar.say(tr("Searching…"))

    def _on_archive_changed(self) -> None:
        self._is_stale = True
        if self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _on_soon_timeout(self) -> None:
        if self.isVisible():
            self.refresh()

    # Reading.

    def _go_to_target(self) -> None:
        target = self._target
        if target is not None and self.page.model.place(target.segment) < 0 and self.page.bar.text:
            self.page.bar.set_text("")
        self.refresh()

    async def _search(self, *, jumps: bool = True) -> None:
        """Find what is asked for and show it; a failure is shown as one, never as nothing found."""
        page, service = self.page, self.desk.services.segments
        listing = await settled(service.find(page.bar.text, order=page.bar.order), where="search")
        if isinstance(listing, Problem):
            self._show_failure(listing)
            return
        wanted = self._wanted(listing, jumps=jumps)
        is_same = listing.ids == page.model.listing.ids and not jumps
        first = page.results.in_sight if is_same else _around(listing, wanted)
        rows = await settled(service.rows(listing, first), where="search")
        if isinstance(rows, Problem):
            self._show_failure(rows)
            return
        self._slow.stop()
        page.bar.follow(listing.filter, searches=listing.query is not None)
        page.results.show_listing(listing, rows, wanted=wanted, jumps=jumps)
        self._say_found()
        if listing.ids:
            # Not awaited here: it must give way to the preview of a row chosen meanwhile.
            self._previewing.start(self._show_chosen(), name="segments-preview")
        else:
            await self._show_none(listing)

    def _wanted(self, listing: Listing, *, jumps: bool) -> SegmentId | None:
        """Return what is to be the current row: with a new question the best answer, the first."""
        if self._target is not None:
            return self._target.segment
        return self.page.results.current if listing.query is None or not jumps else None

    async def _show_chosen(self) -> None:
        """Preview the current row, at the turn that another window asked for."""
        target, self._target = self._target, None
        segment = target.segment if target is not None else self.page.results.current
        if segment is None:
            return
        await self._preview(segment)
        if target is not None:
            if target.turn is not None:
                self.page.preview.show_turn(target.turn)
            self.page.preview.text.setFocus()

    async def _preview(self, segment: SegmentId) -> None:
        listing = self.page.model.listing
        preview = self.desk.services.segments.preview(segment, listing)
        shown = await settled(preview, where="preview")
        if isinstance(shown, Problem):
            self.page.preview.clear()
            self.trouble(shown)
            return
        self.page.preview.show_preview(shown, listing.query)

    async def _read_pages(self) -> None:
        await asyncio.sleep(0)  # what is painted in one go is read in one go
        model = self.page.model
        listing, ids = model.listing, model.take_wanted()
        rows = await settled(self.desk.services.segments.rows(listing, ids), where="rows")
        if isinstance(rows, Problem):
            self.trouble(rows)
            return
        model.put(listing, rows)

    async def _count(self) -> None:
        counts = await settled(self.desk.services.segments.counts(), where="counts")
        if isinstance(counts, Problem):
            self.trouble(counts)
            return
        self._all = counts.all
        self.page.sidebar.show_counts(counts)
        self.page.bar.set_counts(counts)
        self._say_found()

    # Where there are no rows.

    def _show_failure(self, problem: Problem) -> None:
        self._slow.stop()
        self._previewing.cancel()
        self._target = None
        self.page.show_failure(problem, (tr("Search again"), self.refresh))

    async def _show_none(self, listing: Listing) -> None:
        self._previewing.cancel()
        self.page.preview.clear()
        self._target = None
        results, services = self.page.results, self.desk.services
        if listing.query is not None or listing.filter.narrows:
            ways: list[Way] = [
                (verb, partial(self.page.bar.set_text, text))
                for verb, text in words.ways_out(listing)
            ]
            results.say(words.no_match(listing.text), ways)
        elif set(services.sources) <= set(services.settings.sources_off):
            results.say(words.nothing_recorded(), [(tr("Switch every source on"), self._listen)])
        else:
            overview = await services.overview()
            read = (tr("Read now"), self.desk.running.read_now)
            results.say(words.waiting(overview.sources), [read])

    def _say_found(self) -> None:
        listing = self.page.model.listing
        self.page.bar.say(words.found_line(listing, self._all), words.hint(listing))

    def _listen(self) -> None:
        self.act(self._switch_on(), name="sources-on")

    async def _switch_on(self) -> None:
        await self.desk.services.preferences.set(_SOURCES_OFF, None)
        self.notice(tr("Every source is read from the next start on."), undoable=True)


def _around(listing: Listing, wanted: SegmentId | None) -> Sequence[SegmentId]:
    """Return the ids that are shown first: those about a wanted segment, or the first ones."""
    ids = listing.ids
    place = ids.index(wanted) if wanted is not None and wanted in ids else 0
    begin = max(0, place - _FIRST)
    return ids[begin : place + _FIRST]
