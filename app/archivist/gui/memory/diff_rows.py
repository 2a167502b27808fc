"""Draws rows of a diff: line number, sign, and the wrapped line with its changed words."""

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import (
    QColor,
    QFontInfo,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from archivist.domain.memory_diff import DiffLine, Sign
from archivist.gui.look import Look, Type
from archivist.gui.memory import words
from archivist.gui.utf16 import units

_SIGNS: Final = {Sign.SAME: " ", Sign.REMOVED: "−", Sign.ADDED: "+"}
_NARROWEST: Final = 24
_WIDTHS_KEPT: Final = 8


class DiffRows(QWidget):
    """Read-only. Its accessible name holds the same rows in words."""

    def __init__(self, look: Look, lines: Sequence[DiffLine]) -> None:
        super().__init__()
        self._look = look
        self._lines = tuple(lines)
        self._measures = _Measures(look, self._lines)
        self._heights: dict[int, list[float]] = {}
        self.setAccessibleName(words.rows_told(self._lines))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """Long lines wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows at a width."""
        return math.ceil(sum(self._heights_at(width)))

    def sizeHint(self) -> QSize:
        """Return a usual width, and the height of lines that do not wrap."""
        height = math.ceil(self._measures.row * len(self._lines))
        return QSize(self.minimumSizeHint().width() * 2, height)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the gutter and some words."""
        measures = self._measures
        width = measures.gutter + measures.space * _NARROWEST
        return QSize(round(width), round(measures.row))

    def restyle(self) -> None:
        """Take the colours and the font of the look."""
        self._measures = _Measures(self._look, self._lines)
        self._heights.clear()
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows that are visible."""
        painter = QPainter(self)
        painter.setFont(self._measures.font)
        top = 0.0
        for line, height in zip(self._lines, self._heights_at(self.width()), strict=True):
            if top + height >= event.rect().top() and top <= event.rect().bottom():
                self._draw(painter, line, QRectF(0, top, self.width(), height))
            top += height
        painter.end()

    def _draw(self, painter: QPainter, line: DiffLine, row: QRectF) -> None:
        colours, measures = self._look.colours, self._measures
        fore, back, _ = self._colours(line.sign)
        painter.fillRect(row, back)
        base = row.top() + measures.edge + measures.ascent
        number = str(line.old if line.new is None else line.new)
        painter.setPen(fore if line.sign is not Sign.SAME else colours.muted)
        left = measures.space * (1 + measures.digits - len(number))
        painter.drawText(QPointF(left, base), number)
        painter.drawText(QPointF(measures.space * (measures.digits + 2), base), _SIGNS[line.sign])
        painter.setPen(fore)
        layout = self.laid_out(line, self.width())
        layout.draw(painter, QPointF(measures.gutter, row.top() + measures.edge))

    def _colours(self, sign: Sign) -> tuple[QColor, QColor, QColor]:
        """Return the colour of text, of what is behind it, and behind a changed word."""
        colours = self._look.colours
        match sign:
            case Sign.ADDED:
                return colours.added, colours.added_back, colours.added_word
            case Sign.REMOVED:
                return colours.removed, colours.removed_back, colours.removed_word
            case _:
                return colours.text, colours.base, colours.base

    def _heights_at(self, width: int) -> list[float]:
        """Return the height of each row; layouts ask for a few widths again and again."""
        if width not in self._heights:
            if len(self._heights) >= _WIDTHS_KEPT:
                self._heights.clear()
            self._heights[width] = [self._height(line, width) for line in self._lines]
        return self._heights[width]

    def _height(self, line: DiffLine, width: int) -> float:
        measures = self._measures
        if (
            measures.is_fixed
            and line.text.isascii()
            and measures.space * len(line.text) <= self._room(width)
        ):
            return measures.row
        layout = self.laid_out(line, width)
        bottom = layout.lineAt(layout.lineCount() - 1).rect().bottom()
        return max(bottom + 2 * measures.edge, measures.row)

    def _room(self, width: int) -> float:
        return max(1.0, width - self._measures.gutter - self._measures.space)

    def laid_out(self, line: DiffLine, width: int) -> QTextLayout:
        """Return a line wrapped to a width of the whole widget."""
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout = QTextLayout(line.text, self._measures.font)
        layout.setTextOption(option)
        layout.setFormats([self._word(line, span.start, span.end) for span in line.changed])
        layout.beginLayout()
        top, room = 0.0, self._room(width)
        while (part := layout.createLine()).isValid():
            part.setLineWidth(room)
            part.setPosition(QPointF(0, top))
            top += part.height()
        layout.endLayout()
        return layout

    def _word(self, line: DiffLine, start: int, end: int) -> QTextLayout.FormatRange:
        found = QTextLayout.FormatRange()
        found.start, found.length = units(line.text[:start]), units(line.text[start:end])
        form = QTextCharFormat()
        form.setBackground(self._colours(line.sign)[2])
        form.setFontUnderline(True)
        found.format = form
        return found


class _Measures:
    """The font of the rows and what follows from it, asked for once."""

    def __init__(self, look: Look, lines: Sequence[DiffLine]) -> None:
        self.font = look.font(Type.MONO)
        metrics = QFontMetricsF(self.font)
        numbers = [n for line in lines for n in (line.old, line.new) if n is not None]
        self.is_fixed = QFontInfo(self.font).fixedPitch()
        self.digits = max(3, len(str(max(numbers, default=0))))
        self.space = metrics.horizontalAdvance("0")
        self.ascent = metrics.ascent()
        self.edge = look.space(0.25)
        self.row = metrics.height() + 2 * self.edge
        self.gutter = self.space * (self.digits + 4)
