"""The right pane: one segment to read, what can be done with it, and steps through the matches."""

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QPushButton,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.knowledge import LessonId
from archivist.domain.query import Query
from archivist.domain.segment_list import SegmentContent
from archivist.domain.turns import SegmentId, TurnId
from archivist.gui.flow import Flow, Tall
from archivist.gui.look import Look
from archivist.gui.segments import words
from archivist.gui.segments.document import LESSON, TURN, Written, write_preview
from archivist.gui.segments.steps import Steps
from archivist.services.segment_list import Preview
from archivist.services.segment_text import title_of
from archivist.texts import tr, tr_n

_NONE: Final = -1
_OLD_MS: Final = 150
"""So long the segment before stays in sight while the chosen one is read: less flickers."""


class PreviewPane(Tall):
    """Shows a preview; asks for everything else by signals.

    While another segment is expected nothing is done with the one before: steps and unfolding wait
    for it, the links do nothing.
    """

    transcript_wanted = Signal()
    copy_wanted = Signal()
    lessons_wanted = Signal()
    lesson_wanted = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._preview: Preview | None = None
        self._query: Query | None = None
        self._unfolded: set[TurnId] = set()
        self._written = Written()
        self._at = _NONE
        self._expected: SegmentId | None = None
        self._later: list[Callable[[], None]] = []
        self._old = QTimer(self)
        self._old.setSingleShot(True)
        self._old.setInterval(_OLD_MS)
        self._old.timeout.connect(self._on_old_timeout)
        self.text = QTextBrowser()
        self.text.setObjectName("segment-text")
        self.text.setOpenLinks(False)
        self.text.setUndoRedoEnabled(False)
        self.text.setTabChangesFocus(True)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.anchorClicked.connect(self._on_text_anchor_clicked)
        # Tab leaves the text; what a link does has a button or a key as well.
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._buttons = self._made_buttons()
        self.steps = Steps(look)
        self.steps.stepped.connect(self.step)
        for part in (self._buttons, self.text, self.steps):
            column.addWidget(part, stretch=1 if part is self.text else 0)
        self.clear()

    @property
    def content(self) -> SegmentContent | None:
        """The segment that is shown, None while another one is expected."""
        return self._preview.content if self._preview and not self._is_old else None

    @property
    def _is_old(self) -> bool:
        """Whether what is in sight is not what was chosen."""
        shown = self._preview.content.row.id if self._preview else None
        return self._expected is not None and self._expected != shown

    @property
    def matches(self) -> int:
        """How many places of the segment answer the question."""
        return len(self._written.matches)

    @property
    def _has_more(self) -> bool:
        """Whether there are matches that are not shown."""
        return self._preview is not None and self._preview.has_more

    def clear(self) -> None:
        """Show no segment."""
        self._expected = None
        self._later.clear()
        self._old.stop()
        self._show_nothing(tr("Choose a segment to read it."))
        self._buttons.hide()

    def expect(self, segment: SegmentId) -> None:
        """Do no more with the segment that is shown, unless it is this one: it is chosen now."""
        self._expected = segment
        self._later.clear()
        if self._is_old:
            self._old.start()
        else:
            self._old.stop()

    def rest(self) -> None:
        """Wait for nothing any more."""
        self._old.stop()
        self._later.clear()

    def show_preview(self, preview: Preview, query: Query | None) -> None:
        """Show a segment; the same one with nothing new in it stays as it is."""
        self._old.stop()
        self._expected = preview.content.row.id
        if preview != self._preview or query != self._query:
            self._show_anew(preview, query)
        later, self._later = self._later, []
        for act in later:
            act()

    def _show_anew(self, preview: Preview, query: Query | None) -> None:
        is_same = self._preview is not None and _goes_on(self._preview.content, preview.content)
        place = self.text.verticalScrollBar().value() if is_same else 0
        is_asked_again = is_same and query == self._query
        at, selected = self._at, self._selected() if is_asked_again else (0, 0)
        if not is_same:
            self._unfolded.clear()
        self._preview, self._query, self._at = preview, query, _NONE
        self._buttons.show()
        self._write(place)
        if is_asked_again:  # it has only become longer
            self._select(selected, place)
            self._at = at if at < self.matches else _NONE
            self._say_match()
        self.text.setAccessibleName(tr("Segment: {title}", title=title_of(preview.content.row)))

    def _turns_from(self) -> int:
        """Where the first turn begins: what stands above may change its length."""
        return next(iter(self._written.turns.values()), 0)

    def _selected(self) -> tuple[int, int]:
        cursor, base = self.text.textCursor(), self._turns_from()
        return cursor.anchor() - base, cursor.position() - base

    def _select(self, selected: tuple[int, int], place: int) -> None:
        anchor, position = (each + self._turns_from() for each in selected)
        if anchor == position or min(anchor, position) < 0:
            return
        cursor = self.text.textCursor()
        cursor.setPosition(anchor)
        cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        self.text.setTextCursor(cursor)
        self.text.verticalScrollBar().setValue(place)

    def show_turn(self, turn: TurnId) -> None:
        """Bring a turn to the top of the pane, shown whole."""
        if turn not in self._written.turns:
            return
        if turn not in self._unfolded:
            self._unfolded.add(turn)
            self._write(0)
        cursor = self.text.textCursor()
        cursor.setPosition(self._written.turns[turn])
        self.text.setTextCursor(cursor)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.value() + self.text.cursorRect().top() - self._look.space(2))

    def step(self, by: int) -> None:
        """Go to the next or the previous match, round the end."""
        if self._is_old:
            self._later.append(partial(self.step, by))
            return
        if not self.matches:
            return
        before = self._at if self._at != _NONE or by > 0 else 0
        self._at = (before + by) % self.matches
        start, end = self._written.matches[self._at]
        cursor = self.text.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.text.setTextCursor(cursor)
        self.text.ensureCursorVisible()
        self._say_match()

    def unfold(self) -> None:
        """Show every turn whole."""
        if self._is_old:
            self._later.append(self.unfold)
        content = self.content
        if content is not None:
            self._unfolded.update(read.turn.id for read in content.turns)
            self._write(self.text.verticalScrollBar().value())

    def restyle(self) -> None:
        """Take the colours of the look."""
        for button, icon in self._icons:
            button.setIcon(self._look.icon(icon))
        self.steps.restyle()
        if self._preview is not None:
            self._write(self.text.verticalScrollBar().value())

    def _show_nothing(self, why: str) -> None:
        self._preview, self._written, self._at = None, Written(), _NONE
        self.text.clear()
        self.text.setPlaceholderText(why)
        self.text.setAccessibleName(tr("No segment is chosen"))
        self.steps.hide()
        self._lessons.hide()

    def _write(self, place: int) -> None:
        assert self._preview is not None  # noqa: S101 - only called with one
        document = self.text.document()
        self._written = write_preview(
            document, self._preview, self._query, self._look, unfolded=self._unfolded
        )
        cursor = self.text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.text.setTextCursor(cursor)
        self.text.verticalScrollBar().setValue(place)
        lessons = self._preview.content.lessons
        self._lessons.setText(tr_n("{n} lesson", "{n} lessons", len(lessons)))
        self._lessons.setVisible(bool(lessons))
        self.steps.setVisible(self._query is not None)
        self._say_match()

    def _say_match(self) -> None:
        count = self.matches
        at = None if self._at == _NONE else self._at
        text = words.match_line(at, count, has_more=self._has_more) if self._query else ""
        self.steps.say(text, can_step=count > 0)
        self.text.setExtraSelections(self._current_mark())

    def _current_mark(self) -> list[QTextEdit.ExtraSelection]:
        if self._at == _NONE:
            return []
        start, end = self._written.matches[self._at]
        mark = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        mark.cursor = cursor
        style = mark.format
        style.setBackground(self.palette().highlight())
        style.setForeground(self.palette().highlightedText())
        mark.format = style
        return [mark]

    def _made_buttons(self) -> QWidget:
        bar = QWidget()
        row = Flow(self._look.space(2))
        row.setContentsMargins(*[self._look.space(2)] * 4)
        bar.setLayout(row)
        self._icons: list[tuple[QPushButton, str]] = []
        for text, tip, icon, wanted in (
            (tr("Copy as Markdown"), tr("Ctrl+C in the list"), "copy", self.copy_wanted),
            (
                tr("Open transcript"),
                tr("Opens the file this was read from"),
                "open-file",
                self.transcript_wanted,
            ),
        ):
            button = QPushButton(text)
            button.setToolTip(tip)
            button.setIcon(self._look.icon(icon))
            button.clicked.connect(wanted)
            self._icons.append((button, icon))
            row.addWidget(button)
        self._lessons = QPushButton()
        self._lessons.setIcon(self._look.icon("lessons"))
        self._lessons.clicked.connect(self.lessons_wanted)
        self._icons.append((self._lessons, "lessons"))
        row.addWidget(self._lessons)
        return bar

    def _on_old_timeout(self) -> None:
        self._show_nothing(tr("Reading…"))

    def _on_text_anchor_clicked(self, link: QUrl) -> None:
        if self._is_old:
            return
        target = link.toString()
        if target.startswith(LESSON):
            self.lesson_wanted.emit(LessonId(int(target.removeprefix(LESSON))))
        elif target.startswith(TURN):
            turn = TurnId(int(target.removeprefix(TURN)))
            self._unfolded.add(turn)
            place = self.text.verticalScrollBar().value()
            self._write(place)


def _goes_on(before: SegmentContent, now: SegmentContent) -> bool:
    """Whether it is the same segment, or the one into which the turns before have come."""
    if before.row.id == now.row.id:
        return True
    first = before.turns[0].turn.id if before.turns else None
    return before.row.is_unfiled and first in {read.turn.id for read in now.turns}
