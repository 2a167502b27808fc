"""One proposed change: its box, where it comes from, what to look at twice, and its rows."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.hidden import without_hidden
from archivist.gui.look import Look, Type
from archivist.gui.memory import words
from archivist.gui.memory.clear_box import ClearBox
from archivist.gui.memory.diff_rows import DiffRows
from archivist.gui.memory.line_editor import LineEditor
from archivist.services.memory_shown import HunkView
from archivist.texts import tr


class HunkBox(ClearBox):
    """A change that needs care is asked about before it is chosen."""

    asked = Signal()
    entered = Signal()

    def __init__(self, look: Look, text: str, *, needs_care: bool) -> None:
        super().__init__(look, text)
        self._needs_care = needs_care
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def nextCheckState(self) -> None:
        """Go on to the next state, by key, click or screen reader."""
        if self._needs_care and not self.isChecked():
            self.asked.emit()
        else:
            super().nextCheckState()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the card."""
        super().focusInEvent(event)
        self.entered.emit()


class HunkCard(QFrame):
    """`chosen` carries whether it is; `asked` wants a confirmation first."""

    chosen = Signal(bool)
    asked = Signal()
    reworded = Signal(str)
    edit_left = Signal()
    lesson_wanted = Signal()
    entered = Signal()

    def __init__(self, look: Look, hunk: HunkView, number: int, count: int) -> None:
        super().__init__()
        self.hunk = hunk
        self.editor: LineEditor | None = None
        self._look = look
        self._is_current = False
        self.box = HunkBox(
            look,
            tr("{number}  {heading}", number=number, heading=hunk.heading),
            needs_care=bool(hunk.cares),
        )
        self.box.setFont(look.font(Type.HEAD))
        self.box.setAccessibleName(words.told(hunk, number, count))
        self.box.setToolTip(tr("Space chooses. E edits the line. J and K go to the next and back."))
        self.box.toggled.connect(self.chosen)
        self.box.asked.connect(self.asked)
        self.box.entered.connect(self.entered)
        self.rows = DiffRows(look, hunk.lines)
        self.source = QPushButton(words.origin(hunk))
        self._care = _CareLine(look, hunk) if hunk.cares else None
        self._column = QVBoxLayout(self)
        margin = look.space(2)
        self._column.setContentsMargins(margin, margin, margin, margin)
        self._column.setSpacing(look.space(1))
        self._column.addLayout(self._head())
        if self._care is not None:
            self._column.addWidget(self._care)
        self._column.addWidget(self.rows)

    def set_chosen(self, *, chosen: bool) -> None:
        """Show whether the change is chosen, without telling anybody."""
        self.box.blockSignals(True)
        self.box.setChecked(chosen)
        self.box.blockSignals(False)
        self.update()

    def edit(self) -> None:
        """Open the line for editing."""
        if self.editor is None:
            self.editor = LineEditor(self._look, without_hidden(self.hunk.text))
            self.editor.saved.connect(self.reworded)
            self.editor.left.connect(self.edit_left)
            self.editor.entered.connect(self.entered)
            self._column.addWidget(self.editor)
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def is_changed(self) -> bool:
        """Whether a wording was typed that is not saved."""
        return self.editor is not None and self.editor.is_changed

    def leave_edit(self) -> None:
        """Close the editor; what was typed is gone."""
        if self.editor is None:
            return
        if self.editor.isAncestorOf(self.window().focusWidget()):
            self.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self.editor.hide()
        self.editor.deleteLater()
        self.editor = None

    def set_current(self, *, is_current: bool) -> None:
        """Show whether keys act on this card."""
        self._is_current = is_current
        self.update()

    def restyle(self) -> None:
        """Take the colours of the look."""
        self.rows.restyle()
        if self._care is not None:
            self._care.restyle()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground and a border, a strong one for the card that keys act on."""
        super().paintEvent(event)
        colours = self._look.colours
        width = self._look.space(0.5) if self._is_current else 1
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours.accent if self._is_current else colours.border, width))
        painter.setBrush(colours.base)
        radius = self._look.space(1)
        around = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(around, radius, radius)
        painter.end()

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.addWidget(self.box, 1)
        if label := words.replacing(self.hunk):
            head.addWidget(QLabel(label))
        self.source.setFlat(True)
        self.source.setToolTip(tr("Show the lesson and what was said"))
        self.source.setEnabled(bool(self.hunk.sources))
        self.source.clicked.connect(self.lesson_wanted)
        head.addWidget(self.source)
        return head


class _CareLine(QWidget):
    """Why a change must be looked at twice."""

    def __init__(self, look: Look, hunk: HunkView) -> None:
        super().__init__()
        self._look = look
        self._sign = QLabel()
        text = QLabel(
            tr("Look twice: {reasons}", reasons="; ".join(words.care(c) for c in hunk.cares))
        )
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setObjectName("care")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(look.space(2), look.space(1), look.space(2), look.space(1))
        row.addWidget(self._sign)
        row.addWidget(text, 1)
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the look."""
        colours = self._look.colours
        self.setStyleSheet(
            f"#care {{ background: {colours.warning_back.name()}; }}"
            f"#care QLabel {{ color: {colours.text.name()}; }}"
        )
        side = self._look.space(4)
        icon = self._look.icon("warning", colours.warning)
        self._sign.setPixmap(icon.pixmap(QSize(side, side)))
