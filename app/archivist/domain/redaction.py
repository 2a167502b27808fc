"""The gate: take secrets out of a text before it is written anywhere, leave the rest readable.

Pure and total: any string goes in, none makes it fail. Time grows with the length of the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from archivist.domain import json_text, secrets
from archivist.domain.anchors import Anchors
from archivist.domain.redaction_names import Named, Span
from archivist.domain.redaction_rules import Level, Rules, Shape, Token, parse_rules
from archivist.domain.redaction_shapes import block_at, is_shaped, shaped_at, token_at

__all__ = ["Cleaned", "Gate", "Rules", "parse_rules"]

_MARK: Final = re.compile(r"\[redacted: [a-z0-9. -]{1,40}\]")
_ROUNDS: Final = 6
"""What is left beside a mark may be seen better; two rounds are nearly always the last."""
_BLOCK: Final = "begin "
_RUN: Final = b"x" * 16
_RUNS: Final = bytes(
    ord("x") if code < 128 and (chr(code).isalnum() or chr(code) in "_-") else ord(" ")
    for code in range(256)
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without its secrets, and the kinds of what was taken out, each once, in order."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Handler:
    """What is tried where an anchor stands."""

    tokens: tuple[tuple[str, Token], ...]
    shapes: tuple[Shape, ...]
    is_name: bool
    is_block: bool


_NOTHING: Final = Span(0, 0, "", 0)


@dataclass(slots=True)
class _Seen:
    """What was found already in one text, so that nothing is looked at again and again."""

    token: Span = _NOTHING
    value: int = 0
    names: set[int] = field(default_factory=set)
    ends: dict[re.Pattern[str], int] = field(default_factory=dict)


class Gate:
    """Cleans texts by the given rules. May be used from several threads."""

    def __init__(self, rules: Rules) -> None:
        self._named = Named(rules)
        self._handlers = _handlers(rules)
        self._anchors = Anchors(anchor.decode("ascii") for anchor in self._handlers)
        self._bare = tuple(shape for shape in rules.shapes if not shape.anchors)
        bare = "|".join(f"({shape.pattern.pattern})" for shape in self._bare)
        self._any_bare = re.compile(bare or r"(?!)")

    def clean(self, text: str) -> Cleaned:
        """Return the text with each secret as `[redacted: kind]`. Doing it twice is the same."""
        kinds: dict[str, None] = {}
        for _ in range(_ROUNDS):
            spans = _merged(self._spans(text), text)
            if not spans:
                break
            text = _replaced(text, spans)
            kinds.update((span.kind, None) for span in spans)
        return Cleaned(text, tuple(kinds))

    def clean_json(self, text: str) -> Cleaned:
        """Clean the string values of JSON text, all else byte for byte; other text as `clean`.

        The value of a key that names a secret is one unless it only stands for one.
        """
        if not json_text.is_json(text):
            return self.clean(text)
        kinds: dict[str, None] = {}
        pieces: list[str] = []
        done = 0
        for leaf in json_text.leaves(text):
            cleaned = self._clean_leaf(leaf)
            if cleaned.kinds:
                kinds.update(dict.fromkeys(cleaned.kinds))
                like = text[leaf.start : leaf.end]
                pieces += [text[done : leaf.start], json_text.literal(cleaned.text, like=like)]
                done = leaf.end
        return Cleaned("".join([*pieces, text[done:]]), tuple(kinds))

    def _clean_leaf(self, leaf: json_text.Leaf) -> Cleaned:
        rule = self._named.rule_for(leaf.name) if leaf.name and leaf.text else None
        if rule is not None and _is_secret_leaf(leaf.text, rule.level):
            return Cleaned(f"[redacted: {rule.kind}]", (rule.kind,))
        return self.clean(leaf.text)

    def _spans(self, text: str) -> Iterator[Span]:
        shadow = text.encode("ascii", "replace")  # a character a byte: places are the same
        runs = shadow.translate(_RUNS)
        seen = _Seen()
        for at, anchor in self._anchors.find(shadow):
            handler = self._handlers[anchor]
            for beginning, token in handler.tokens:
                if at >= seen.token.end or at == seen.token.start:
                    span = token_at(beginning, token, text, at)
                    if span is not None:
                        seen.token = span
                        yield span
            for shape in handler.shapes:
                if at >= seen.ends.get(shape.pattern, 0):
                    spans, end = shaped_at(shape, text, at, at + len(anchor))
                    yield from spans
                    if shape.each:
                        seen.ends[shape.pattern] = end
            if handler.is_block:
                yield from block_at(text, at)
            if handler.is_name and at >= seen.value:
                yield from self._named_at(text, runs, at, at + len(anchor), seen)
        yield from self._bare_tokens(text, runs)
        if not text.isascii():
            yield from self._named.native_in(text)

    def _named_at(
        self, text: str, runs: bytes, begin: int, end: int, seen: _Seen
    ) -> Iterator[Span]:
        start, end = _name_around(runs, begin, end)
        if end in seen.names:
            return
        seen.names.add(end)
        for span in self._named.beside(text, start, end):
            seen.value = span.end
            yield span

    def _bare_tokens(self, text: str, runs: bytes) -> Iterator[Span]:
        """Yield what has no beginning of its own but is known by the form of a long run."""
        begin = runs.find(_RUN)
        while begin >= 0:
            found = self._any_bare.match(text, begin)
            if found is not None and found.lastindex is not None:
                shape = self._bare[found.lastindex - 1]
                if is_shaped(shape.check, found[0], found):
                    yield Span(begin, found.end(), shape.kind, 2)
            end = runs.find(b" ", begin)
            begin = runs.find(_RUN, end) if end >= 0 else -1


def _handlers(rules: Rules) -> dict[bytes, _Handler]:
    tokens: dict[str, list[tuple[str, Token]]] = {}
    shapes: dict[str, list[Shape]] = {}
    for token in rules.tokens:
        for beginning in token.starts:
            tokens.setdefault(beginning.lower(), []).append((beginning, token))
    for shape in rules.shapes:
        for anchor in shape.anchors:
            shapes.setdefault(anchor, []).append(shape)
    stems = set(rules.names.stems)
    return {
        anchor.encode("ascii"): _Handler(
            tuple(tokens.get(anchor, ())),
            tuple(shapes.get(anchor, ())),
            is_name=anchor in stems,
            is_block=anchor == _BLOCK,
        )
        for anchor in (*tokens, *shapes, *stems, _BLOCK)
    }


def _name_around(runs: bytes, begin: int, end: int) -> tuple[int, int]:
    """Return the bounds of the name around a stem; a name longer than any is cut."""
    low = max(0, begin - 64)
    high = runs.find(b" ", end, end + 128)
    start = runs.rfind(b" ", low, begin) + 1
    return (start or low, high if high >= 0 else min(len(runs), end + 128))


def _merged(spans: Iterable[Span], text: str) -> list[Span]:
    """Join the spans that meet, in order; what is a mark already is left alone."""
    found = sorted(spans)
    if found and "[redacted: " in text:
        marks = [mark.span() for mark in _MARK.finditer(text)]
        found = [span for span in found if not _meets(span, marks)]
    merged: list[Span] = []
    for span in found:
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            top = max(last, span, key=lambda one: (one.rank, one.kind))
            span = Span(last.start, max(last.end, span.end), top.kind, top.rank)  # noqa: PLW2901
        merged.append(span)
    return merged


def _meets(span: Span, marks: list[tuple[int, int]]) -> bool:
    place = bisect_right(marks, (span.start, span.start))
    near = marks[max(0, place - 1) : place + 1]
    return any(start < span.end and end > span.start for start, end in near)


def _replaced(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    done = 0
    for span in spans:
        pieces += [text[done : span.start], f"[redacted: {span.kind}]"]
        done = span.end
    return "".join([*pieces, text[done:]])


def _is_secret_leaf(leaf: str, level: Level) -> bool:
    """Judge the value of a key that names a secret: here more counts than beside a name in text."""
    if secrets.is_placeholder(leaf) or secrets.is_public(leaf) or any(map(str.isspace, leaf)):
        return False
    if level is Level.RANDOM:
        return secrets.looks_random(leaf) and not secrets.is_record_id(leaf)
    return True
