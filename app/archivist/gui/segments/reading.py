"""Reads what the segment browser shows. Of each kind of reading only the latest counts."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from archivist.domain.problems import Problem
from archivist.domain.turns import SegmentId
from archivist.gui.latest import Latest
from archivist.gui.places import Place
from archivist.gui.room import RoomWindow
from archivist.gui.segments import words
from archivist.gui.segments.page import SegmentsPage
from archivist.gui.segments.results import Way
from archivist.services.segment_list import Listing
from archivist.services.supervise import settled
from archivist.texts import tr

TYPING_SECONDS: Final = 0.12
_SLOW_MS: Final = 200
_FIRST: Final = 50
"""So many rows are read before the list is shown: more than a screen holds."""


class SegmentReading(QObject):
    """Fills the page; typing on cancels the search before."""

    sources_wanted = Signal()
    """Nothing is recorded, and the person wants it to be."""

    def __init__(self, window: RoomWindow, page: SegmentsPage) -> None:
        super().__init__(window)
        self._page, self._trouble = page, window.trouble
        self._desk = window.desk
        self._service = window.desk.services.segments
        self._all = 0
        self._target: Place | None = None
        spawn = window.desk.spawn
        self._searching, self._paging = Latest(spawn), Latest(spawn)
        self._previewing, self._counting = Latest(spawn), Latest(spawn)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_MS)
        self._slow.timeout.connect(self._on_slow_timeout)

    @property
    def has_target(self) -> bool:
        """Whether another window asked for a place that is not shown yet."""
        return self._target is not None

    def refresh(self) -> None:
        """Read the list, the numbers and the chosen segment anew; nothing jumps."""
        self.search(jumps=self.has_target)
        self._counting.start(self._count(), name="segments-counts")

    def search(self, *, jumps: bool = True) -> None:
        """Find what is asked for."""
        self._searching.start(self._search(jumps=jumps), name="segments-search")

    def search_soon(self) -> None:
        """Find what is asked for when nothing more is typed."""
        self._target = None
        self._slow.start()
        self._searching.after(TYPING_SECONDS, self._search, name="segments-search")

    def aim(self, target: Place) -> None:
        """Show a place with the next reading, and until it is shown with every later one."""
        self._target = target

    def go_to_target(self) -> None:
        """Read anew; the search makes way where the place is not in its list."""
        target = self._target
        if target is not None and self._page.model.place(target.segment) < 0:
            self._page.bar.set_text("")
            self._target = target
        self.refresh()

    def show_row(self) -> None:
        """Preview the row that the person chose; whatever was aimed at makes way."""
        self._target = None
        self._show_chosen()

    def read_pages(self) -> None:
        """Read the rows that came into sight."""
        self._paging.start(self._read_pages(), name="segments-rows")

    def rest(self) -> None:
        """Read nothing any more."""
        for work in (self._searching, self._paging, self._previewing, self._counting):
            work.cancel()
        self._slow.stop()
        self._page.preview.rest()

    def _on_slow_timeout(self) -> None:
        self._page.bar.say(tr("Searching…"))

    # The list.

    async def _search(self, *, jumps: bool = True) -> None:
        """Find what is asked for and show it; a failure is shown as one, never as nothing found."""
        page, service = self._page, self._service
        listing = await settled(service.find(page.bar.text, order=page.bar.order), where="search")
        if isinstance(listing, Problem):
            self._show_failure(listing)
            return
        wanted = await settled(self._wanted(listing, jumps=jumps), where="search")
        if isinstance(wanted, Problem):
            self._show_failure(wanted)
            return
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
            self._show_chosen()
        else:
            await self._show_none(listing)

    async def _wanted(self, listing: Listing, *, jumps: bool) -> SegmentId | None:
        """Return what is to be the current row: with a new question the best answer, the first."""
        if self._target is not None:
            return self._target.segment
        if listing.query is not None and jumps:
            return None
        chosen = self._page.results.current
        if chosen is None or chosen in listing.hits or chosen in listing.ids:
            return chosen
        return await self._service.filed(chosen)

    def _say_found(self) -> None:
        listing = self._page.model.listing
        self._page.bar.say(words.found_line(listing, self._all), words.hint(listing))

    async def _read_pages(self) -> None:
        await asyncio.sleep(0)  # what is painted in one go is read in one go
        model = self._page.model
        listing, ids = model.listing, model.take_wanted()
        rows = await settled(self._service.rows(listing, ids), where="rows")
        if isinstance(rows, Problem):
            self._trouble(rows)
            return
        model.put(listing, rows)

    async def _count(self) -> None:
        counts = await settled(self._service.counts(), where="counts")
        if isinstance(counts, Problem):
            self._trouble(counts)
            return
        self._all = counts.all
        self._page.sidebar.show_counts(counts)
        self._page.bar.set_counts(counts)
        self._say_found()

    # The chosen segment.

    def _show_chosen(self) -> None:
        """Preview the current row, or the place that another window asked for.

        Not awaited by a search: it must give way to the preview of a row chosen meanwhile.
        """
        target = self._target
        segment = self._page.results.current if target is None else target.segment
        if segment is not None:
            self._page.preview.expect(segment)
            self._previewing.start(self._preview(segment, target), name="segments-preview")

    async def _preview(self, segment: SegmentId, target: Place | None) -> None:
        listing = self._page.model.listing
        shown = await settled(self._service.preview(segment, listing), where="preview")
        self._target = None  # only now: a reading that was cancelled has shown nothing
        if isinstance(shown, Problem):
            self._page.preview.clear()
            self._trouble(shown)
            return
        self._page.preview.show_preview(shown, listing.query)
        if target is not None:
            if target.turn is not None:
                self._page.preview.show_turn(target.turn)
            self._page.preview.text.setFocus()

    # Where there are no rows.

    def _show_failure(self, problem: Problem) -> None:
        self._slow.stop()
        self._previewing.cancel()
        self._page.show_failure(problem, (tr("Search again"), self.refresh))

    async def _show_none(self, listing: Listing) -> None:
        self._previewing.cancel()
        self._page.preview.clear()
        self._target = None
        results, services = self._page.results, self._desk.services
        if listing.query is not None or listing.filter.narrows:
            ways: list[Way] = [
                (verb, partial(self._page.bar.set_text, text))
                for verb, text in words.ways_out(listing)
            ]
            results.say(words.no_match(listing.text), ways)
        elif set(services.sources) <= set(services.settings.sources_off):
            on = (tr("Switch every source on"), self.sources_wanted.emit)
            results.say(words.nothing_recorded(), [on])
        else:
            overview = await services.overview()
            read = (tr("Read now"), self._desk.running.read_now)
            results.say(words.waiting(overview.sources), [read])


def _around(listing: Listing, wanted: SegmentId | None) -> Sequence[SegmentId]:
    """Return the ids that are shown first: those about a wanted segment, or the first ones."""
    ids = listing.ids
    place = ids.index(wanted) if wanted is not None and wanted in ids else 0
    begin = max(0, place - _FIRST)
    return ids[begin : place + _FIRST]
