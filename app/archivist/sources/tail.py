"""Read a growing file on from a cursor: the same events in sum, however it is cut into reads."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

import orjson

from archivist.domain.transcripts import Chunk, Cursor, Seen, Tally
from archivist.sources.files import Look, continues, cursor_at, look, read_range
from archivist.sources.records import (
    LONGEST,
    SLICE,
    UTF16_BOMS,
    Record,
    Slice,
    is_record,
    parse_line,
    slices,
)

_EVENTS: Final = 500
_LIVE: Final = 32
"""So many files keep their parser between reads; another file's is made anew from its records."""

_STRIDE: Final = 64 * 1024
"""After about so many bytes it is looked whether a chunk is full."""

_PART: Final = "part"
_OPEN: Final = "open"
_UTF16: Final = "utf-16"
_UTF16_OPEN: Final = "utf-16 open"
"""Marks of a cursor: the read ended before the end; something waits for the file to settle; the
file has another encoding, so offsets say nothing and it is read whole."""


class Parser(Protocol):
    """Makes events of records. Its state is small and follows from the records alone."""

    @property
    def is_waiting(self) -> bool:
        """Whether `settle` would bring out something that waits for more records."""

    def feed(self, record: Record) -> None:
        """Take one record in."""

    def settle(self) -> None:
        """Decide what waited: nothing more is to come for now."""

    def take(self) -> list[Seen]:
        """Return the events that came out since the last call."""

    def tally(self, bad_lines: int) -> Tally:
        """Return the counts so far."""


@dataclass(slots=True)
class _Live:
    """A parser, and the place in the file at which it stands."""

    parser: Parser
    offset: int = 0
    bad_lines: int = 0
    scanned: int = 0
    is_read: bool = False
    """Whether any record came out of the file."""
    told: Cursor | None = None
    """The last cursor that was given out."""

    def stands_at(self, cursor: Cursor) -> bool:
        """Tell whether the parser saw just what a cursor stands for."""
        told = self.told
        return told is not None and (self.offset, told.offset, told.head, told.tail) == (
            cursor.offset,
            cursor.offset,
            cursor.head,
            cursor.tail,
        )


class Tail:
    """Reads files of one source; keeps the parsers of the files that were read last."""

    def __init__(self, parser_for: Callable[[Path], Parser]) -> None:
        self._parser_for = parser_for
        self._live: OrderedDict[Path, _Live] = OrderedDict()
        self._lock = Lock()

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        """Yield what is new since a cursor; nothing at all for a file that did not change."""
        now = look(path)
        if since is not None and _is_unchanged(since, now, settled=settled):
            return
        if (since is None or since.mark in {_UTF16, _UTF16_OPEN}) and read_range(
            path, 0, 2
        ) in UTF16_BOMS:
            yield _utf16(path, self._parser_for(path), now, settled=settled)
            return
        live = self._resume(path, since, now)
        try:
            yield from _chunks(path, live, now, settled=settled)
        finally:
            if live.told is not None and live.stands_at(live.told):
                self._keep(path, live)

    def _resume(self, path: Path, since: Cursor | None, now: Look) -> _Live:
        """Return a parser that stands at the cursor, or at the start when the file is another."""
        with self._lock:
            live = self._live.pop(path, None)
        if since is None or not continues(path, since, now):
            return _Live(self._parser_for(path))
        if live is not None and live.stands_at(since):
            return live
        return self._replay(path, since)

    def _replay(self, path: Path, since: Cursor) -> _Live:
        """Bring a new parser to a cursor without a word."""
        offset = since.offset
        live = _Live(self._parser_for(path))
        for piece in slices(path, 0, offset):
            for _ in _feed(live, piece):
                live.parser.take()
            live.parser.take()
        if live.offset < offset:  # a last line without newline was taken when the file was quiet
            line = read_range(path, live.offset, offset - live.offset)
            for _ in _feed(live, Slice(live.offset, offset, line)):
                pass
        live.parser.take()
        live.told = since
        return live

    def _keep(self, path: Path, live: _Live) -> None:
        with self._lock:
            self._live[path] = live
            self._live.move_to_end(path)
            if len(self._live) > _LIVE:
                self._live.popitem(last=False)


