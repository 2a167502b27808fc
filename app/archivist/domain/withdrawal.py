"""Take what was written to a memory file out of it again, whatever else was edited since.

Hand edits stay. Where a written line itself was changed there is a conflict, which is a value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from archivist.domain.headings import BOM, Kind, Outline, outline, split_lines
from archivist.domain.hunks import Clash, Conflict, Lines, differences, merge

_ENDS = b"\r\n"


def withdraw(before: bytes | None, after: bytes, current: bytes) -> bytes | Conflict:
    """Return the file as it is without what turned `before` into `after`.

    Edits that only touch the written lines are no conflict. A heading that was written goes, too,
    unless something else stands under it by now.
    """
    by_line = _Withdrawal(before or b"", after, current)
    merged = merge(after, before or b"", current)
    if isinstance(merged, Conflict) or by_line.leaves_some_in(merged):
        return by_line.result()
    return merged


@dataclass(frozen=True, slots=True)
class _Span:
    """Lines `start` to `end` of the written file; `old`: the lines that stood there before."""

    start: int
    end: int
    old: tuple[bytes, ...]


class _Withdrawal:
    """The line by line way. Line ends and blanks at the end of lines do not count as edits."""

    def __init__(self, before: bytes, after: bytes, current: bytes) -> None:
        was, self._wrote = split_lines(before), split_lines(after)
        self._now = split_lines(current)
        self._spans = [
            _Span(a, b, tuple(was[c:d]))
            for a, b, c, d in differences(_bare(self._wrote), _bare(was))
        ]
        self._edits = differences(_bare(self._wrote), _bare(self._now))
        self._place = dict(_kept(len(self._wrote), self._edits))
        self._written = outline(after.removeprefix(BOM))
        self._moved = dict(self._carried_off())

    def leaves_some_in(self, merged: bytes) -> bool:
        """Tell whether a written line still stands in a merged file, at another place."""
        lines = set(_bare(split_lines(merged)))
        return any(self._wrote[n].rstrip() in lines for n in self._moved)

    def result(self) -> bytes | Conflict:
        clashes = [clash for span in self._spans if (clash := self._clash(span))]
        if clashes:
            return Conflict(tuple(clashes))
        gone = {self._place[n] for span in self._spans for n in self._leaving(span)}
        gone |= set(self._moved.values())
        back = {self._at(span): span.old for span in self._spans if span.old}
        rows: list[bytes] = []
        for number in range(len(self._now) + 1):
            rows += back.get(number, ())
            if number < len(self._now) and number not in gone:
                rows.append(self._now[number])
        return _with_end_of(self._now, rows)

    def _clash(self, span: _Span) -> Clash | None:
        """Return where a person changed a written line, or where an old one cannot come back."""
        for start, end, first, last in self._edits:
            ours = range(max(start, span.start), min(end, span.end))
            bullets = [n for n in ours if self._is_bullet(n) and n not in self._moved]
            rewritten = last > first and bool(bullets)
            unplaced = bool(span.old) and (len(ours) > 0 or start < span.start < end)
            if rewritten or unplaced:
                lines = tuple(self._wrote[span.start : span.end])
                return Clash(span.start, lines, span.old, tuple(self._now[first:last]))
        return None

    def _leaving(self, span: _Span) -> Iterator[int]:
        """Yield the written lines of a span that go; those that are gone already are left out."""
        still = [n for n in range(span.start, span.end) if n in self._place]
        if not any(a <= span.end and span.start <= b for a, b, _, _ in self._edits):
            yield from still
            return
        bullets = {n for n in still if self._is_bullet(n)}
        empty = set(self._emptied(still, bullets))
        for number in still:
            is_beside = {number - 1, number + 1} & empty
            if number in bullets | empty or (is_beside and not self._is_heading(number)):
                yield number

    def _emptied(self, still: Sequence[int], bullets: set[int]) -> Iterator[int]:
        """Yield the written headings under which nothing stands once the bullets are gone."""
        now = outline(b"".join(self._now).removeprefix(BOM))
        gone = {self._place[n] for n in bullets}
        for number in still:
            if self._is_heading(number) and not _says_more(now, self._place[number], gone):
                yield number

    def _carried_off(self) -> Iterator[tuple[int, int]]:
        """Yield the written lines that were moved as they are, with their places by now."""
        strange = [n for _, _, first, last in self._edits for n in range(first, last)]
        for span in self._spans:
            for number in range(span.start, span.end):
                text = self._wrote[number].rstrip()
                places = [n for n in strange if self._now[n].rstrip() == text]
                if number not in self._place and self._is_bullet(number) and len(places) == 1:
                    yield number, places[0]

    def _at(self, span: _Span) -> int:
        """Return before which line of the current file the old lines of a span come back."""
        if span.start in self._place:
            return self._place[span.start]
        return self._place[span.start - 1] + 1 if span.start else 0

    def _is_heading(self, number: int) -> bool:
        return any(heading.start == number for heading in self._written.headings)

    def _is_bullet(self, number: int) -> bool:
        return self._written.lines[number].kind is not Kind.BLANK and not self._is_heading(number)


def _says_more(now: Outline, heading: int, gone: set[int]) -> bool:
    ends = (h.start for h in now.headings if h.start > heading)
    below = range(heading + 1, next(ends, len(now.lines)))
    return any(now.lines[n].kind is not Kind.BLANK and n not in gone for n in below)


def _kept(count: int, edits: Sequence[tuple[int, int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the written lines that still stand, with their places in the current file."""
    at, shift = 0, 0
    for start, end, first, last in (*edits, (count, count, count, count)):
        yield from ((n, n + shift) for n in range(at, start))
        at, shift = end, shift + (last - first) - (end - start)


def _bare(lines: Lines) -> list[bytes]:
    return [line.rstrip() for line in lines]


def _with_end_of(now: Lines, rows: list[bytes]) -> bytes:
    """Join the rows; the last ends as the last line of the current file does."""
    if now and rows and not now[-1].endswith((b"\r", b"\n")):
        rows[-1] = rows[-1].rstrip(_ENDS)
    return b"".join(rows)
