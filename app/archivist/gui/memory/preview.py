"""The whole file as it would be after the chosen changes; read-only."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.memory_diff import DiffLine, Sign
from archivist.gui.look import Look, Type
from archivist.gui.memory import words
from archivist.texts import tr


class PreviewDialog(QDialog):
    """Lines that are new have a sign beside their number as well as a ground of their own."""

    def __init__(self, parent: QWidget, look: Look, path: str, lines: Sequence[DiffLine]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Preview"))
        self.resize(parent.size() * 0.9)
        head = QLabel(tr("{path} as it would be. Lines with + are new.", path=words.broken(path)))
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setWordWrap(True)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setAccessibleName(tr("The file after writing"))
        self.text.setFont(look.font(Type.MONO))
        self._fill(look, lines)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (head, self.text, buttons):
            column.addWidget(part)

    def _fill(self, look: Look, lines: Sequence[DiffLine]) -> None:
        digits = max(3, len(str(len(lines))))
        cursor, first = QTextCursor(self.text.document()), None
        cursor.beginEditBlock()
        for number, line in enumerate(lines):
            if number:
                cursor.insertBlock()
            cursor.setBlockFormat(_block(look, line, digits))
            cursor.insertText(f"{line.new:>{digits}} {line.sign} {line.text}", _ink(look, line))
            if line.sign is Sign.ADDED and first is None:
                first = number
        cursor.endEditBlock()
        self.text.setTextCursor(QTextCursor(self.text.document().findBlockByNumber(first or 0)))
        self.text.ensureCursorVisible()


def _block(look: Look, line: DiffLine, digits: int) -> QTextBlockFormat:
    """Return the shape of a line: what wraps goes on below its text, not below its number."""
    gutter = QFontMetricsF(look.font(Type.MONO)).horizontalAdvance("0") * (digits + 3)
    shape = QTextBlockFormat()
    shape.setLeftMargin(gutter)
    shape.setTextIndent(-gutter)
    if line.sign is Sign.ADDED:
        shape.setBackground(look.colours.added_back)
    return shape


def _ink(look: Look, line: DiffLine) -> QTextCharFormat:
    ink = QTextCharFormat()
    ink.setForeground(look.colours.added if line.sign is Sign.ADDED else look.colours.text)
    return ink