def _is_unchanged(since: Cursor, now: Look, *, settled: bool) -> bool:
    same = (since.size, since.mtime_ns, since.identity) == (now.size, now.mtime_ns, now.identity)
    return same and since.mark != _PART and not (settled and since.mark in {_OPEN, _UTF16_OPEN})


def _chunks(path: Path, live: _Live, now: Look, *, settled: bool) -> Iterator[Chunk]:
    seen: list[Seen] = []
    begun = live.offset
    scanned = live.scanned if live.scanned <= now.size else 0
    for piece in slices(path, live.offset, now.size, scanned=scanned):
        for _ in _feed(live, piece):
            seen += live.parser.take()
            if len(seen) >= _EVENTS or live.offset - begun >= SLICE:
                yield _chunk(path, live, now, seen, mark=_PART)
                seen, begun = [], live.offset
    # A long line grows for a while: its beginning is not searched again for a newline.
    live.scanned = now.size if now.size - live.offset > SLICE else 0
    if settled:
        _settle(path, live, now.size)
    seen += live.parser.take()
    waits = live.offset < now.size or live.parser.is_waiting or not live.is_read
    last = _chunk(path, live, now, seen, mark=_OPEN if waits and not settled else "")
    is_lost = settled and not live.is_read and _has_content(path, now.size)
    yield _with_bad_line(last) if is_lost else last


def _with_bad_line(chunk: Chunk) -> Chunk:
    """Count a bad line, at least one, where a file has content and nothing of it is a record.

    The line is not consumed and counts for this read only: the file may yet be written on.
    """
    return replace(chunk, tally=replace(chunk.tally, bad_lines=max(1, chunk.tally.bad_lines)))


def _has_content(path: Path, size: int) -> bool:
    return any(
        read_range(path, start, min(SLICE, size - start)).strip() for start in range(0, size, SLICE)
    )


def _chunk(path: Path, live: _Live, now: Look, seen: list[Seen], *, mark: str) -> Chunk:
    live.told = cursor_at(path, live.offset, now, mark)
    return Chunk(tuple(seen), live.told, live.parser.tally(live.bad_lines))


def _feed(live: _Live, piece: Slice) -> Iterator[None]:
    """Feed the lines of a slice; hands over now and then, so that chunks stay small.

    The cursor that was given out stands for less than the parser saw until the next one is.
    """
    live.told = None
    if piece.data is None:
        live.bad_lines += 1
        live.offset = piece.end
        return
    data, size, feed = piece.data, len(piece.data), live.parser.feed
    may_hold_nul = b"\\u0000" in data
    at, pause = 0, _STRIDE
    while at < size:
        newline = data.find(b"\n", at)
        line = data[at : newline if newline >= 0 else size]
        at = newline + 1 if newline >= 0 else size
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            record = None
        if type(record) is dict and not may_hold_nul:
            live.is_read = True
            feed(record)
        else:
            records, bad = parse_line(line)
            live.bad_lines += bad
            live.is_read = live.is_read or bool(records)
            for record in records:
                feed(record)
        if at >= pause:
            pause = at + _STRIDE
            live.offset = piece.start + at
            yield
    live.offset = piece.end


def _settle(path: Path, live: _Live, size: int) -> None:
    """Take a last line without newline when it is a whole record; decide what waited."""
    if live.offset < size <= live.offset + LONGEST:
        line = read_range(path, live.offset, size - live.offset)
        if b"\n" not in line and is_record(line):
            for _ in _feed(live, Slice(live.offset, size, line)):
                pass
    live.parser.settle()


def _utf16(path: Path, parser: Parser, now: Look, *, settled: bool) -> Chunk:
    """Read a whole file that some program saved as UTF-16."""
    text = read_range(path, 0, min(now.size, LONGEST)).decode("utf-16", "replace")
    whole = text if settled else text[: text.rfind("\n") + 1]
    data = whole.encode("utf-8", "replace")
    live = _Live(parser, bad_lines=int(now.size > LONGEST))
    for _ in _feed(live, Slice(0, len(data), data)):
        pass
    if settled:
        parser.settle()
    waits = len(whole) < len(text) or parser.is_waiting
    cursor = cursor_at(path, now.size, now, _UTF16_OPEN if waits and not settled else _UTF16)
    chunk = Chunk(tuple(parser.take()), cursor, parser.tally(live.bad_lines))
    is_lost = settled and not live.is_read and bool(data.strip())
    return _with_bad_line(chunk) if is_lost else chunk
