"""The segment browser: find segments as the person types, read a page of rows, preview one.

A search that failed raises; it never looks like an empty result.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Protocol

from archivist.domain.problems import FileProblem, Refused
from archivist.domain.query import (
    Query,
    match_expression,
    matches,
    parse_query,
    snippet,
    strict_expression,
)
from archivist.domain.segment_filter import SegmentFilter, parse_filter
from archivist.domain.segment_list import (
    MOST_HITS,
    ListedSegment,
    Narrowing,
    Order,
    SegmentContent,
    SegmentCounts,
    SegmentHit,
    session_of_unfiled,
)
from archivist.domain.snippets import MARKED, MOST_PLACES, Span
from archivist.domain.turns import SegmentId, SessionId, TurnId
from archivist.ports.machine import Clock, Opener
from archivist.texts import tr

_WIDTH = 96
"""Characters of a snippet: what answers lies in its first third, so that a narrow list shows it."""

_LOOKED_AT = 20 * MARKED
"""Characters of a turn in which matches are looked for at all."""

_AT_ONCE = 25
"""Rows whose snippets are cut without a pause: a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a text finds: ids in order and, where words were searched, the hit of each.

    `loosely`: no turn holds all words, these hold some of them. `is_cut`: more turns answer than
    were looked up; those here are the best.
    """

    text: str = ""
    filter: SegmentFilter = field(default_factory=SegmentFilter)
    query: Query | None = None
    ids: tuple[SegmentId, ...] = ()
    hits: Mapping[SegmentId, SegmentHit] = field(default_factory=dict)
    loosely: bool = False
    is_cut: bool = False
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Preview:
    """One segment, and where in its turns the question is answered.

    `has_more`: it is answered in parts of long turns too that are not shown.
    """

    content: SegmentContent
    spans: Mapping[TurnId, tuple[Span, ...]]
    has_more: bool = False


class SearchedSegments(Protocol):
    """Where segments are listed."""

    async def ids(self, narrowing: Narrowing, *, order: Order) -> list[SegmentId]:
        """Return the segments that pass the filters, in order."""

    async def hits(self, match: str, narrowing: Narrowing, *, order: Order) -> list[SegmentHit]:
        """Return the segments with turns that match an FTS5 expression, in order."""

    async def rows(self, segments: Sequence[SegmentId]) -> list[ListedSegment]:
        """Return the rows of these segments, in their order; those that are gone are left out."""

    async def texts(self, turns: Iterable[TurnId]) -> Mapping[TurnId, str]:
        """Return the beginnings of turns with what their tools were asked."""

    async def counts(self, *, today: int, week: int) -> SegmentCounts:
        """Return the numbers beside the list."""

    async def content(self, segment: SegmentId) -> SegmentContent | None:
        """Return all of one segment, None for an unknown id."""

    async def file(self, segment: SegmentId) -> str | None:
        """Return the transcript that a segment was read from, as recorded."""

    async def newest(self, session: SessionId) -> SegmentId | None:
        """Return the segment of a session that was opened last."""


class SegmentList:
    """What the segment browser asks. `timer` gives seconds."""

    def __init__(
        self,
        store: SearchedSegments,
        *,
        opener: Opener,
        clock: Clock,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._store = store
        self._opener = opener
        self._clock = clock
        self._timer = timer

    async def find(self, text: str, *, order: Order = Order.BEST) -> Listing:
        """Return the segments for what was typed: all of them for nothing."""
        began = self._timer()
        asked = parse_filter(text, today=self._today())
        narrowing, query = _narrowing(asked), parse_query(asked.words)
        strict, loose = strict_expression(query), match_expression(query)
        if strict is None or loose is None:
            ids = tuple(await self._store.ids(narrowing, order=order))
            return Listing(text, asked, ids=ids, ms=self._since(began))
        found = await self._store.hits(strict, narrowing, order=order)
        loosely = not found and loose != strict
        if loosely:
            found = await self._store.hits(loose, narrowing, order=order)
        return Listing(
            text,
            asked,
            query,
            ids=tuple(hit.segment for hit in found),
            hits={hit.segment: hit for hit in found},
            loosely=loosely and bool(found),
            is_cut=sum(hit.turns for hit in found) >= MOST_HITS,
            ms=self._since(began),
        )

    async def rows(self, listing: Listing, segments: Sequence[SegmentId]) -> list[ListedSegment]:
        """Return the rows of some segments of a listing, with a snippet where it has hits."""
        rows = await self._store.rows(segments)
        query = listing.query
        if query is None:
            return rows
        hits = [listing.hits[row.id] for row in rows if row.id in listing.hits]
        texts = await self._store.texts(hit.best for hit in hits)
        told = []
        for number, row in enumerate(rows):
            told.append(_with_snippet(row, listing.hits.get(row.id), texts, query))
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)  # the window stays alive meanwhile
        return told

    async def preview(self, segment: SegmentId, listing: Listing | None = None) -> Preview:
        """Return one segment with the places that answer. Raises Refused for an unknown id."""
        content = await self._store.content(segment)
        if content is None:
            raise _unknown(segment)
        query = listing.query if listing is not None else None
        if query is None:
            return Preview(content, {})
        return await asyncio.to_thread(_answered, content, query)

    async def filed(self, segment: SegmentId) -> SegmentId | None:
        """Return the segment that holds what was listed as turns in none, None for others."""
        session = session_of_unfiled(segment)
        return None if session is None else await self._store.newest(session)

    async def counts(self) -> SegmentCounts:
        """Return the numbers beside the list."""
        today = self._today()
        monday = today - timedelta(days=today.weekday())
        return await self._store.counts(today=_moment(today), week=_moment(monday))

    async def open_transcript(self, segment: SegmentId) -> Path:
        """Open the file that a segment was read from with the system's program for it.

        Raises Refused for an unknown id, FileProblem when the file is gone or nothing opens it.
        """
        path = await self._transcript(segment)
        await self._opener.open(path)
        return path

    async def open_folder(self, segment: SegmentId) -> Path:
        """Open the folder of the file that a segment was read from. Raises the same."""
        path = await self._transcript(segment)
        await self._opener.open(path.parent)
        return path.parent

    async def _transcript(self, segment: SegmentId) -> Path:
        """Return the recorded file, if it is still there: nothing else is ever opened."""
        recorded = await self._store.file(segment)
        if recorded is None:
            if not await self._store.rows([segment]):
                raise _unknown(segment)
            raise Refused(
                tr("This segment was not read from a file."),
                advice=tr("Its turns are in the archive; copy them as Markdown."),
            )
        path = Path(recorded)
        if not await asyncio.to_thread(path.is_file):
            raise FileProblem(
                tr("{path} is no longer there.", path=path),
                advice=tr("The archive has kept its turns; copy them as Markdown."),
                key="transcript-gone",
            )
        return path

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock() / 1000).astimezone().date()

    def _since(self, began: float) -> float:
        return round((self._timer() - began) * 1000, 1)


def _narrowing(asked: SegmentFilter) -> Narrowing:
    return Narrowing(
        source=asked.source,
        project=asked.project,
        after=None if asked.after is None else _moment(asked.after),
        before=None if asked.before is None else _moment(asked.before),
        is_open=asked.is_open,
        has_lessons=asked.has_lessons,
    )


def _moment(day: date) -> int:
    """Return when a day begins on the person's clock, UTC milliseconds."""
    return int(datetime.combine(day, datetime.min.time()).astimezone().timestamp() * 1000)


