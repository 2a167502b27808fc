"""What of a segment's turns goes into a prompt that has not room for all of it.

Pure. Room is counted in UTF-8 bytes: a byte is about as many tokens in Chinese as in English.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from archivist.domain.pasted import foreign_spans
from archivist.domain.transcripts import Role
from archivist.domain.turns import Turn

_GAP: Final = "[…]"
_HEADER: Final = 32
"""Bytes for the line that says who speaks and when."""

_CRUMB: Final = 60
"""A share below this says nothing; turns are left out instead."""

_HEAD: Final = 0.6
_LONG_PASTE: Final = 8
_ERROR_LINES: Final = 6

_ERROR = re.compile(
    r"error|exception|traceback|\bfatal|panic|\bfail|cannot|could not|can't|denied|refused"
    r"|not found|no such|undefined|unresolved|unexpected|timed? ?out|abort|segfault|exit code [1-9]"
    r"|[✗✘×]|fehler|erreur|échou|错误|失败|异常|錯誤|失敗|エラー",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\b(?:0|no|without) (?:errors?|failures?|failed)\b|\b(?:errors?|failed): 0\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Passage:
    """What of one turn goes into the prompt."""

    role: Role
    at: int | None
    text: str


def passages(turns: Sequence[Turn], *, room: int) -> list[Passage]:
    """Return the turns in order, cut so that they take at most `room` bytes.

    Short turns stay whole; the room that they leave is shared by the long ones. In these, pasted
    logs are reduced to their error lines, and what is still too long keeps its head and its tail.
    """
    said = [Passage(turn.role, turn.at, text) for turn in turns if (text := _text(turn))]
    if sum(_size(one) for one in said) <= room:
        return said
    said = _chosen(said, most=max(1, room // (_CRUMB + _HEADER)))
    free = max(0, room - _HEADER * len(said))
    level = shares([_bytes(one.text) for one in said], free)
    reduced = [
        one.text if _bytes(one.text) <= share else reduce_pasted(one.text)
        for one, share in zip(said, level, strict=True)
    ]
    level = shares([_bytes(text) for text in reduced], free)
    return [
        Passage(one.role, one.at, head_and_tail(text, share))
        for one, text, share in zip(said, reduced, level, strict=True)
    ]


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """Pour `total` into vessels of these sizes: all stand equally high or are full."""
    filled = [0] * len(sizes)
    rest = total
    for done, index in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        filled[index] = min(sizes[index], rest // (len(sizes) - done))
        rest -= filled[index]
    return filled


def reduce_pasted(text: str) -> str:
    """Return the text with each long pasted part reduced to the lines that report an error."""
    parts: list[str] = []
    start = 0
    for first, last in foreign_spans(text):
        lines = text[first:last].splitlines()
        if len(lines) >= _LONG_PASTE:
            parts += [text[start:first], "\n".join(_error_lines(lines)), "\n"]
            start = last
    return "".join((*parts, text[start:])).strip()


def head_and_tail(text: str, room: int) -> str:
    """Return the beginning and the end of a text that is longer than `room` bytes."""
    data = text.encode("utf-8", "replace")
    if len(data) <= room:
        return text
    gap = f" {_GAP} "
    free = room - _bytes(gap)
    if free < _CRUMB // 2:
        return data[:room].decode("utf-8", "ignore")
    head = int(free * _HEAD)
    first = data[:head].decode("utf-8", "ignore")
    last = data[len(data) - (free - head) :].decode("utf-8", "ignore")
    return f"{_to_word(first)}{gap}{_from_word(last)}"


def _text(turn: Turn) -> str:
    return "\n".join(filter(None, (turn.text.strip(), turn.failed_tools)))


def _chosen(said: Sequence[Passage], *, most: int) -> list[Passage]:
    """Return the `most` passages that matter: the ends, what was asked, the last of each answer."""

    def rank(index: int) -> tuple[int, int]:
        if index in (0, len(said) - 1):
            return 0, index
        if said[index].role is not Role.ASSISTANT:
            return 1, index
        return (2 if said[index + 1].role is not Role.ASSISTANT else 3), index

    kept = sorted(sorted(range(len(said)), key=rank)[:most])
    return [said[index] for index in kept]


def _error_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first and the last lines that report an error, each once, with gap marks."""
    seen: dict[str, str] = {}
    for line in lines:
        if _ERROR.search(line) and not _NO_ERROR.search(line):
            seen.setdefault(_DIGITS.sub("0", line.strip()), line.strip())
    found = list(seen.values())
    half = _ERROR_LINES // 2
    yield _GAP
    yield from found if len(found) <= _ERROR_LINES else (*found[:half], _GAP, *found[-half:])
    if found:
        yield _GAP


def _to_word(text: str) -> str:
    """Drop a word cut in two at the end, unless that is most of the text."""
    at = max(text.rfind(" "), text.rfind("\n"))
    return text[:at] if at > len(text) * 2 // 3 else text


def _from_word(text: str) -> str:
    found = [at for at in (text.find(" "), text.find("\n")) if at >= 0]
    at = min(found, default=len(text))
    return text[at + 1 :] if at < len(text) // 3 else text


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _size(passage: Passage) -> int:
    return _bytes(passage.text) + _HEADER
