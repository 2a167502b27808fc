"""Draws a row of the review: the sentence, and at its end the state where it changed."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from archivist.gui.look import Look

STATE_ROLE: Final = Qt.ItemDataRole.UserRole + 1
"""The word at the end of a row, or nothing."""


class LessonDelegate(QStyledItemDelegate):
    """The sentence is shortened before the state is."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the word at the end, and the rest in what is left."""
        word = index.data(STATE_ROLE)
        if not word:
            super().paint(painter, option, index)
            return
        edge = self._look.space(2)
        end = option.rect.adjusted(0, 0, -edge, 0)
        end.setLeft(end.right() - option.fontMetrics.horizontalAdvance(word))
        super().paint(painter, _up_to(option, end.left() - edge), index)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText
        pen = option.palette.color(role) if is_chosen else self._look.colours.muted
        painter.save()
        painter.setPen(pen)
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, word)
        painter.restore()


def _up_to(option: QStyleOptionViewItem, right: int) -> QStyleOptionViewItem:
    """Return the option in a row that ends earlier; what is behind is drawn by the list."""
    shorter = QStyleOptionViewItem(option)
    shorter.rect.setRight(right)
    return shorter
