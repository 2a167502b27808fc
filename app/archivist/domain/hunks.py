"""Differences between two versions of a file, and the merge of two with the one they come from.

Lines are bytes with their ends, so nothing is ever normalised. A conflict is a value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from archivist.domain.headings import BOM, split_lines
from archivist.domain.hidden import visible

CONTEXT: Final = 3

Lines: TypeAlias = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Change:
    """The lines `start` to `end` (exclusive, from 0) of the old version become `lines`."""

    start: int
    end: int
    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A place that both sides changed, each in another way. `line` counts from 0 in the base."""

    line: int
    base: tuple[bytes, ...]
    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The two sides cannot be merged; nothing of either was chosen."""

    clashes: tuple[Clash, ...]


def changes(old: Lines, new: Lines) -> list[Change]:
    """Return what turns the old lines into the new ones, in order and never touching."""
    return [Change(a, b, tuple(new[c:d])) for a, b, c, d in differences(old, new)]


def differences(old: Lines, new: Lines) -> list[tuple[int, int, int, int]]:
    """Return where two files differ: `old[a:b]` stands where `new[c:d]` stands."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle = new[head : len(new) - tail]
    matcher = SequenceMatcher(None, old[head : len(old) - tail], middle, autojunk=False)
    return [
        (head + a, head + b, head + c, head + d)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many lines are the same from the start."""
    for number, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return number
    return min(len(one), len(other))


def apply_changes(old: Lines, todo: Sequence[Change]) -> list[bytes]:
    """Return the lines after the changes, which are in order and do not overlap."""
    result: list[bytes] = []
    done = 0
    for change in todo:
        result += old[done : change.start]
        result += change.lines
        done = change.end
    return result + list(old[done:])


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | Conflict:
    """Return the base with what both sides changed, or the places where they contradict.

    Changes of the two sides that touch contradict too, as in `git merge-file`; the same change on
    both sides is taken once.
    """
    lines = split_lines(base)
    mine, other = changes(lines, split_lines(ours)), changes(lines, split_lines(theirs))
    todo: list[Change] = []
    clashes: list[Clash] = []
    for start, end, left, right in _regions(mine, other):
        us = tuple(_within(lines, start, end, left))
        them = tuple(_within(lines, start, end, right))
        if left and right and us != them:
            clashes.append(Clash(start, tuple(lines[start:end]), us, them))
        else:
            todo.append(Change(start, end, us if left else them))
    if clashes:
        return Conflict(tuple(clashes))
    return b"".join(apply_changes(lines, todo))


_Region: TypeAlias = tuple[int, int, list[Change], list[Change]]


def _regions(mine: Sequence[Change], other: Sequence[Change]) -> Iterator[_Region]:
    """Group the changes of both sides that overlap or touch, in order."""
    queue = sorted(
        [(change, True) for change in mine] + [(change, False) for change in other],
        key=lambda item: (item[0].start, item[0].end),
    )
    region: _Region | None = None
    for change, is_mine in queue:
        if region is None or change.start > region[1]:
            if region is not None:
                yield region
            region = (change.start, change.end, [], [])
        start, end, left, right = region
        (left if is_mine else right).append(change)
        region = (start, max(end, change.end), left, right)
    if region is not None:
        yield region


def _within(lines: Lines, start: int, end: int, side: Sequence[Change]) -> list[bytes]:
    """Return the lines of a region as one side has them."""
    moved = [Change(c.start - start, c.end - start, c.lines) for c in side]
    return apply_changes(lines[start:end], moved)


def unified(old: Lines, change: Change, *, title: str = "") -> str:
    """Return a change as a person reads it: a head with line numbers, context, - and + lines.

    Line ends are not shown, so a last line that only gets one is context. Hidden characters are
    shown by their numbers.
    """
    first = max(0, change.start - CONTEXT)
    removed = [_shown(line) for line in old[change.start : change.end]]
    added = [_shown(line) for line in change.lines]
    same = _common(removed, added)
    before = [_shown(line) for line in old[first : change.start]] + removed[:same]
    after = [_shown(line) for line in old[change.end : change.end + CONTEXT]]
    removed, added, around = removed[same:], added[same:], before[-CONTEXT:]
    start, kept = first + len(before) - len(around), len(around) + len(after)
    head = f"@@ -{_span(start, kept + len(removed))} +{_span(start, kept + len(added))} @@ {title}"
    rows = [head.rstrip()]
    for sign, lines in ((" ", around), ("-", removed), ("+", added), (" ", after)):
        rows += [sign + line for line in lines]
    return "\n".join(rows)


def file_diff(old: bytes | None, new: bytes | None) -> str:
    """Return what differs between two states of a file; changes near each other share a piece."""
    before = [_shown(line) for line in split_lines(old or b"")]
    after = [_shown(line) for line in split_lines(new or b"")]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    rows: list[str] = []
    for group in matcher.get_grouped_opcodes(CONTEXT) if before != after else ():
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        rows.append(f"@@ -{_span(a, b - a)} +{_span(c, d - c)} @@")
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                rows += [f" {line}" for line in before[start:end]]
                continue
            rows += [f"-{line}" for line in before[start:end]]
            rows += [f"+{line}" for line in after[new_start:new_end]]
    return "\n".join(rows)


def _shown(line: bytes) -> str:
    return visible(line.removeprefix(BOM).rstrip(b"\r\n").decode(errors="replace"))


def _span(start: int, count: int) -> str:
    """Return the lines of one side as the head of a diff names them."""
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"
