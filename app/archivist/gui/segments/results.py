"""The middle pane: the rows, or a sentence and what to do where there are none."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
)

from archivist.domain.hidden import visible
from archivist.domain.segment_list import ListedSegment
from archivist.domain.turns import SegmentId
from archivist.gui.flow import Tall
from archivist.gui.look import Look, Type
from archivist.gui.segments.delegate import TitleDelegate
from archivist.gui.segments.model import Column, SegmentModel
from archivist.services.segment_list import Listing
from archivist.texts import tr

_SOURCE_FROM, _LESSONS_FROM = 36, 29
"""Widths, in lines of text, below which a column makes way."""
_MOST_IN_SIGHT: Final = 200
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
Way = tuple[str, Callable[[], None]]
"""A verb, and what it does."""


class SegmentTable(QTableView):
    """The rows. Enter and a double click emit `opened`; `moved` is a change of the current row."""

    opened = Signal()
    moved = Signal()

    def __init__(self, model: SegmentModel, look: Look) -> None:
        super().__init__()
        self.setAccessibleName(tr("Segments"))
        self.setModel(model)
        self._delegate = TitleDelegate(look)
        self.setItemDelegateForColumn(Column.TITLE, self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self.opened)
        self.fit()

    def fit(self) -> None:
        """Size rows and columns from the font alone: asking the rows would read them all."""
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(round(self.fontMetrics().height() * 1.6))
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setStretchLastSection(False)
        for column, sample in (
            (Column.WHEN, tr("Wednesday {time}", time="00:00")),
            (Column.SOURCE, "Claude Code"),
            (Column.TURNS, "0000"),
            (Column.LESSONS, "0000"),
        ):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            width = self.fontMetrics().horizontalAdvance(sample) + self.fontMetrics().height()
            head.resizeSection(column, max(width, head.sectionSizeHint(column)))
        head.setSectionResizeMode(Column.TITLE, QHeaderView.ResizeMode.Stretch)
        head.setSectionsClickable(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the titles where there is little of it."""
        em = self.fontMetrics().height()
        self.setColumnHidden(Column.SOURCE, event.size().width() < _SOURCE_FROM * em)
        self.setColumnHidden(Column.LESSONS, event.size().width() < _LESSONS_FROM * em)
        super().resizeEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Go to the first and the last row on Home and End: in a row there is nowhere to go."""
        column = max(0, self.currentIndex().column())
        if action is QAbstractItemView.CursorAction.MoveHome:
            return self.model().index(0, column)
        if action is QAbstractItemView.CursorAction.MoveEnd:
            return self.model().index(self.model().rowCount() - 1, column)
        return super().moveCursor(action, modifiers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open on Enter, on every desktop alike."""
        if event.key() in _ENTER and not event.modifiers():
            self.opened.emit()
            return
        super().keyPressEvent(event)

    def currentChanged(
        self,
        current: QModelIndex | QPersistentModelIndex,
        previous: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Tell that another row is the current one."""
        super().currentChanged(current, previous)
        if current.row() != previous.row():
            self.moved.emit()


class Nothing(Tall):
    """A sentence where there are no rows, with what can be done."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*[look.space(6)] * 4)
        self._column.setSpacing(look.space(3))
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text.setFont(look.font(Type.HEAD))
        self._column.addStretch(1)
        self._column.addWidget(self._text)
        self._buttons: list[QPushButton] = []
        self._column.addStretch(2)

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._text.text()

    @property
    def ways(self) -> list[QPushButton]:
        """The buttons, in order."""
        return self._buttons

    def say(self, text: str, ways: Sequence[Way]) -> None:
        """Say why there are no rows."""
        self._text.setText(visible(text))
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        for verb, run in ways:
            button = QPushButton(verb)
            button.clicked.connect(partial(_call, run))
            place = self._column.count() - 1
            self._column.insertWidget(place, button, alignment=Qt.AlignmentFlag.AlignHCenter)
            self._buttons.append(button)


class Results(QStackedWidget):
    """Shows the rows, or why there are none."""

    def __init__(self, model: SegmentModel, look: Look) -> None:
        super().__init__()
        self.model = model
        self.table = SegmentTable(model, look)
        self.nothing = Nothing(look)
        self.addWidget(self.table)
        self.addWidget(self.nothing)

    @property
    def current(self) -> SegmentId | None:
        """The segment of the current row."""
        if self.currentWidget() is not self.table:
            return None
        return self.model.segment(self.table.currentIndex().row())

    @property
    def in_sight(self) -> Sequence[SegmentId]:
        """The segments whose rows are painted."""
        first = max(0, self.table.rowAt(0))
        last = self.table.rowAt(self.table.viewport().height() - 1)
        ids = self.model.listing.ids
        return ids[first : last + 1 if last >= 0 else len(ids)][:_MOST_IN_SIGHT]

    def show_listing(
        self,
        listing: Listing,
        rows: Sequence[ListedSegment],
        *,
        wanted: SegmentId | None,
        jumps: bool,
    ) -> None:
        """Show what was found and make a segment the current one, the first where it is not there.

        Without `jumps` what the person looks at stays where it is.
        """
        bar, row_height = self.table.verticalScrollBar(), self.table.rowHeight(0)
        before, value = self.table.currentIndex().row(), bar.value()
        self.model.show(listing, rows)
        self.setCurrentWidget(self.table)
        now = self.model.place(wanted)
        place = self.model.index(max(now, 0), Column.TITLE)
        with QSignalBlocker(self.table):
            self.table.setCurrentIndex(place)
        if jumps:
            self.table.scrollTo(place)
        else:
            moved = now - before if now >= 0 and before >= 0 else 0
            bar.setValue(value + moved * row_height)

    def say(self, text: str, ways: Sequence[Way] = ()) -> None:
        """Say why there are no rows, in their place."""
        self.nothing.say(text, ways)
        self.setCurrentWidget(self.nothing)


def _call(run: Callable[[], None], _: bool = False) -> None:  # noqa: FBT001, FBT002 - from clicked
    run()
