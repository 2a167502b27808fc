"""The words of the segment browser: pure functions of values and times, without Qt."""

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Final

from archivist.domain.hidden import visible
from archivist.domain.intake import SourceState
from archivist.domain.segment_filter import TIME_KEYS, SegmentFilter, with_word, without_filters
from archivist.domain.segment_list import MOST_HITS, ListedSegment, Order
from archivist.services.segment_list import Listing
from archivist.services.segment_text import source_name, title_of
from archivist.services.times import moment
from archivist.texts import tr, tr_n

_LONG_LINE: Final = 400
"""Lines so long on average say nothing of how much there is to read."""


def when(at: int | None) -> str:
    """Return a time within a list: day and hour."""
    if at is None:
        return tr("no time")
    return moment(at, datetime.now().astimezone())


def clock(at: int | None) -> str:
    """Return the hour and minute within a day."""
    return "" if at is None else f"{datetime.fromtimestamp(at / 1000).astimezone():%H:%M}"


def tip(text: str) -> str:
    """Return a text as a tool tip; escaped, because Qt takes a tool tip for HTML where it can."""
    return f"<span>{escape(visible(text), quote=False)}</span>"


def shown_title(row: ListedSegment) -> str:
    """Return what the list shows of a segment: where the question is answered, or its title."""
    return row.snippet or title_of(row)


def found_line(listing: Listing, all_segments: int) -> str:
    """Say how many segments are shown and how long it took to find them."""
    count = len(listing.ids)
    if listing.query is None and not listing.filter.narrows:
        return tr_n("{n} segment", "{n} segments", count)
    return tr(
        "{n} of {all} · {ms} ms", n=f"{count:,}", all=f"{all_segments:,}", ms=round(listing.ms)
    )


def hint(listing: Listing) -> str:
    """Say what was understood in another way than it was typed, "" when nothing was."""
    if listing.filter.unknown:
        word = visible(listing.filter.unknown[0])
        return tr("“{word}” is no filter that can be read; it is searched as text.", word=word)
    if listing.loosely:
        return tr("No turn holds all these words; these hold some of them.")
    if listing.is_cut:
        return tr(
            "More than {n} turns hold these words; these are the best. Another word narrows it.",
            n=f"{MOST_HITS:,}",
        )
    return ""


def order_word(order: Order) -> str:
    """Return how the list is sorted."""
    match order:
        case Order.NEWEST:
            return tr("Newest first")
        case Order.OLDEST:
            return tr("Oldest first")
        case _:
            return tr("Best first")


def time_word(asked: SegmentFilter, today: datetime) -> str:
    """Return the time that a filter asks for, in a word."""
    after, before = asked.after, asked.before
    if after is None and before is None:
        return tr("Any time")
    if after is not None and before is not None and (before - after).days == 1:
        return tr("Today") if after == today.date() else tr("On {day}", day=after)
    if after is None:
        return tr("Before {day}", day=before)
    if before is None:
        return tr("Since {day}", day=after)
    return tr("{after} to {before}", after=after, before=before)


def waiting(sources: Sequence[SourceState]) -> str:
    """Say that nothing is archived yet, and when a source was last read."""
    seen = [state for state in sources if state.last_read is not None]
    if not seen:
        return tr("Waiting for your next conversation. No assistant has left a transcript yet.")
    last = max(seen, key=lambda state: state.last_read or 0)
    return tr(
        "Waiting for your next conversation. {source} was last read {when}.",
        source=source_name(last.source),
        when=when(last.last_read),
    )


def nothing_recorded() -> str:
    """Say that every source is switched off."""
    return tr("Nothing is being recorded: every source is switched off.")


def no_match(text: str) -> str:
    """Say that a search has found nothing."""
    return tr("No match for “{text}”.", text=visible(" ".join(text.split())))


def ways_out(listing: Listing) -> list[tuple[str, str]]:
    """Return what can be tried instead of a search that found nothing: a verb and its text."""
    text, asked = listing.text, listing.filter
    ways = []
    said = asked.words.split()
    if len(said) > 1:
        ways.append((tr("Try fewer words"), with_word(text.replace(said[-1], "", 1), (), "")))
    if asked.after or asked.before:
        ways.append((tr("Search all time"), with_word(text, TIME_KEYS, "")))
    if asked.narrows:
        ways.append((tr("Search without filters"), without_filters(text)))
    return ways


def unfold(text: str, *, most: int) -> str:
    """Return what the link says that shows a long turn: its lines, or its size where it has few."""
    if len(text) > most:
        return tr(
            "Show the first {some} of {all} characters", some=f"{most:,}", all=f"{len(text):,}"
        )
    lines = text.count("\n") + 1
    if len(text) > lines * _LONG_LINE:
        return tr("Show all {n} characters", n=f"{len(text):,}")
    return tr_n("Show all of {n} line", "Show all {n} lines", lines)


def match_line(at: int | None, count: int, *, has_more: bool) -> str:
    """Say how many places answer, or which of them is shown; `has_more`: not all are marked."""
    if not count:
        if has_more:
            return tr("The words are further on in a turn that is too long to be shown whole.")
        return tr("The words are in what a tool gave back.")
    if at is None:
        if has_more:
            return tr("More than {n} matches", n=f"{count:,}")
        return tr("1 match") if count == 1 else tr("{n} matches", n=f"{count:,}")
    if has_more:
        return tr("Match {n} of more than {all}", n=f"{at + 1:,}", all=f"{count:,}")
    return tr("Match {n} of {all}", n=f"{at + 1:,}", all=f"{count:,}")


def with_state(row: ListedSegment, title: str) -> str:
    """Return a title as the list shows it: whether it goes on, or is in no segment yet."""
    if row.is_unfiled:
        return tr("new · {title}", title=title)
    return tr("open · {title}", title=title) if row.reason is None else title


def on_button(text: str) -> str:
    """Return a name as a button shows it: its ampersands are no keys."""
    return visible(text).replace("&", "&&")


def copied(row: ListedSegment) -> str:
    """Say that a segment was copied."""
    return tr_n("Copied {n} turn as Markdown.", "Copied {n} turns as Markdown.", row.turns)