def _with_snippet(
    row: ListedSegment, hit: SegmentHit | None, texts: Mapping[TurnId, str], query: Query
) -> ListedSegment:
    if hit is None:
        return row
    said = snippet(texts.get(hit.best, ""), query, width=_WIDTH)
    return replace(row, snippet=said, spans=tuple(matches(said, query)), hits=hit.turns)


def _answered(content: SegmentContent, query: Query) -> Preview:
    """Return where the turns of a segment answer; those that do not are left out."""
    turns = [read.turn for read in content.turns]
    spans = {turn.id: tuple(matches(turn.text, query)) for turn in turns}
    has_more = any(_goes_on(turn.text, spans[turn.id], query) for turn in turns)
    return Preview(content, {turn: found for turn, found in spans.items() if found}, has_more)


def _goes_on(text: str, marked: Sequence[Span], query: Query) -> bool:
    """Whether a text answers beyond what is marked of it."""
    if len(marked) == MOST_PLACES:
        return True
    ends = range(MARKED, min(len(text), _LOOKED_AT), MARKED)
    return any(matches(text[end : end + MARKED], query) for end in ends)


def _unknown(segment: SegmentId) -> Refused:
    return Refused(
        tr("There is no segment {id}.", id=segment),
        advice=tr("`archivist segments list` shows them all."),
    )
