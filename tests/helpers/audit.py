"""What is wrong with a window: text that is cut off, controls without a name or out of reach.

A control that shortens its text by design carries the property `elides`; it then has a tool tip.
"""

from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QHeaderView,
    QLabel,
    QLineEdit,
    QWidget,
)

ELIDES: Final = "elides"
_MOST_STEPS: Final = 200
_ROWS: Final = (QAccessible.Role.Cell, QAccessible.Role.ListItem, QAccessible.Role.TreeItem)


def clipped(window: QWidget) -> list[str]:
    """Return a line for each visible label, button and column head that needs more room."""
    texts: list[QWidget] = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    found = [line for widget in texts if widget.isVisibleTo(window) for line in _tight(widget)]
    for header in window.findChildren(QHeaderView):
        if header.isVisibleTo(window) and header.orientation() is Qt.Orientation.Horizontal:
            found += _tight_sections(header)
    return found


def _tight(widget: QWidget) -> Iterator[str]:
    if widget.property(ELIDES) or isinstance(widget.parentWidget(), QLineEdit):
        return  # what stands inside a field is Qt's own and drawn to its height
    hint, size = widget.sizeHint(), widget.size()
    height = widget.heightForWidth(size.width()) if widget.hasHeightForWidth() else hint.height()
    wraps = isinstance(widget, QLabel) and widget.wordWrap()
    if (not wraps and hint.width() > size.width()) or height > size.height():
        yield f"{_named(widget)} needs {hint.width()}×{height}, has {size.width()}×{size.height()}"
    elif not _scrolls(widget) and widget.visibleRegion().boundingRect() != widget.rect():
        yield f"{_named(widget)} is partly hidden"


def _tight_sections(header: QHeaderView) -> Iterator[str]:
    for section in range(header.count()):
        needs, has = header.sectionSizeHint(section), header.sectionSize(section)
        if not header.isSectionHidden(section) and needs > has:
            title = header.model().headerData(section, header.orientation())
            yield f"column {title!r} needs {needs}, has {has}"


def _scrolls(widget: QWidget | None) -> bool:
    while widget is not None:
        if isinstance(widget, QAbstractScrollArea):
            return True
        widget = widget.parentWidget()
    return False


def nameless(window: QWidget) -> list[str]:
    """Return a line for each control that can have the focus and that a screen reader cannot name.

    Rows are left out: their text is data.
    """
    return [
        f"{node.role().name} {_named(node.object())}"
        for node in _tree(QAccessible.queryAccessibleInterface(window))
        if node.state().focusable
        and not node.state().invisible
        and node.role() not in _ROWS
        and not node.text(QAccessible.Text.Name)
    ]


def _tree(node: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    yield node
    for index in range(node.childCount()):
        if (child := node.child(index)) is not None:
            yield from _tree(child)


def unreached(window: QWidget) -> list[str]:
    """Press Tab until it comes round; return what it never met, or where it could not leave.

    The window must be the active one.
    """
    wanted = set(reachable(window))
    if not wanted:
        return []
    window.setFocus()
    met: list[QWidget] = []
    for _ in range(_MOST_STEPS):
        before = QApplication.focusWidget() or window
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now is before:
            is_only_one = wanted == {now}
            return [] if is_only_one else [f"Tab does not leave {_named(before)}"]
        if now in met:
            break
        met.append(now)
    return sorted(f"Tab does not reach {_named(widget)}" for widget in wanted - set(met))


def reachable(window: QWidget) -> list[QWidget]:
    """Return the controls that Tab must meet now."""
    return [widget for widget in window.findChildren(QWidget) if _takes_tab(widget, window)]


def _takes_tab(widget: QWidget, window: QWidget) -> bool:
    takes = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    if not takes or widget.focusProxy() is not None or not widget.isEnabled():
        return False
    if isinstance(widget, QAbstractButton) and widget.autoExclusive() and not widget.isChecked():
        return False  # arrows move within the group
    return widget.isVisibleTo(window) and widget.window() is window


def _named(thing: object) -> str:
    if not isinstance(thing, QWidget):
        return "?"
    text = thing.text() if isinstance(thing, QLabel | QAbstractButton) else ""
    name = thing.objectName() or thing.accessibleName()
    return " ".join(filter(None, (type(thing).__name__, name, repr(text[:40]) if text else "")))
