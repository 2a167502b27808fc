"""Split what a person said into sentences and clauses, with spans into the original text.

Beside its exact text a sentence carries a plain form of the same length for matching: lower case,
apostrophes and full-width letters folded, code and quotations blanked. An offset into one is an
offset into the other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from archivist.domain.pasted import Span, foreign_spans

BLANK: Final = "\x1f"
"""Stands in the plain form for a character that no cue may match."""

_FOLDED: Final = {
    **{ord(char): "'" for char in "’‘ʼ＇`´"},
    **{ord(char): '"' for char in "“”„‟＂"},
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    0x3000: " ",
    0xA0: " ",
    0x202F: " ",
}
_ONE_TO_ONE: Final = {**_FOLDED, ord("İ"): "i"}

_INLINE_CODE = re.compile(r"``[^\n]+?``|`[^`\n]+`")
_QUOTATIONS = re.compile(
    r"""“[^”\n]{1,300}”|(?<!\S)”[^“”\n]{1,300}”|„[^“”\n]{1,300}[“”]
    |«[^»\n]{1,300}»|(?<![\w.!?])»[^«»\n]{1,300}[«»]|‹[^›\n]{1,300}›|(?<![\w.!?])›[^‹›\n]{1,300}[‹›]
    |「[^」\n]{1,300}」|『[^』\n]{1,300}』|〝[^〞〟\n]{1,300}[〞〟]
    |(?<![\w"])"[^"\n]{1,300}"(?!\w)
    |(?<![\w'’])['‘](?=[^\s'’])[^\n]{1,300}?(?<=[^\s'‘])['’](?!\w)""",
    re.VERBOSE,
)
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'）」。，]*[^\s<>\"'）」。，.,;:!?]|(?<!\w)@[\w./\\-]+",
    re.IGNORECASE,
)

_LIST_MARK = re.compile(
    r"[ \t]*(?:(?:[-*•·–—+]|\d{1,2}[.)]|[a-z][.)]|\([a-z\d]\))[ \t]+"
    r"|\d{1,2}[.)、](?=[^\d\s.)])|(?=\S))"
)
_END = re.compile(
    r"[。！？!?]+[\"'”’」』）)]*|\.+[\"'”’)]*(?=\s|$|[\u3040-\u9fff])|…+(?=\s|$)"
    # A blank between two characters of a script without blanks parts what no mark does.
    r"|(?<=[\u3040-\u30ff\u3400-\u9fff])[ \t]+(?=[\u3040-\u30ff\u3400-\u9fff])"
)
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|excl|nr|mr|mrs|ms|dr|prof|fig|"
    r"z\.\s?b|d\.\s?h|u\.\s?a|bzw|usw|ggf|evtl|inkl|zzgl|sog|vgl|"
    r"p\.\s?ej|ej|sr|sra|núm|pág|p\.\s?ex|mme|[a-z])$"
)
# "am 3. Mai": the full stop of a German ordinal.
_ORDINAL = re.compile(r"(?<![\w.])\d{1,2}$")
_AFTER_ORDINAL = re.compile(
    r"[a-zäöü]*(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|"
    r"tag|monat|quartal|stock|mal|version)"
)
_BREAK = re.compile(
    r"[,;:，；：、](?=\s|$|[^\x00-\x7f])|\s[-–—]{1,3}\s|——|[()（）]|,(?=[^\d\s])"
    r"|\s(?:and|but|und|aber|y|pero|et|mais)\s(?=(?:i|we|my|our|ich|wir|mein|unser|yo|mi|je|j'|nous|mon)\b)"
)
_SOFT_WRAP: Final = 60
_TRIMMED: Final = " \t\r\n-–—*•·_"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in the person's own words: `said[start:end] == text` for the turn's text.

    `clauses` are offsets into the sentence, without the marks between them.
    """

    text: str
    start: int
    plain: str
    clauses: tuple[Span, ...]

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        """Whether it ends with a question mark."""
        return self.plain.rstrip(" \"')").endswith("?")

    def clause_at(self, offset: int) -> Span:
        """The clause that holds `offset`."""
        holding = (span for span in self.clauses if span[0] <= offset < span[1])
        return next(holding, (0, len(self.text)))


def fold(text: str) -> str:
    """Lower case with apostrophes, quotes and widths folded, one character for one."""
    folded = text.translate(_ONE_TO_ONE)
    lowered = folded.lower()
    if len(lowered) == len(folded):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in folded)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of the person's own words in `text`, in order.

    Code blocks, quoted lines, logs, other program output and long pasted text are left out.
    """
    found: list[Sentence] = []
    at = 0
    for start, end in (*foreign_spans(text), (len(text), len(text))):
        found.extend(_split(text, at, start))
        at = end
    return tuple(found)


def own_words(text: str) -> str:
    """Return `text` without what is not the person's own words."""
    return "\n".join(sentence.text for sentence in sentences(text))


def _split(text: str, start: int, end: int) -> Iterator[Sentence]:
    for first, last in _paragraph_lines(text, start, end):
        yield from _split_line(text, first, last)


def _paragraph_lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Lines without their list marks; a line that was only wrapped is joined to the next."""
    at: int | None = None
    for match in re.finditer(r"[^\n]*(?:\n|$)", text[start:end]):
        first, last = start + match.start(), start + match.end()
        if at is None:
            at = first
        if _is_wrapped(text, first, last, end):
            continue
        mark = _LIST_MARK.match(text, at, last)
        yield (mark.end() if mark else at), last
        at = None


def _is_wrapped(text: str, first: int, last: int, end: int) -> bool:
    line = text[first:last].rstrip()
    following = text[last : min(last + 1, end)]
    return len(line) >= _SOFT_WRAP and following.islower() and line[-1] not in ".!?:;。！？：；"


def _split_line(text: str, start: int, end: int) -> Iterator[Sentence]:
    line = text[start:end]
    plain = _plain(line)
    at = 0
    for match in _END.finditer(plain):
        if match.group()[0] == "." and _goes_on(plain, match):
            continue
        yield from _sentence(line, plain, (at, match.end()), start)
        at = match.end()
    yield from _sentence(line, plain, (at, len(line)), start)


def _goes_on(plain: str, stop: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation or an ordinal."""
    after = plain[stop.end() :].lstrip()
    if not after or len(stop.group()) > 1:
        return False
    before = plain[: stop.start()]
    if _ORDINAL.search(before):
        return _AFTER_ORDINAL.match(after) is not None
    return _ABBREVIATION.search(before) is not None


def _sentence(line: str, plain: str, span: Span, offset: int) -> Iterator[Sentence]:
    first, last = span
    while first < last and line[first] in _TRIMMED:
        first += 1
    while last > first and line[last - 1] in _TRIMMED:
        last -= 1
    if any(char.isalnum() for char in line[first:last]):
        part = plain[first:last]
        yield Sentence(line[first:last], offset + first, part, tuple(_clauses(part)))


def _plain(line: str) -> str:
    """The plain form of a line, of the same length."""
    blanked = list(fold(line))
    for pattern in (_INLINE_CODE, _ADDRESS, _QUOTATIONS):
        for match in pattern.finditer(line):
            blanked[match.start() : match.end()] = BLANK * (match.end() - match.start())
    return "".join(blanked)


def _clauses(plain: str) -> Iterator[Span]:
    at = 0
    for mark in _BREAK.finditer(plain):
        if plain[at : mark.start()].strip():
            yield at, mark.start()
        at = mark.end()
    if plain[at:].strip(" .!?。！？"):
        yield at, len(plain)
