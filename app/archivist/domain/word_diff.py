"""Which words differ between two wordings of a line. An ideograph is a word of its own."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from archivist.domain.snippets import Span
from archivist.domain.words import CJK

_TOKEN = re.compile(rf"\u27ea[^\u27eb]*\u27eb|[{CJK}]|(?:(?![{CJK}])\w)+|\s+|.", re.DOTALL)
_LEAST_ALIKE: Final = 0.3
"""Lines less alike than this have no words in common worth pointing out."""


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the words that only the old line has, and those that only the new one has."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return (), ()
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    gone = [(start, end) for _, start, end, _, _ in changes if end > start]
    come = [(start, end) for _, _, _, start, end in changes if end > start]
    return tuple(_spans(before, gone)), tuple(_spans(after, come))


def _spans(tokens: list[str], ranges: list[tuple[int, int]]) -> Iterator[Span]:
    """Yield where ranges of tokens stand; ranges with only blanks between are one."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and not "".join(tokens[joined[-1][1] : start]).strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    for start, end in joined:
        text = "".join(tokens[start:end])
        at = len("".join(tokens[:start])) + len(text) - len(text.lstrip())
        if text.strip():
            yield Span(at, at + len(text.strip()))
