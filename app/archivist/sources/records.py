"""From bytes to records: whole lines of a growing file, and JSON objects out of damaged lines.

Splits on byte 0x0A only: U+2028, U+0085 and their like are legal inside JSON strings.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

import orjson

from archivist.sources.files import read_range

Record: TypeAlias = dict[str, object]
"""One JSON object of a transcript; every field may be missing or of another type."""

SLICE: Final = 8 * 1024 * 1024
LONGEST: Final = 64 * 1024 * 1024
"""A longer record is counted as bad and never loaded."""

UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
"""With one of these a file begins that some program saved as UTF-16."""

_BLOCK: Final = 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_EARLIEST: Final = (datetime(1990, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LATEST: Final = (datetime(2101, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_STARTS_TRIED: Final = 256
_DECODER: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Slice:
    """Whole lines of a file from `start` on; `data` is None for one record that is too long."""

    start: int
    end: int
    data: bytes | None


def slices(path: Path, start: int, end: int, *, scanned: int = 0) -> Iterator[Slice]:
    """Yield the whole lines between two offsets, a few megabytes at a time.

    What follows the last newline is left. Up to `scanned` the caller knows that no newline comes.
    """
    if scanned > start and find_newline(path, scanned, end) is None:
        return
    while start < end:
        data = read_range(path, start, min(SLICE, end - start))
        if not data:
            return
        stop = start + data.rfind(b"\n") + 1
        if stop > start:
            yield Slice(start, stop, data[: stop - start])
            start = stop
            continue
        newline = find_newline(path, start + len(data), end)
        if newline is None:
            return
        stop = newline + 1
        fits = stop - start <= LONGEST
        yield Slice(start, stop, read_range(path, start, stop - start) if fits else None)
        start = stop


def find_newline(path: Path, start: int, end: int) -> int | None:
    """Return the offset of the first newline between two offsets, holding one block at a time."""
    while start < end:
        block = read_range(path, start, min(_BLOCK, end - start))
        if not block:
            return None
        at = block.find(b"\n")
        if at >= 0:
            return start + at
        start += len(block)
    return None


def parse_line(line: bytes) -> tuple[list[Record], int]:
    """Return the records of one line, mostly one, and how many bad lines it counts for (0 or 1)."""
    if not line:
        return [], 0
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _salvage(line)
    if type(value) is not dict:
        return [], 1
    # Python keeps both in a str, SQLite and UTF-8 do not: orjson refuses the first, not the second.
    return [_clean(value) if b"\\u0000" in line else value], 0


def is_record(line: bytes) -> bool:
    """Tell whether a last line without newline is one whole JSON object already."""
    try:
        value, end = _DECODER.raw_decode(_text_of(line))
    except (ValueError, RecursionError):
        return False
    return type(value) is dict and not _text_of(line)[end:].strip()


def _text_of(line: bytes) -> str:
    return line.replace(b"\0", b"").removeprefix(_BOM).strip().decode("utf-8", "replace")


def _salvage(line: bytes) -> tuple[list[Record], int]:
    """Get the records out of a damaged line: NULs, lone surrogates, a stub glued to a record."""
    text = _text_of(line)
    found: list[Record] = []
    at = 0
    while at < len(text):
        hit = _whole_object(text, at)
        if hit is None:
            break
        record, at = hit
        found.append(record)
        while at < len(text) and text[at].isspace():
            at += 1
    return found, int(at < len(text))


def _whole_object(text: str, start: int) -> tuple[Record, int] | None:
    """Return the first whole object from `start` on and its end; a stub before it is dropped.

    An object inside a stub is no record: what counts ends with the line or with the next record.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as fault:
        tries = _starts(text, start, fault.pos)
    except (ValueError, RecursionError):
        return None
    else:
        if type(value) is dict:
            return _clean(value), end
        tries = _starts(text, start, start)
    for begin in tries:
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        rest = text[end : end + 4096].lstrip()
        if not rest or rest.startswith("{"):
            return _clean(value), end
    return None


def _starts(text: str, start: int, fault: int) -> Iterator[int]:
    """Yield where a glued record may begin: mostly right before the place where parsing failed."""
    near = text.rfind('{"', start + 1, fault + 2)
    if near > start:
        yield near
    begin = start
    for _ in range(_STARTS_TRIED):
        begin = text.find('{"', begin + 1)
        if begin < 0:
            return
        yield begin


def _clean(record: Record) -> Record:
    """Replace lone surrogates by U+FFFD and drop U+0000, in place; no depth is too deep."""
    nodes: list[object] = [record]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            for key, item in list(node.items()):
                name = _clean_text(key)
                if name != key:
                    del node[key]
                node[name] = _clean_text(item) if isinstance(item, str) else item
            nodes.extend(node.values())
        elif isinstance(node, list):
            node[:] = [_clean_text(item) if isinstance(item, str) else item for item in node]
            nodes.extend(node)
    return record


def _clean_text(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text).replace("\0", "")


def text_in(record: Record, key: str) -> str | None:
    """Return a field that is a non-empty text, else None."""
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def table_in(record: Record, key: str) -> Record:
    """Return a field that is an object, else an empty one."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def tables_in(value: object) -> list[Record]:
    """Return the objects of a list; of anything else, none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def moment(value: object) -> int | None:
    """Return a time as UTC milliseconds: ISO text (without zone: UTC), epoch seconds or ms.

    None also for a time at which nobody can have spoken to an assistant.
    """
    at = _milliseconds(value)
    return at if at is not None and _EARLIEST <= at < _LATEST else None


def _milliseconds(value: object) -> int | None:
    if isinstance(value, str):
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return (when - _EPOCH) // _MILLISECOND
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 < value < 1e14:
        return None
    return int(value if value > 1e11 else value * 1000)


def head_records(head: bytes, most: int = 20) -> list[Record]:
    """Return the records of the whole lines at the beginning of a file."""
    if head[:2] in UTF16_BOMS:
        head = head.decode("utf-16", "replace").encode("utf-8", "replace")
    lines = head.split(b"\n", most)
    whole = lines[:-1] if len(lines) > 1 or not is_record(head) else lines
    return [record for line in whole[:most] for record in parse_line(line)[0]]
