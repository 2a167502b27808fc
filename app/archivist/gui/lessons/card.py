"""The right side of the review: one lesson with all that speaks for and against it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.knowledge import Lesson, LessonState
from archivist.domain.review import Wording
from archivist.gui.lessons import words
from archivist.gui.lessons.parts import EvidenceRow, Line, Sentence
from archivist.gui.look import Look, Type
from archivist.texts import tr, tr_n

_FIRST_EVIDENCE: Final = 5
_MOST_COPIES: Final = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """A lesson with what belongs to it: kept ones in nearly the same words, its memory files."""

    lesson: Lesson
    copies: tuple[Wording, ...] = ()
    files: tuple[str, ...] = ()


class LessonCard(QScrollArea):
    """Shows a lesson and lets its sentence be edited in place. It decides nothing."""

    edited = Signal(str)
    """Another wording is to be saved."""
    editing = Signal(bool)
    opened = Signal(object)
    """A piece of evidence whose turn is to be shown."""
    memory_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: Shown | None = None
        self._shows_all, self._now = False, datetime.now().astimezone()
        self.is_editing = False
        self._edited: Lesson | None = None
        self.setObjectName("card")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._kind_icon = QLabel()
        self._kind, self._scope, self._state = Line(), Line(), Line()
        self._warning, self._warning_sign = Line(), QLabel()
        self.sentence = Sentence()
        self._original, self._why, self._files = Line(selectable=True), Line(), Line()
        self._copies, self._more = Line(selectable=True), QPushButton()
        self._evidence_title, self._copies_title = Line(), Line()
        self._memory = QPushButton()
        self._save, self._give_up = QPushButton(tr("Save")), QPushButton(tr("Do not change"))
        self._evidence: list[EvidenceRow] = []
        self._evidence_column = QVBoxLayout()
        self._build()
        self._connect()
        self.restyle()
        self.show_lesson(None, self._now)

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that is shown."""
        return self._shown.lesson if self._shown else None

    def with_lesson(self, lesson: Lesson) -> Shown:
        """Return a lesson with what is already known to belong to it."""
        if self._shown is None or self._shown.lesson.id != lesson.id:
            return Shown(lesson)
        return replace(self._shown, lesson=lesson)

    @property
    def warning(self) -> str:
        """What is to be feared of the lesson, "" for nothing."""
        return self._warning.text()

    @property
    def found_as(self) -> str:
        """The words before an edit, "" where nothing was edited."""
        return self._original.text()

    @property
    def why(self) -> str:
        """How often the lesson was said."""
        return self._why.text()

    def show_lesson(self, shown: Shown | None, now: datetime) -> None:
        """Show a lesson, or nothing. What is being edited of the same lesson stays."""
        is_same = (
            self.lesson is not None and shown is not None and self.lesson.id == shown.lesson.id
        )
        if self.is_editing and not is_same:
            self.end_edit()
        self._shown, self._now = shown, now
        self._shows_all = self._shows_all and is_same
        self._body.setVisible(shown is not None)
        if shown is not None:
            self._say(shown, now)

    def begin_edit(self) -> None:
        """Let the sentence be changed."""
        if self.lesson is None or self.is_editing:
            return
        self.is_editing, self._edited = True, self.lesson
        self.sentence.setPlainText(self.lesson.text)
        self.sentence.set_editable(editable=True)
        self.sentence.setAccessibleName(tr("The lesson, to be changed"))
        self.sentence.setFocus()
        self.sentence.selectAll()
        self._show_edit_buttons()

    def end_edit(self) -> None:
        """Only show the sentence again, as it is stored."""
        self.is_editing = False
        self.sentence.set_editable(editable=False)
        self.sentence.setAccessibleName(tr("The lesson"))
        if self.lesson is not None:
            self.sentence.setPlainText(words.readable(self.lesson.text))
        self._show_edit_buttons()

    @property
    def wording(self) -> str:
        """What stands in the sentence now, on one line."""
        return " ".join(self.sentence.toPlainText().split())

    @property
    def is_changed(self) -> bool:
        """Whether another wording was typed and is not saved."""
        return self.edited_lesson is not None and self.wording != self.edited_lesson.text

    @property
    def edited_lesson(self) -> Lesson | None:
        """The lesson that is edited, as it was when the person began; None when none is."""
        return self._edited if self.is_editing else None

    def go_on_from(self, lesson: Lesson) -> None:
        """Let what is being edited be measured by the lesson as it is now."""
        if self._edited is not None and self._edited.id == lesson.id:
            self._edited = lesson

    def open_first(self) -> None:
        """Show the turn of the first piece of evidence that stands in a segment."""
        if self.lesson is not None:
            newest = reversed(self.lesson.evidence)
            placed = [item for item in newest if item.segment is not None]
            if placed:
                self.opened.emit(placed[0])

    def restyle(self) -> None:
        """Take the colours and fonts of the look."""
        colours, look = self._look.colours, self._look
        for line in (self._scope, self._state, self._original, self._why):
            line.paint_in(colours.muted)
        for line in (self._evidence_title, self._copies_title):
            line.setFont(look.font(Type.HEAD))
        self._kind.setFont(look.font(Type.HEAD))
        self.sentence.setFont(look.font(Type.TITLE))
        self._warning.paint_in(colours.text)
        self._warning_sign.setPixmap(
            look.icon("warning", colours.warning).pixmap(look.space(5), look.space(5))
        )
        self._warning_box.setStyleSheet(
            f"#untrusted {{ background: {colours.warning_back.name()};"
            f" border: 1px solid {colours.border.name()}; }}"
        )
        for row in self._evidence:
            row.restyle()
        self._draw_kind()

    def _build(self) -> None:
        look, self._body = self._look, QWidget()
        column = QVBoxLayout(self._body)
        edge = look.space(4)
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(look.space(2))
        column.addLayout(self._header())
        self._warning_box = self._boxed(self._warning_sign, self._warning)
        column.addWidget(self._warning_box)
        column.addWidget(self.sentence)
        column.addLayout(self._edit_row())
        for line in (self._original, self._why, self._evidence_title):
            column.addWidget(line)
        self._evidence_column.setSpacing(look.space(3))
        column.addLayout(self._evidence_column)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(look.space(2))
        column.addWidget(self._copies_title)
        column.addWidget(self._copies)
        column.addSpacing(look.space(2))
        column.addWidget(self._files)
        column.addWidget(self._memory, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        self.setWidget(self._body)

    def _header(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(self._look.space(2))
        row.addWidget(self._kind_icon)
        for line in (self._kind, self._scope):
            line.setWordWrap(False)
            line.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
            row.addWidget(line)
        row.addStretch(1)
        self._state.setWordWrap(False)
        row.addWidget(self._state)
        return row

    def _edit_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(self._look.space(2))
        for button in (self._save, self._give_up):
            button.setAutoDefault(True)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _boxed(self, sign: QLabel, line: Line) -> QFrame:
        box = QFrame()
        box.setObjectName("untrusted")
        row = QHBoxLayout(box)
        edge = self._look.space(2)
        row.setContentsMargins(edge, edge, edge, edge)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(line, 1)
        return box

    def _connect(self) -> None:
        self.sentence.saved.connect(self._on_saved)
        self.sentence.touched.connect(self.begin_edit)
        self._save.clicked.connect(self._on_saved)
        self._give_up.clicked.connect(self.end_edit)
        self._memory.clicked.connect(self.memory_wanted)
        self._more.clicked.connect(self._on_more_clicked)

    def _say(self, shown: Shown, now: datetime) -> None:
        lesson = shown.lesson
        self._kind.say(words.kind_line(lesson))
        self._scope.say(words.scope_words(lesson))
        self._state.say(words.standing(lesson))
        self._draw_kind()
        warning = words.warning(lesson)
        self._warning.say(warning)
        self._warning_box.setVisible(bool(warning))
        if not self.is_editing:
            self.sentence.setPlainText(words.readable(lesson.text))
        is_edited = lesson.text != lesson.said
        self._original.say(tr("Found as: “{text}”", text=lesson.said) if is_edited else "")
        self._why.say(words.why(lesson, now))
        self._say_evidence(lesson, now)
        self._say_copies(shown.copies)
        self._say_files(lesson, shown.files)
        self._show_edit_buttons()

    def _say_evidence(self, lesson: Lesson, now: datetime) -> None:
        count = len(lesson.evidence) if self._shows_all else _FIRST_EVIDENCE
        newest = list(reversed(lesson.evidence))[:count]
        while len(self._evidence) < len(newest):
            row = EvidenceRow(self._look)
            row.opened.connect(self.opened)
            self._evidence.append(row)
            self._evidence_column.addWidget(row)
        for row, item in zip(self._evidence, newest, strict=False):
            row.show_evidence(item, words.said_by(item, now))
        for row in self._evidence[len(newest) :]:
            row.hide()
        self._evidence_title.say(tr("Evidence") if newest else "")
        more = len(lesson.evidence) - len(newest)
        self._more.setText(tr_n("Show {n} more turn", "Show {n} more turns", more))
        self._more.setVisible(more > 0)

    def _say_copies(self, copies: Sequence[Wording]) -> None:
        shown = [tr("“{text}”", text=words.readable(copy.text)) for copy in copies[:_MOST_COPIES]]
        title = tr_n(
            "Nearly the same words as a kept lesson", "Nearly the same words as kept lessons",
            len(shown),
        )  # fmt: skip
        self._copies_title.say(title if shown else "")
        self._copies.say("\n".join(shown))

    def _say_files(self, lesson: Lesson, files: Sequence[str]) -> None:
        if lesson.state in (LessonState.REJECTED, LessonState.RETIRED):
            self._files.say("")
            self._memory.hide()
            return
        self._files.say(words.destination(lesson, files))
        self._memory.setText(tr("Memory changes") if files else tr("Choose a memory file…"))
        self._memory.show()

    def _show_edit_buttons(self) -> None:
        for button in (self._save, self._give_up):
            button.setVisible(self.is_editing)
        self.editing.emit(self.is_editing)

    def _draw_kind(self) -> None:
        if self.lesson is not None:
            size = self._look.space(5)
            icon = self._look.icon(words.icon_name(self.lesson.category))
            self._kind_icon.setPixmap(icon.pixmap(size, size))

    def _on_more_clicked(self) -> None:
        self._shows_all = True
        if self.lesson is not None:
            self._say_evidence(self.lesson, self._now)
            self._evidence[_FIRST_EVIDENCE].take_focus()

    def _on_saved(self) -> None:
        if self.is_changed:
            self.edited.emit(self.wording)
        else:
            self.end_edit()
