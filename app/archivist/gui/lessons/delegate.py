"""Draws a row of the review: the sentence, and at its end the state where it changed."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
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
        row = QStyleOptionViewItem(option)
        self.initStyleOption(row, index)
        style = row.widget.style()
        edge = self._look.space(2)
        end = row.rect.adjusted(0, 0, -edge, 0)
        end.setLeft(end.right() - row.fontMetrics.horizontalAdvance(word))
        # Only the text is shortened: the ground of a chosen row reaches under the state.
        text = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, row, row.widget)
        room = end.left() - edge - text.left()
        row.text = row.fontMetrics.elidedText(row.text, Qt.TextElideMode.ElideRight, room)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, row, painter, row.widget)
        is_chosen = bool(row.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setPen(_on_highlight(row) if is_chosen else self._look.colours.muted)
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, word)
        painter.restore()


def _on_highlight(row: QStyleOptionViewItem) -> QColor:
    """Return the colour of the text in a chosen row, in a window that is active or not."""
    is_active = bool(row.state & QStyle.StateFlag.State_Active)
    group = QPalette.ColorGroup.Active if is_active else QPalette.ColorGroup.Inactive
    return row.palette.color(group, QPalette.ColorRole.HighlightedText)
