"""The right pane: one segment to read, what can be done with it, and steps through the matches."""

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTextBrowser,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.knowledge import LessonId
from archivist.domain.query import Query
from archivist.domain.segment_list import SegmentContent
from archivist.domain.turns import TurnId
from archivist.gui.flow import Flow
from archivist.gui.look import Look
from archivist.gui.segments.document import LESSON, TURN, Written, write_preview
from archivist.services.segment_list import Preview
from archivist.services.segment_text import title_of
from archivist.texts import tr, tr_n

_NONE: Final = -1


class PreviewPane(QWidget):
    """Shows a preview; asks for everything else by signals."""

    transcript_wanted = Signal()
    copy_wanted = Signal()
    lesson_wanted = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._preview: Preview | None = None
        self._query: Query | None = None
        self._unfolded: set[TurnId] = set()
        self._written = Written()
        self._at = _NONE
        self.text = QTextBrowser()
        self.text.setObjectName("segment-text")
        self.text.setOpenLinks(False)
        self.text.setUndoRedoEnabled(False)
        self.text.setTabChangesFocus(True)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setPlaceholderText(tr("Choose a segment to read it."))
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
        self._steps = self._made_steps()
        for part in (self._buttons, self.text, self._steps):
            column.addWidget(part, stretch=1 if part is self.text else 0)
        self.clear()

    @property
    def content(self) -> SegmentContent | None:
        """The segment that is shown."""
        return self._preview.content if self._preview else None

    @property
    def matches(self) -> int:
        """How many places of the segment answer the question."""
        return len(self._written.matches)

    def clear(self) -> None:
        """Show no segment."""
        self._preview, self._written, self._at = None, Written(), _NONE
        self.text.clear()
        self.text.setAccessibleName(tr("No segment is chosen"))
        self._buttons.hide()
        self._steps.hide()
        self._lessons.hide()

    def show_preview(self, preview: Preview, query: Query | None) -> None:
        """Show a segment; the same one with nothing new in it stays as it is."""
        if preview == self._preview and query == self._query:
            return
        is_same = self.content is not None and self.content.row.id == preview.content.row.id
        place = self.text.verticalScrollBar().value() if is_same else 0
        if not is_same:
            self._unfolded.clear()
        self._preview, self._query, self._at = preview, query, _NONE
        self._buttons.show()
        self._write(place)
        self.text.setAccessibleName(tr("Segment: {title}", title=title_of(preview.content.row)))

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
        content = self.content
        if content is not None:
            self._unfolded.update(read.turn.id for read in content.turns)
            self._write(self.text.verticalScrollBar().value())

    def ask_for_lessons(self) -> None:
        """Ask for the lessons of the segment, if it has any."""
        content = self.content
        if content is not None and content.lessons:
            self.lesson_wanted.emit(content.lessons[0].id)

    def restyle(self) -> None:
        """Take the colours of the look."""
        for button, icon in self._icons:
            button.setIcon(self._look.icon(icon))
        if self._preview is not None:
            self._write(self.text.verticalScrollBar().value())

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
        self._steps.setVisible(self._query is not None)
        self._say_match()

    def _say_match(self) -> None:
        count = self.matches
        if not count:
            text = tr("The words are in what a tool gave back.") if self._query else ""
        elif self._at == _NONE:
            text = tr_n("{n} match", "{n} matches", count)
        else:
            text = tr("Match {n} of {all}", n=self._at + 1, all=count)
        self._match.setText(text)
        for button in (self._previous, self._next):
            button.setEnabled(count > 0)
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
        self._icons: list[tuple[QPushButton | QToolButton, str]] = []
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
        self._lessons.clicked.connect(self.ask_for_lessons)
        self._icons.append((self._lessons, "lessons"))
        row.addWidget(self._lessons)
        return bar

    def _made_steps(self) -> QWidget:
        bar = QWidget()
        row = QHBoxLayout(bar)
        row.setContentsMargins(*[self._look.space(2)] * 4)
        self._match = QLabel()
        self._previous, self._next = QToolButton(), QToolButton()
        row.addWidget(self._match, stretch=1)
        for button, icon, name, by in (
            (self._previous, "previous", tr("Previous match (Shift+F3)"), -1),
            (self._next, "next", tr("Next match (F3)"), 1),
        ):
            button.setIcon(self._look.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.clicked.connect(partial(self.step, by))
            self._icons.append((button, icon))
            row.addWidget(button)
        return bar

    def _on_text_anchor_clicked(self, link: QUrl) -> None:
        target = link.toString()
        if target.startswith(LESSON):
            self.lesson_wanted.emit(LessonId(int(target.removeprefix(LESSON))))
        elif target.startswith(TURN):
            turn = TurnId(int(target.removeprefix(TURN)))
            self._unfolded.add(turn)
            place = self.text.verticalScrollBar().value()
            self._write(place)
