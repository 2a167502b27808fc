"""Paints a title in the list: one line, what answers the question bold and marked, no HTML."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from archivist.domain.segment_list import ListedSegment
from archivist.gui.look import Look
from archivist.gui.segments.model import ROW, Index
from archivist.gui.utf16 import units


class TitleDelegate(QStyledItemDelegate):
    """Draws what the style draws, and the text itself with its marks."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        self.initStyleOption(option, index)
        # Where hidden characters are spelt out, the places of the marks no longer hold.
        if not isinstance(row, ListedSegment) or not option.text.endswith(row.snippet or "\n"):
            super().paint(painter, option, index)
            return
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        room = style.subElementRect(
            QStyle.SubElement.SE_ItemViewItemText, option, option.widget
        ).adjusted(2, 0, -2, 0)
        self._draw(painter, option, room, text, row)

    def _draw(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        room: QRect,
        text: str,
        row: ListedSegment,
    ) -> None:
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        elided = _elided(option, text, row, room.width())
        layout = QTextLayout(elided, option.font)
        layout.setTextOption(_one_line(option))
        # The word "open" may stand before the snippet.
        shift = len(text) - len(row.snippet)
        layout.setFormats(self._marks(row, elided, shift, is_selected=is_selected))
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(room.width())
        layout.endLayout()
        role = QPalette.ColorRole.HighlightedText if is_selected else QPalette.ColorRole.Text
        painter.save()
        painter.setClipRect(room)
        painter.setPen(option.palette.color(role))
        top = room.top() + (room.height() - line.height()) / 2
        layout.draw(painter, QPointF(room.left(), top))
        painter.restore()

    def _marks(
        self, row: ListedSegment, elided: str, shift: int, *, is_selected: bool
    ) -> list[QTextLayout.FormatRange]:
        end = len(elided) - (1 if elided.endswith("…") else 0)
        marks = []
        for span in row.spans:
            start, stop = span.start + shift, min(span.end + shift, end)
            if start >= stop:
                continue
            mark = QTextLayout.FormatRange()
            mark.start, mark.length = units(elided[:start]), units(elided[start:stop])
            style = QTextCharFormat()
            style.setFontWeight(QFont.Weight.Bold)
            if is_selected:
                style.setFontUnderline(True)
            else:
                style.setBackground(self._look.colours.mark)
            mark.format = style
            marks.append(mark)
        return marks


def _elided(option: QStyleOptionViewItem, text: str, row: ListedSegment, width: int) -> str:
    """Cut a text to a width of which the words that are bold take more than others."""
    bold = QFont(option.font)
    bold.setBold(True)
    wide, usual = QFontMetrics(bold), option.fontMetrics
    words = [row.snippet[span.start : span.end] for span in row.spans]
    extra = sum(wide.horizontalAdvance(word) - usual.horizontalAdvance(word) for word in words)
    return usual.elidedText(text, Qt.TextElideMode.ElideRight, max(0, width - extra))


def _one_line(option: QStyleOptionViewItem) -> QTextOption:
    one_line = QTextOption(Qt.AlignmentFlag.AlignLeft)
    one_line.setWrapMode(QTextOption.WrapMode.NoWrap)
    one_line.setTextDirection(option.direction)
    return one_line
