"""Small widgets of the lesson card: wrapped text, the sentence, one piece of evidence, reasons."""

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPalette, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTextEdit,
    QVBoxLayout,
)

from archivist.domain.hidden import visible_lines
from archivist.domain.knowledge import Evidence
from archivist.domain.review import RejectReason
from archivist.gui.flow import Flow
from archivist.gui.lessons import words
from archivist.gui.look import Look
from archivist.texts import tr

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Line(QLabel):
    """Plain text that wraps; never read as HTML."""

    def __init__(self, *, selectable: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def say(self, text: str) -> None:
        """Show a text with its hidden characters spelt out; nothing at all for ""."""
        self.setText(visible_lines(text))
        self.setVisible(bool(text))

    def paint_in(self, color: QColor) -> None:
        """Draw in a colour of the look."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, color)
        self.setPalette(palette)


class Sentence(QTextEdit):
    """The words of a lesson: read until a person clicks or begins to edit, as tall as its text.

    Enter emits `saved`; a click emits `touched` while it is only read.
    """

    saved = Signal()
    touched = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The lesson"))
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self.set_editable(editable=False)

    def set_editable(self, *, editable: bool) -> None:
        """Let a person write, or only read."""
        self.setReadOnly(not editable)
        flags = Qt.TextInteractionFlag.TextSelectableByMouse
        flags |= Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextEditorInteraction if editable else flags
        )
        frame = QFrame.Shape.StyledPanel if editable else QFrame.Shape.NoFrame
        self.setFrameShape(frame)
        self.document().setDocumentMargin(self.fontMetrics().height() / 4 if editable else 0)
        self.viewport().setAutoFillBackground(editable)

    def sizeHint(self) -> QSize:
        """As tall as the text in this width."""
        edges = self.height() - self.viewport().height()
        return QSize(super().sizeHint().width(), round(self.document().size().height()) + edges)

    def minimumSizeHint(self) -> QSize:
        """Never less tall than the text."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Grow with the text where the width changes."""
        super().resizeEvent(event)
        self.updateGeometry()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Begin to edit at a click; dragging selects."""
        super().mouseReleaseEvent(event)
        if self.isReadOnly() and not self.textCursor().hasSelection():
            self.touched.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save on Enter: a lesson is one paragraph."""
        if event.key() in _ENTER and not self.isReadOnly():
            self.saved.emit()
            return
        super().keyPressEvent(event)

    def _on_size_changed(self) -> None:
        self.updateGeometry()


class EvidenceRow(QFrame):
    """When and where something was said, the exact words, and the way to the turn."""

    opened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._evidence: Evidence | None = None
        self._when = Line()
        self._quote = Line(selectable=True)
        self._open = QPushButton()
        self._open.setAutoDefault(True)
        self._open.clicked.connect(self._on_open_clicked)
        self._bar = QFrame()
        self._bar.setAutoFillBackground(True)
        self._bar.setFixedWidth(look.space(0.75))
        text = QVBoxLayout()
        text.setSpacing(look.space(0.5))
        text.addWidget(self._when)
        text.addWidget(self._quote)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(look.space(2))
        row.addWidget(self._bar)
        row.addLayout(text, 1)
        row.addWidget(self._open, 0, Qt.AlignmentFlag.AlignTop)
        self.restyle()

    def show_evidence(self, evidence: Evidence, said: str) -> None:
        """Show one piece of evidence; `said` is when and where."""
        self._evidence = evidence
        self._when.say(said)
        self._quote.say(tr("“{quote}”", quote=evidence.quote))
        self._open.setText(tr("Open turn"))
        self._open.setAccessibleName(tr("Open the turn of {when}", when=said))
        self._open.setEnabled(evidence.segment is not None)
        self._open.setToolTip("" if evidence.segment else tr("Its segment is not made yet."))
        self.setVisible(True)

    def take_focus(self) -> None:
        """Put the focus on the way to the turn."""
        self._open.setFocus()

    def restyle(self) -> None:
        """Take the colours of the look."""
        self._when.paint_in(self._look.colours.muted)
        palette = self._bar.palette()
        palette.setColor(QPalette.ColorRole.Window, self._look.colours.border)
        self._bar.setPalette(palette)
        self._open.setIcon(self._look.icon("segments"))

    def _on_open_clicked(self) -> None:
        if self._evidence is not None:
            self.opened.emit(self._evidence)


class ReasonRow(QFrame):
    """Why a lesson is rejected: five choices by number, or none. Hidden until it is asked."""

    chosen = Signal(object)
    """The reason, None for none."""
    given_up = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._title = Line()
        self._title.say(tr("Reject: why?"))
        self._buttons = [_numbered(number, reason) for number, reason in enumerate(RejectReason, 1)]
        self._none = QPushButton(tr("R No reason"))
        self._keep = QPushButton(tr("Esc Do not reject"))
        row = Flow(look.space(1))
        for button, reason in zip(self._buttons, RejectReason, strict=True):
            button.clicked.connect(partial(self._on_reason_clicked, reason))
            row.addWidget(button)
        self._none.clicked.connect(partial(self._on_reason_clicked, None))
        self._keep.clicked.connect(self.given_up)
        row.addWidget(self._none)
        row.addWidget(self._keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._title)
        column.addLayout(row)
        self.hide()

    def ask(self, title: str) -> None:
        """Show the choices."""
        self._title.say(title)
        self.setAccessibleName(title)
        self.show()

    def _on_reason_clicked(self, reason: RejectReason | None, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's
        self.chosen.emit(reason)


def _numbered(number: int, reason: RejectReason) -> QPushButton:
    return QPushButton(tr("{n} {reason}", n=number, reason=words.reason_word(reason)))
