import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton, QSplitter, QVBoxLayout, QWidget

from archivist.gui.application import Application
from archivist.gui.flow import Flow, Tall

pytestmark = pytest.mark.gui


@pytest.fixture
def row(qapp: Application) -> QWidget:
    """Five buttons in a flow."""
    widget = QWidget()
    flow = Flow(spacing=6)
    widget.setLayout(flow)
    for number in range(5):
        flow.addWidget(QPushButton(f"Button {number}"))
    widget.show()
    return widget


def lines(row: QWidget, width: int) -> list[int]:
    """How many buttons stand in each line at a width."""
    flow = row.layout()
    assert flow is not None
    row.resize(width, flow.heightForWidth(width))
    flow.activate()
    tops = [button.y() for button in row.findChildren(QPushButton) if button.isVisible()]
    return [tops.count(top) for top in sorted(set(tops))]


def test_what_does_not_fit_goes_on_in_the_next_line(row: QWidget) -> None:
    flow = row.layout()
    assert flow is not None
    whole = flow.sizeHint().width()
    assert lines(row, whole) == [5]
    assert lines(row, whole - 1) == [4, 1]
    assert lines(row, flow.minimumSize().width()) == [1] * 5
    buttons = row.findChildren(QPushButton)
    assert buttons[-1].geometry().bottom() < row.height()
    assert all(button.width() >= button.sizeHint().width() for button in buttons)


def test_hidden_widgets_take_no_room(row: QWidget) -> None:
    flow = row.layout()
    assert flow is not None
    before = flow.sizeHint().width()
    row.findChildren(QPushButton)[2].hide()
    assert flow.sizeHint().width() < before
    assert lines(row, flow.sizeHint().width()) == [4]


def test_a_pane_is_never_less_tall_than_its_lines_in_the_width_it_has(qapp: Application) -> None:
    pane = Tall()
    column = QVBoxLayout(pane)
    flow = Flow(spacing=6)
    for number in range(5):
        flow.addWidget(QPushButton(f"Button {number}"))
    column.addLayout(flow)
    splitter = QSplitter()
    splitter.addWidget(pane)
    splitter.show()
    splitter.resize(flow.sizeHint().width() + 50, 1)
    wide = pane.minimumSizeHint().height()
    splitter.resize(1, 1)
    QCoreApplication.sendPostedEvents()
    assert pane.minimumSizeHint().height() > 3 * wide
    splitter.resize(1, 1)
    assert splitter.height() >= pane.minimumSizeHint().height()
    last = pane.findChildren(QPushButton)[-1]
    assert pane.rect().contains(last.geometry())
