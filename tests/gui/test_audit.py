"""The checks of windows can fail: each is shown a window that breaks its rule."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from archivist.gui.application import Application
from helpers.audit import ELIDES, clipped, nameless, unreached

pytestmark = pytest.mark.gui


@pytest.fixture
def window(qapp: Application) -> QWidget:
    """A window in which nothing is wrong."""
    made = QWidget()
    column = QVBoxLayout(made)
    label, field = QLabel("&Search"), QLineEdit()
    label.setBuddy(field)
    for part in (label, field, QPushButton("Write 2"), QPushButton("Not now")):
        column.addWidget(part)
    return made


def shown(window: QWidget) -> QWidget:
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    return window


def test_a_sound_window_passes_everything(window: QWidget) -> None:
    shown(window)
    assert clipped(window) == []
    assert nameless(window) == []
    assert unreached(window) == []


def test_a_label_without_room_is_found(window: QWidget) -> None:
    label = QLabel("A sentence that needs more room than it gets")
    label.setMaximumWidth(40)
    window.layout().addWidget(label)  # type: ignore[union-attr]  # made above
    assert "A sentence that needs" in clipped(shown(window))[0]
    label.setProperty(ELIDES, True)
    assert clipped(window) == []


def test_a_wrapped_label_without_height_is_found(window: QWidget) -> None:
    label = QLabel("word " * 60)
    label.setWordWrap(True)
    label.setMaximumHeight(label.fontMetrics().height())
    window.layout().addWidget(label)  # type: ignore[union-attr]  # made above
    assert len(clipped(shown(window))) == 1


def test_a_button_beyond_the_edge_is_found(qapp: Application) -> None:
    outer = QWidget()
    inner = QWidget(outer)
    row = QHBoxLayout(inner)
    row.addWidget(QPushButton("Write"))
    inner.resize(200, 60)
    outer.resize(80, 60)
    assert "partly hidden" in clipped(shown(outer))[0]


def test_what_can_be_scrolled_to_is_not_cut_off(qapp: Application) -> None:
    area, inside = QScrollArea(), QWidget()
    column = QVBoxLayout(inside)
    for number in range(30):
        column.addWidget(QPushButton(f"Button {number}"))
    area.setWidget(inside)
    area.resize(200, 100)
    assert clipped(shown(area)) == []


def test_a_narrow_column_is_found(window: QWidget) -> None:
    table = QTableWidget(1, 1)
    table.setHorizontalHeaderLabels(["A heading that is long"])
    table.setColumnWidth(0, 30)
    window.layout().addWidget(table)  # type: ignore[union-attr]  # made above
    assert "A heading that is long" in clipped(shown(window))[0]


def test_a_control_without_a_name_is_found(window: QWidget) -> None:
    button = QToolButton()
    button.setObjectName("open")
    table = QTableWidget(1, 1)
    table.setObjectName("turns")
    for part in (button, table):
        window.layout().addWidget(part)  # type: ignore[union-attr]  # made above
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    found = " ".join(nameless(shown(window)))
    assert "open" in found
    assert "turns" in found
    button.setAccessibleName("Open")
    table.setAccessibleName("Turns")
    assert nameless(window) == []


def test_an_editor_that_keeps_tab_for_itself_is_found(window: QWidget) -> None:
    editor = QPlainTextEdit()
    window.layout().addWidget(editor)  # type: ignore[union-attr]  # made above
    assert unreached(shown(window)) == ["Tab does not leave QPlainTextEdit"]
    editor.setTabChangesFocus(True)
    assert unreached(window) == []


def test_a_control_outside_the_order_is_found(window: QWidget) -> None:
    class Stray(QPushButton):
        """Gives the focus on at once."""

        def focusInEvent(self, event: object) -> None:  # noqa: N802 - named by Qt
            self.focusNextChild()

    window.layout().addWidget(Stray("Stray"))  # type: ignore[union-attr]  # made above
    assert unreached(shown(window)) == ["Tab does not reach Stray 'Stray'"]
