"""Edit the wording of one line in place: Enter saves, Escape leaves it as it was."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from archivist.gui.look import Look, Type
from archivist.texts import tr

_ROWS = 4


class LineEditor(QWidget):
    """A wording under edit. `saved` carries the new one; `left` says that nothing changes."""

    saved = Signal(str)
    left = Signal()
    entered = Signal()

    def __init__(self, look: Look, text: str) -> None:
        super().__init__()
        self._before = text
        self._is_warned = False
        self.field = _Field(text)
        self.field.setFont(look.font(Type.MONO))
        self.field.setStyleSheet(f"border: 1px solid {look.colours.muted.name()};")
        self.field.setAccessibleName(tr("Wording of the line"))
        rows = QFontMetrics(self.field.font()).lineSpacing() * _ROWS
        self.field.setMaximumHeight(rows + 2 * look.space(2))
        self.field.wanted.connect(self.save)
        self.field.entered.connect(self.entered)
        self.field.textChanged.connect(self._on_text_changed)
        self.setFocusProxy(self.field)
        self._save, leave = QPushButton(tr("Save wording")), QPushButton(tr("Leave as it was"))
        self._save.setToolTip(tr("Enter. The lesson gets this wording too."))
        leave.setToolTip(tr("Esc; twice when something was typed"))
        self._save.clicked.connect(self.save)
        leave.clicked.connect(self.left)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(leave)
        buttons.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, look.space(), 0, look.space())
        column.addWidget(self.field)
        column.addLayout(buttons)

    @property
    def is_changed(self) -> bool:
        """Whether something was typed."""
        return self.field.toPlainText() != self._before

    def may_leave(self) -> bool:
        """Tell whether to leave: what was typed goes only when this is asked twice in a row."""
        if self._is_warned or not self.is_changed:
            return True
        self._is_warned = True
        return False

    def set_saving(self, *, is_saving: bool) -> None:
        """Take no letters while the wording is being saved."""
        self.field.setReadOnly(is_saving)
        self._save.setEnabled(not is_saving)

    def save(self) -> None:
        """Give the wording to whoever listens."""
        if not self.field.isReadOnly():
            self.saved.emit(" ".join(self.field.toPlainText().split()))

    def _on_text_changed(self) -> None:
        self._is_warned = False


class _Field(QPlainTextEdit):
    wanted = Signal()
    entered = Signal()

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTabChangesFocus(True)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A line has no line ends: Enter saves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the card."""
        super().focusInEvent(event)
        self.entered.emit()
