"""A check box whose mark can be seen on every ground: styles draw it too faint on dark ones."""

from typing import Final

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QStyleOptionFocusRect

from archivist.gui.look import Look

_SHOWN: Final = (
    Qt.AlignmentFlag.AlignLeading
    | Qt.AlignmentFlag.AlignVCenter
    | Qt.TextFlag.TextShowMnemonic  # draws the doubled & as one
)


class ClearBox(QCheckBox):
    """The whole of it is its target. Its text may hold anything: `&` makes no letter a key."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(text.replace("&", "&&"))
        self._look = look

    def hitButton(self, pos: QPoint) -> bool:
        """Tell whether a click hits."""
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw mark, text and focus."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        style, painter = self.style(), QPainter(self)
        part = QStyle.SubElement
        self._draw_mark(painter, style.subElementRect(part.SE_CheckBoxIndicator, option, self))
        contents = style.subElementRect(part.SE_CheckBoxContents, option, self)
        style.drawItemText(
            painter,
            contents,
            _SHOWN,
            self.palette(),
            self.isEnabled(),
            self.text(),
            self.foregroundRole(),
        )
        if self.hasFocus():
            ring = QStyleOptionFocusRect()
            ring.initFrom(self)
            ring.rect = style.subElementRect(part.SE_CheckBoxFocusRect, option, self)
            style.drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, ring, painter, self)
        painter.end()

    def _draw_mark(self, painter: QPainter, area: QRect) -> None:
        colours = self._look.colours
        side = min(area.width(), area.height())
        square = QRect(0, 0, side, side)
        square.moveCenter(area.center())
        line = max(1.0, side / 12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours.text if self.isChecked() else colours.muted, line))
        painter.setBrush(colours.accent if self.isChecked() else colours.base)
        painter.drawRoundedRect(square.adjusted(1, 1, -1, -1), side / 8, side / 8)
        if self.isChecked():
            painter.setPen(QPen(colours.base, line * 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            corner, unit = QPointF(square.topLeft()), side / 16
            tick = ((4, 8.5), (7, 11.5), (12, 5))
            painter.drawPolyline(QPolygonF([corner + QPointF(x * unit, y * unit) for x, y in tick]))
