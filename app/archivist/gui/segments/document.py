"""Writes one segment into a text document: recap first, then the turns, matches marked.

Everything that was said goes in as plain text; the only links are ours.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtGui import (
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from archivist.domain.hidden import visible
from archivist.domain.knowledge import LessonState
from archivist.domain.query import Query, matches
from archivist.domain.segment_list import ReadTurn
from archivist.domain.snippets import MARKED, Span
from archivist.domain.transcripts import Outcome, Role
from archivist.domain.turns import ToolCall, TurnId
from archivist.gui.look import Look, Type
from archivist.gui.segments import words
from archivist.services.segment_list import Preview
from archivist.services.segment_text import (
    call_line,
    facts,
    maker_name,
    outcome_word,
    redaction_notes,
    speaker,
    standing,
    title_of,
)
from archivist.texts import tr, tr_n

FOLD_LINES: Final = 12
_FOLD_CHARS: Final = 1_800
_MOST_CHARS: Final = MARKED
"""So much of a turn is shown at most; what is longer is a log, and stands in the transcript."""
_FENCES: Final = ("```", "~~~")
TURN, LESSON = "turn:", "lesson:"


@dataclass(slots=True)
class Written:
    """Where things stand in the document: the matches in order, and where each turn begins."""

    matches: list[tuple[int, int]] = field(default_factory=list)
    turns: dict[TurnId, int] = field(default_factory=dict)


def write_preview(
    document: QTextDocument,
    preview: Preview,
    query: Query | None,
    look: Look,
    *,
    unfolded: AbstractSet[TurnId],
) -> Written:
    """Replace the document by a segment. Turns whose match would be folded away are shown whole."""
    document.clear()
    document.setDefaultFont(look.font(Type.BODY))
    document.setDocumentMargin(look.space(3))
    writer = _Writer(document, look, query)
    writer.cursor.beginEditBlock()
    _write_head(writer, preview)
    turns = preview.content.turns
    new_from = len(turns) - preview.content.unfiled
    writer.part(tr("Turns"))
    for place, read in enumerate(turns):
        if place == new_from > 0:
            writer.part(tr("Turns that are not in a segment yet"))
        spans = preview.spans.get(read.turn.id, ())
        _write_turn(writer, read, spans, is_unfolded=read.turn.id in unfolded)
    writer.cursor.endEditBlock()
    return writer.written


class _Writer:
    """Appends formatted text at the end of a document and notes the matches."""

    def __init__(self, document: QTextDocument, look: Look, query: Query | None) -> None:
        self.cursor = QTextCursor(document)
        self.look = look
        self.written = Written()
        self._query = query
        self._is_empty = True

    def style(
        self, step: Type = Type.BODY, *, muted: bool = False, tag: bool = False
    ) -> QTextCharFormat:
        """Return how a text of a step of the type scale looks."""
        colours = self.look.colours
        style = QTextCharFormat()
        style.setFont(self.look.font(step))
        style.setForeground(colours.muted if muted else colours.text)
        if tag:
            style.setBackground(colours.tag)
        return style

    def block(self, *, above: float = 0, indent: float = 0, is_code: bool = False) -> None:
        """Begin a paragraph."""
        shape = QTextBlockFormat()
        shape.setTopMargin(self.look.space(above) if above else 0)
        shape.setLeftMargin(self.look.space(indent) if indent else 0)
        if is_code:
            shape.setBackground(self.look.colours.tag)
        if self._is_empty:
            self.cursor.setBlockFormat(shape)
        else:
            self.cursor.insertBlock(shape, QTextCharFormat())
        self._is_empty = False

    def put(self, text: str, style: QTextCharFormat) -> None:
        """Insert a text on the line; hidden characters are spelt out."""
        self.cursor.insertText(visible(text), style)

    def mark(self, text: str, style: QTextCharFormat, spans: Sequence[Span] | None = None) -> None:
        """Insert a text on the line with its matches marked."""
        if spans is None:
            spans = matches(text, self._query) if self._query is not None else ()
        marked = QTextCharFormat(style)
        marked.setBackground(self.look.colours.mark)
        marked.setFontWeight(QFont.Weight.Bold)
        at = 0
        for span in spans:
            self.put(text[at : span.start], style)
            begin = self.cursor.position()
            self.put(text[span.start : span.end], marked)
            self.written.matches.append((begin, self.cursor.position()))
            at = span.end
        self.put(text[at:], style)

    def part(self, title: str, beside: str = "") -> None:
        """Begin a part with its heading."""
        self.block(above=6)
        self.put(title, self.style(Type.HEAD))
        if beside:
            self.put(f"  {beside}", self.style(Type.SMALL, muted=True))

    def link(self, text: str, target: str) -> None:
        """Insert a link of ours."""
        style = self.style()
        style.setAnchor(True)
        style.setAnchorHref(target)
        style.setForeground(self.look.colours.accent)
        style.setFontUnderline(True)
        self.put(text, style)

    def tag(self, text: str, *, warns: bool = False) -> None:
        """Insert a word on a back of its own."""
        style = self.style(Type.SMALL, tag=True)
        if warns:
            style.setForeground(self.look.colours.warning)
            style.setBackground(self.look.colours.warning_back)
            style.setFontWeight(QFont.Weight.Bold)
        joined = f" {text} ".replace(" ", "\u00a0")  # a tag is never cut in two
        self.put(joined, style)


def _write_head(writer: _Writer, preview: Preview) -> None:
    content = preview.content
    row = content.row
    writer.block()
    writer.put(title_of(row), writer.style(Type.TITLE))
    writer.block(above=1)
    beside = writer.style(muted=True)
    writer.put(" · ".join([*facts(row), words.when(row.start)]), beside)
    writer.block()
    writer.put(standing(content), beside)
    if row.trouble:
        writer.block()
        writer.tag(tr("Waits to be tried again"), warns=True)
        writer.put(f" {row.trouble}", beside)
    if content.recap and row.maker:
        writer.part(tr("Recap"), maker_name(row.maker))
        for line in content.recap.split("\n"):
            writer.block(above=1)
            writer.mark(line, writer.style())
    elif row.reason is not None:
        writer.part(tr("Recap"))
        writer.block(above=1)
        writer.put(tr("Not written yet."), beside)
    _write_lessons(writer, preview)


def _write_lessons(writer: _Writer, preview: Preview) -> None:
    content = preview.content
    if content.lessons:
        count = tr_n("{n} found here", "{n} found here", len(content.lessons))
        writer.part(tr("Lessons"), count)
    for lesson in content.lessons:
        writer.block(above=1)
        writer.link(lesson.text, f"{LESSON}{lesson.id}")
        writer.put("  ", writer.style())
        writer.tag(_state_word(lesson.state))
    if content.events:
        writer.block(above=1)
        events = tr_n(
            "{n} decision, preference or fact was noted.",
            "{n} decisions, preferences and facts were noted.",
            content.events,
        )
        writer.put(events, writer.style(Type.SMALL, muted=True))


def _write_turn(
    writer: _Writer, read: ReadTurn, spans: Sequence[Span], *, is_unfolded: bool
) -> None:
    turn = read.turn
    is_person = turn.role is not Role.ASSISTANT
    writer.block(above=4 if is_person else 3)
    writer.written.turns[turn.id] = writer.cursor.position()
    who = writer.style()
    who.setFontWeight(QFont.Weight.Bold)
    if is_person:
        who.setForeground(writer.look.colours.accent)
    writer.put(speaker(read), who)
    beside = "  ".join(filter(None, [words.clock(turn.at), read.model or ""]))
    writer.put(f"  {beside}", writer.style(Type.SMALL, muted=True))
    _write_text(writer, read, spans, is_unfolded=is_unfolded)
    for number, note in enumerate(redaction_notes(read)):
        if number:
            writer.put(" ", writer.style())
        else:
            writer.block(above=1)
        writer.tag(note)
    for tool in turn.tools:
        _write_tool(writer, tool)


def _write_text(
    writer: _Writer, read: ReadTurn, spans: Sequence[Span], *, is_unfolded: bool
) -> None:
    text = read.turn.text
    whole = text[:_MOST_CHARS]
    cut = fold_at(whole)
    hides_match = any(span.end > cut for span in spans)
    shown = whole if is_unfolded or hides_match else whole[:cut]
    _write_lines(writer, shown, spans)
    if len(shown) < len(whole):
        writer.block(above=1)
        writer.link(words.unfold(text, most=_MOST_CHARS), f"{TURN}{read.turn.id}")
    elif len(whole) < len(text):
        writer.block(above=1)
        left = tr("{n} more characters are in the transcript.", n=f"{len(text) - len(whole):,}")
        writer.put(left, writer.style(muted=True))


def fold_at(text: str) -> int:
    """Return where a long turn is folded; its length when it is short enough."""
    lines = text.split("\n", FOLD_LINES + 1)
    # One line more is no gain: the fold itself takes one.
    end = len("\n".join(lines[:FOLD_LINES])) if len(lines) > FOLD_LINES + 1 else len(text)
    return min(end, _FOLD_CHARS) if len(text) > _FOLD_CHARS else end


def _write_lines(writer: _Writer, text: str, spans: Sequence[Span]) -> None:
    """Write the lines of a turn; what stands between two fences is code, the fences are not shown.

    The language of a fence is kept as a tag above its code.
    """
    plain, mono = writer.style(), writer.style(Type.MONO)
    is_code = begins = False
    at = 0
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCES):
            is_code = begins = not is_code
            language = line.strip().strip("`~").strip()
            if is_code and language:
                writer.block(above=1)
                writer.tag(language)
                begins = False
        elif line.strip() or is_code:
            writer.block(above=0 if is_code and not begins else 1, is_code=is_code)
            local = list(_within(spans, at, at + len(line)))
            writer.mark(line.rstrip("\r"), mono if is_code else plain, local)
            begins = False
        at += len(line) + 1


def _within(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """Yield what of the spans lies in a line, counted from the beginning of the line."""
    for span in spans:
        if span.end > start and span.start < end:
            yield Span(max(span.start, start) - start, min(span.end, end) - start)


def _write_tool(writer: _Writer, tool: ToolCall) -> None:
    """Write a call on one line: a tag with the tool, what it was asked, and how it ended."""
    writer.block(above=1)
    failed = tool.outcome in (Outcome.FAILED, Outcome.REJECTED)
    writer.tag(tr("tool {name}", name=tool.name))
    writer.put(" ", writer.style())
    writer.mark(call_line(tool), writer.style(Type.MONO))
    writer.put(" ", writer.style())
    writer.tag(f"{'✕' if failed else '✓'} {outcome_word(tool.outcome)}", warns=failed)


def _state_word(state: LessonState) -> str:
    match state:
        case LessonState.WAITING:
            return tr("◌ waiting")
        case LessonState.KEPT:
            return tr("✓ kept")
        case LessonState.REJECTED:
            return tr("✕ rejected")
        case LessonState.LATER:
            return tr("later")
        case _:
            return tr("retired")
