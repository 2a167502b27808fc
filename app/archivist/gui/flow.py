"""Rows that go on in the next line where the width does not suffice, and room for all lines."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Lays widgets out like words; never wider than its widest one needs."""

    def __init__(self, spacing: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Put an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, None behind the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Grow in no direction."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the taller."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines in a width."""
        return self._lay_out(QRect(0, 0, width, 0), moving=False)

    def setGeometry(self, rect: QRect) -> None:
        """Put the items into their places."""
        super().setGeometry(rect)
        self._lay_out(rect, moving=True)

    def sizeHint(self) -> QSize:
        """Return the size of everything in one line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        least = QSize()
        for item in self._shown():
            least = least.expandedTo(item.minimumSize())
        return least

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lay_out(self, rect: QRect, *, moving: bool) -> int:
        """Return the height that the items take in this width, and move them there if wanted."""
        x, y, tallest = rect.x(), rect.y(), 0
        for item in self._shown():
            hint = item.sizeHint()
            if x > rect.x() and x + hint.width() > rect.x() + rect.width():
                x, y, tallest = rect.x(), y + tallest + self.spacing(), 0
            if moving:
                width = min(hint.width(), rect.width())
                item.setGeometry(QRect(QPoint(x, y), QSize(width, hint.height())))
            x += hint.width() + self.spacing()
            tallest = max(tallest, hint.height())
        return y + tallest - rect.y()


class Tall(QWidget):
    """Never less tall than what is in it needs, wrapped in the width that it has.

    Of wrapped text and flows a layout only knows the height of one line; a window would be made so
    small that the rest is cut off.
    """

    def minimumSizeHint(self) -> QSize:
        """Return the least size in this width."""
        least, layout = super().minimumSizeHint(), self.layout()
        if layout is not None and layout.hasHeightForWidth():
            width = max(self.width(), least.width())
            least.setHeight(max(least.height(), layout.minimumHeightForWidth(width)))
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height in another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
