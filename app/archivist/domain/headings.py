"""Tell what each line of a Markdown file is: heading, list, code, HTML, front matter, text.

The block rules of CommonMark, no inline ones. Lines end at LF, CRLF or CR and nowhere else, so
that a line number here is a line number in any editor.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

BOM: Final = b"\xef\xbb\xbf"

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FRONT = re.compile(r"(-{3,}) *")
_ATX = re.compile(r"(#{1,6})(?: +(.*))?")
_ATX_END = re.compile(r"(?:^| +)#+ *$")
_SETEXT = re.compile(r"(=+|-+) *")
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:_ *){3,}|(?:- *){3,})")
_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_MARKER = re.compile(r"([-+*])(?= |$)|(\d{1,9})[.)](?= |$)")

_ATTRIBUTE = r"""(?:\s+[a-zA-Z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)"""
_TAG = rf"(?:<[a-zA-Z][a-zA-Z0-9-]*{_ATTRIBUTE}*\s*/?>|</[a-zA-Z][a-zA-Z0-9-]*\s*>)"
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|"
    "head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|"
    "p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)


@dataclass(frozen=True, slots=True)
class _Html:
    """A kind of HTML block. Without `end` it lasts until a blank line."""

    start: re.Pattern[str]
    end: re.Pattern[str] | None
    interrupts: bool = True


_HTML = (
    _Html(
        re.compile(r"<(?:script|pre|style|textarea)(?=\s|>|$)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    _Html(re.compile(r"<!--"), re.compile(r"-->")),
    _Html(re.compile(r"<\?"), re.compile(r"\?>")),
    _Html(re.compile(r"<![A-Za-z]"), re.compile(r">")),
    _Html(re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    _Html(re.compile(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|$)", re.IGNORECASE), None),
    _Html(re.compile(rf"{_TAG}\s*$"), None, interrupts=False),
)


class Kind(StrEnum):
    """What a line is."""

    BLANK = "blank"
    TEXT = "text"
    HEADING = "heading"
    CODE = "code"
    HTML = "html"
    FRONT = "front"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside quotes and lists: its lines `start` to `end` (exclusive), level 1 to 6."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """What one line is. `bullet` is what stands before the text where it begins an outer bullet.

    `in_bullet`: the line belongs to an outer bullet (one that is in no other list or quote).
    """

    kind: Kind
    in_bullet: bool = False
    bullet: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """A file cut into lines, each with its line end, and what they are.

    `open_at` is the line where a code block or an HTML block begins that is still open at the end
    of the file, so that anything put after it would become a part of it.
    """

    raw: tuple[bytes, ...]
    lines: tuple[Line, ...]
    headings: tuple[Heading, ...]
    open_at: int | None


def split_lines(data: bytes) -> list[bytes]:
    """Cut at LF, CRLF and CR only; each line keeps its end, and joined they are the same bytes."""
    return _LINE.findall(data)


def outline(data: bytes) -> Outline:
    """Return what the lines of a file are. Bytes that are no UTF-8 are taken as some character."""
    raw = split_lines(data)
    scanner = _Scanner()
    lines: list[Line] = []
    texts = [_text(line) for line in raw]
    front = _front_matter(texts)
    lines.extend(Line(Kind.FRONT) for _ in range(front))
    lines.extend(scanner.read(texts[number], number) for number in range(front, len(texts)))
    for heading in scanner.headings:
        lines[heading.start : heading.end] = [Line(Kind.HEADING)] * (heading.end - heading.start)
    return Outline(tuple(raw), tuple(lines), tuple(scanner.headings), scanner.open_at)


def _text(line: bytes) -> str:
    # Tabs reach to the next multiple of four columns; as spaces they need no care any more.
    return line.removeprefix(BOM).rstrip(b"\r\n").decode(errors="replace").expandtabs(4)


def _front_matter(texts: list[str]) -> int:
    """Return how many lines the front matter takes, 0 when there is none or it never ends."""
    found = _FRONT.fullmatch(texts[0]) if texts else None
    if found is None:
        return 0
    end = re.compile(rf" {{0,3}}{found[1]}-* *|\.{{3}} *")
    closing = (number for number, text in enumerate(texts[1:], start=2) if end.fullmatch(text))
    return next(closing, 0)


class _Leaf(StrEnum):
    """The kinds of open block that hold text and no other blocks."""

    NONE = "none"
    PARAGRAPH = "paragraph"
    FENCE = "fence"
    HTML = "html"


@dataclass(slots=True)
class _Box:
    """An open quote (`offset` 0) or list item; its lines are indented by `offset` columns."""

    offset: int
    bullet: bool = False
    empty: bool = False

    @property
    def is_quote(self) -> bool:
        return self.offset == 0


@dataclass(slots=True)
class _Scanner:
    """Reads a file line by line and knows which blocks are open."""

    headings: list[Heading] = field(default_factory=list)
    _boxes: list[_Box] = field(default_factory=list)
    _leaf: _Leaf = _Leaf.NONE
    _since: int = 0
    _fence: str = ""
    _html: _Html | None = None
    _words: list[str] = field(default_factory=list)
    _bullet: str = ""

    @property
    def open_at(self) -> int | None:
        """The line since which an outer block is open that only its own end mark closes."""
        if self._boxes:
            return None
        endless = self._leaf is _Leaf.HTML and self._html is not None and self._html.end is not None
        return self._since if endless or self._leaf is _Leaf.FENCE else None

    def read(self, text: str, number: int) -> Line:
        """Take the next line and tell what it is."""
        self._bullet = ""
        matched, rest = self._enter(text)
        blank = not rest.strip(" ")
        if matched == len(self._boxes) and self._leaf in {_Leaf.FENCE, _Leaf.HTML}:
            kind = self._go_on(rest, blank=blank)
        elif blank:
            self._leave(matched)
            self._leaf = _Leaf.NONE
            kind = Kind.BLANK
        else:
            kind = self._begin(rest, number, matched)
        in_bullet = bool(self._boxes) and self._boxes[0].bullet
        return Line(kind, in_bullet, self._bullet)

    def _enter(self, text: str) -> tuple[int, str]:
        """Return how many open boxes the line belongs to by its marks, and what follows these."""
        for number, box in enumerate(self._boxes):
            bare = text.lstrip(" ")
            indent = len(text) - len(bare)
            if box.is_quote:
                if indent > 3 or not bare.startswith(">"):
                    return number, text
                text = bare[1:].removeprefix(" ")
            elif not bare:
                if box.empty:
                    return number, text
            elif indent >= box.offset:
                text = text[box.offset :]
            else:
                return number, text
        return len(self._boxes), text

    def _leave(self, matched: int) -> None:
        """Close the boxes that the line does not belong to, with the text in them."""
        if matched < len(self._boxes):
            del self._boxes[matched:]
            self._leaf = _Leaf.NONE

    def _go_on(self, rest: str, *, blank: bool) -> Kind:
        """Take a line inside an open code or HTML block."""
        if self._leaf is _Leaf.FENCE:
            bare = rest.lstrip(" ")
            mark = bare.rstrip(" ")
            is_end = len(rest) - len(bare) <= 3 and set(mark) == {self._fence[0]}
            if is_end and len(mark) >= len(self._fence):
                self._leaf = _Leaf.NONE
            return Kind.CODE
        end = self._html.end if self._html is not None else None
        if end is None:
            self._leaf = _Leaf.NONE if blank else self._leaf
            return Kind.BLANK if blank else Kind.HTML
        if end.search(rest):
            self._leaf = _Leaf.NONE
        return Kind.HTML

    def _begin(self, rest: str, number: int, matched: int) -> Kind:
        """Take a line with text: open the boxes it begins, then see which block it is."""
        while True:
            bare = rest.lstrip(" ")
            indent = len(rest) - len(bare)
            if not bare:
                self._leaf = _Leaf.NONE
                return Kind.TEXT
            if indent > 3:
                return self._indented(bare, number, matched)
            kind = self._leaf_block(bare, number, matched)
            if kind is not None:
                return kind
            opened = self._open_box(bare, indent, matched)
            if opened is None:
                return self._words_go_on(bare, number, matched)
            rest = opened
            matched = len(self._boxes)

    def _indented(self, bare: str, number: int, matched: int) -> Kind:
        if self._leaf is _Leaf.PARAGRAPH:
            return self._words_go_on(bare, number, matched)
        self._fill(matched)
        return Kind.CODE

    def _words_go_on(self, bare: str, number: int, matched: int) -> Kind:
        """Take a line of a paragraph; an open one also goes on without the marks of its boxes."""
        if self._leaf is not _Leaf.PARAGRAPH:
            self._fill(matched)
            self._leaf, self._since, self._words = _Leaf.PARAGRAPH, number, []
        self._words.append(bare.strip(" "))
        return Kind.TEXT

    def _fill(self, matched: int) -> None:
        self._leave(matched)
        for box in self._boxes:
            box.empty = False

    def _leaf_block(self, bare: str, number: int, matched: int) -> Kind | None:
        """Open the block that the line begins, if it is no box and no paragraph."""
        whole = matched == len(self._boxes)
        if found := _ATX.fullmatch(bare):
            self._fill(matched)
            self._leaf = _Leaf.NONE
            title = _ATX_END.sub("", found[2] or "").strip(" ")
            self._note(Heading(number, number + 1, len(found[1]), title))
            return Kind.TEXT
        if found := _FENCE.fullmatch(bare):
            self._fill(matched)
            self._leaf, self._since, self._fence = _Leaf.FENCE, number, found[1] or found[2]
            return Kind.CODE
        if html := self._html_start(bare):
            self._fill(matched)
            is_open = html.end is None or not html.end.search(bare)
            self._leaf = _Leaf.HTML if is_open else _Leaf.NONE
            self._html, self._since = html, number
            return Kind.HTML
        if whole and self._leaf is _Leaf.PARAGRAPH and (found := _SETEXT.fullmatch(bare)):
            self._leaf = _Leaf.NONE
            level = 1 if found[1].startswith("=") else 2
            self._note(Heading(self._since, number + 1, level, "\n".join(self._words)))
            return Kind.TEXT
        if _RULE.fullmatch(bare):
            self._fill(matched)
            self._leaf = _Leaf.NONE
            return Kind.TEXT
        return None

    def _note(self, heading: Heading) -> None:
        if not self._boxes:
            self.headings.append(heading)

    def _html_start(self, bare: str) -> _Html | None:
        if not bare.startswith("<"):
            return None
        for html in _HTML:
            if html.start.match(bare):
                can = html.interrupts or self._leaf is not _Leaf.PARAGRAPH
                return html if can else None
        return None

    def _open_box(self, bare: str, indent: int, matched: int) -> str | None:
        """Open the quote or list item that begins here; return what follows its mark."""
        if bare.startswith(">"):
            self._fill(matched)
            self._leaf = _Leaf.NONE
            self._boxes.append(_Box(0))
            return bare[1:].removeprefix(" ")
        found = _MARKER.match(bare)
        if found is None:
            return None
        after = bare[found.end() :]
        within = matched == len(self._boxes) and self._leaf is _Leaf.PARAGRAPH
        if within and (not after.strip(" ") or (found[2] is not None and int(found[2]) != 1)):
            return None
        self._fill(matched)
        self._leaf = _Leaf.NONE
        spaces = len(after) - len(after.lstrip(" "))
        empty = spaces == len(after)
        gap = 1 if empty or spaces > 4 else spaces
        if not self._boxes and found[1] is not None:
            self._bullet = " " * indent + found[1] + " " * gap
        is_bullet = found[1] is not None
        self._boxes.append(_Box(indent + found.end() + gap, bullet=is_bullet, empty=empty))
        return "" if empty else after[gap:]
