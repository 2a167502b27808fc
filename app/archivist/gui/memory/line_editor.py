"""Edit the wording of one line in place: Enter saves, Escape leaves it as it was."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from archivist.gui.look import Look, Type
from archivist.texts import tr

_ROWS = 4


class LineEditor(QWidget):
    """A wording under edit. `saved` carries the new one; `left` says that nothing changes."""

    saved = Signal(str)
    left = Signal()

    def __init__(self, look: Look, text: str) -> None:
        super().__init__()
        self._field = _Field(text)
        self._field.setFont(look.font(Type.MONO))
        self._field.setStyleSheet(f"border: 1px solid {look.colours.muted.name()};")
        self._field.setAccessibleName(tr("Wording of the line"))
        rows = QFontMetrics(self._field.font()).lineSpacing() * _ROWS
        self._field.setMaximumHeight(rows + 2 * look.space(2))
        self._field.entered.connect(self.save)
        self.setFocusProxy(self._field)
        save, leave = QPushButton(tr("Save wording")), QPushButton(tr("Leave as it was"))
        save.setToolTip(tr("Enter. The lesson gets this wording too."))
        leave.setToolTip(tr("Esc"))
        save.clicked.connect(self.save)
        leave.clicked.connect(self.left)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(leave)
        buttons.addWidget(save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, look.space(), 0, look.space())
        column.addWidget(self._field)
        column.addLayout(buttons)

    def save(self) -> None:
        """Give the wording to whoever listens."""
        self.saved.emit(" ".join(self._field.toPlainText().split()))


class _Field(QPlainTextEdit):
    entered = Signal()

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTabChangesFocus(True)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A line has no line ends: Enter saves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)
