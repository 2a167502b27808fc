"""Differences of a memory file as rows to show: sign, line numbers, and the words that changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from archivist.domain.headings import BOM, split_lines
from archivist.domain.hidden import visible
from archivist.domain.hunks import CONTEXT, Change, Lines
from archivist.domain.memory_file import Hunk, hunk_changes
from archivist.domain.snippets import Span
from archivist.domain.word_diff import changed_words


class Sign(StrEnum):
    """What happens to a line."""

    SAME = " "
    REMOVED = "-"
    ADDED = "+"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line as it is shown: hidden characters by their numbers, no line end.

    `old` and `new` count from 1; None where that side does not have the line. `changed`: the words
    that the line of the other side does not have.
    """

    sign: Sign
    old: int | None
    new: int | None
    text: str
    changed: tuple[Span, ...] = ()


def hunk_lines(data: bytes | None, hunks: Sequence[Hunk]) -> list[tuple[DiffLine, ...]]:
    """Return the rows of each hunk, as if it were the only one."""
    old, todo = hunk_changes(data, hunks)
    return [tuple(_change_rows(old, change)) for change in todo]


def file_lines(old: bytes | None, new: bytes | None) -> list[tuple[DiffLine, ...]]:
    """Return the rows around each place where two states of a file differ."""
    before, after = _shown_lines(old), _shown_lines(new)
    if before == after:
        return []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        tuple(row for code in group for row in _code_rows(before, after, code))
        for group in matcher.get_grouped_opcodes(CONTEXT)
    ]


def whole_file(old: bytes | None, new: bytes | None) -> tuple[DiffLine, ...]:
    """Return every line of the new state; those that the old one does not have are marked."""
    before, after = _shown_lines(old), _shown_lines(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        row
        for code in matcher.get_opcodes()
        for row in _code_rows(before, after, code)
        if row.sign is not Sign.REMOVED
    )


def _shown(line: bytes) -> str:
    return visible(line.removeprefix(BOM).rstrip(b"\r\n").decode(errors="replace"))


def _shown_lines(data: bytes | None) -> list[str]:
    return [_shown(line) for line in split_lines(data or b"")]


def _change_rows(old: Lines, change: Change) -> Iterator[DiffLine]:
    start, removed = change.start, [_shown(line) for line in old[change.start : change.end]]
    added = [_shown(line) for line in change.lines]
    if removed[:1] == added[:1] != []:  # a last line that only gets a line end
        start, removed, added = start + 1, removed[1:], added[1:]
    first = max(0, start - CONTEXT)
    yield from _same([_shown(line) for line in old[first:start]], first, first)
    yield from _replaced(removed, added, start, start)
    after = [_shown(line) for line in old[change.end : change.end + CONTEXT]]
    yield from _same(after, change.end, start + len(added))


def _code_rows(
    before: Sequence[str], after: Sequence[str], code: tuple[str, int, int, int, int]
) -> Iterator[DiffLine]:
    kind, a, b, c, d = code
    if kind == "equal":
        yield from _same(before[a:b], a, c)
    else:
        yield from _replaced(before[a:b], after[c:d], a, c)


def _same(texts: Sequence[str], old: int, new: int) -> Iterator[DiffLine]:
    for n, text in enumerate(texts, start=1):
        yield DiffLine(Sign.SAME, old + n, new + n, text)


def _replaced(
    removed: Sequence[str], added: Sequence[str], old: int, new: int
) -> Iterator[DiffLine]:
    """Yield removed and added lines; of those that stand for each other the words are compared."""
    pairs = [changed_words(a, b) for a, b in zip(removed, added, strict=False)]
    gone = [pair[0] for pair in pairs] + [()] * (len(removed) - len(pairs))
    come = [pair[1] for pair in pairs] + [()] * (len(added) - len(pairs))
    for n, (text, words) in enumerate(zip(removed, gone, strict=True), start=1):
        yield DiffLine(Sign.REMOVED, old + n, None, text, words)
    for n, (text, words) in enumerate(zip(added, come, strict=True), start=1):
        yield DiffLine(Sign.ADDED, None, new + n, text, words)
