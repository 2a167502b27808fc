"""The widgets of the lesson review and how they lie: tabs, list, card, reasons, buttons."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.knowledge import Lesson, LessonCounts, LessonId, LessonState
from archivist.domain.review import Grouping
from archivist.gui.flow import Flow, Tall
from archivist.gui.lessons import deciding, words
from archivist.gui.lessons.card import LessonCard
from archivist.gui.lessons.deciding import Decision
from archivist.gui.lessons.delegate import LessonDelegate
from archivist.gui.lessons.model import LessonsModel
from archivist.gui.lessons.parts import Line, ReasonRow
from archivist.gui.look import Look, Type
from archivist.texts import tr

TABS: Final = (LessonState.WAITING, LessonState.KEPT, LessonState.REJECTED, LessonState.LATER)
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LIST_SHARE, _CARD_SHARE = 5, 6
_USUAL = 100
_LEAST_LIST, _LEAST_CARD, _LEAST_HEIGHT = 64, 108, 100
"""What stays usable, in steps of the look."""


class LessonList(QTreeView):
    """The rows. Enter and a double click emit `opened`."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Lessons"))
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.doubleClicked.connect(self.opened)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open on Enter, on every desktop alike."""
        if event.key() in _ENTER and not event.modifiers():
            self.opened.emit()
            return
        super().keyPressEvent(event)


class LessonsPage(QWidget):
    """Shows and chooses; the window above it decides."""

    chosen = Signal()
    tab_wanted = Signal(object)
    grouping_wanted = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.grouping = Grouping.PROJECT
        self.tabs = QTabBar()
        self.groups = QComboBox()
        self.model, self.list = LessonsModel(look), LessonList()
        self.card, self.reasons = LessonCard(look), ReasonRow(look)
        self.buttons = {decision: QPushButton() for decision in Decision}
        self.edit_button = QPushButton(tr("E Edit"))
        self.undo_button = QPushButton(tr("U Undo"))
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self._stack = QStackedWidget()
        self._empty, self._quiet = Line(), Line()
        self._build()
        self._connect()
        self.restyle()
        self.show_buttons()

    # The list.

    @property
    def current(self) -> Lesson | None:
        """The lesson that has the cursor."""
        return self.model.lesson_at(self.list.currentIndex().row())

    @property
    def selected(self) -> list[Lesson]:
        """The chosen lessons, from top to bottom."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        found = [self.model.lesson_at(row) for row in rows]
        return [lesson for lesson in found if lesson is not None]

    def show_lessons(self, lessons: Sequence[Lesson], state: LessonState, now: datetime) -> None:
        """Show the lessons in a state, in groups."""
        self.model.show(lessons, state, self.grouping, now)
        self._stack.setCurrentIndex(0 if lessons else 1)

    def take(self, lessons: Sequence[Lesson]) -> None:
        """Bring rows up to date in their place."""
        self.model.take(lessons)
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)
        self.show_buttons()

    def select(self, ident: LessonId) -> bool:
        """Choose one lesson; False when it is not in the list."""
        row = self.model.row_of(ident)
        if row is None:
            return False
        index = self.model.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.list.selectionModel().setCurrentIndex(
            index, flags | QItemSelectionModel.SelectionFlag.Rows
        )
        self.list.scrollTo(index)
        return True

    def select_first(self) -> None:
        """Choose the first lesson, if any, and show the heading above it."""
        first = next(iter(self.model.lessons), None)
        if first is None:
            self.list.selectionModel().clear()
        else:
            self.select(first.id)
            self.list.scrollToTop()

    def move_on(self, passing: AbstractSet[LessonId]) -> None:
        """Choose the next lesson that is not decided; stay where there is none."""
        at = self.list.currentIndex().row()
        lessons = [(self.model.row_of(lesson.id) or 0, lesson) for lesson in self.model.lessons]
        behind = [lesson for row, lesson in lessons if row > at]
        before = [lesson for row, lesson in lessons if row < at]
        for lesson in (*behind, *before):
            if lesson.id not in passing and self.model.is_open(lesson):
                self.select(lesson.id)
                return

    # What stands around it.

    def show_counts(self, counts: LessonCounts, state: LessonState, now: datetime) -> None:
        """Write the counts on the tabs, and what an empty list says."""
        for number, tab in enumerate(TABS):
            self.tabs.setTabText(number, words.tab_label(tab, counts))
        self._empty.say(words.nothing_here(state, counts, now))
        is_waiting = state is LessonState.WAITING
        self._quiet.say(tr("Lessons are found by rules, without a model.") if is_waiting else "")

    @property
    def empty_words(self) -> str:
        """What is said in place of the list, "" while there is one."""
        return self._empty.text() if self._empty.isVisible() else ""

    def choose_tab(self, state: LessonState) -> None:
        """Mark a tab without asking for it."""
        self.tabs.blockSignals(True)
        self.tabs.setCurrentIndex(TABS.index(state))
        self.tabs.blockSignals(False)

    def choose_grouping(self, grouping: Grouping) -> None:
        """Take another grouping without asking for it."""
        self.grouping = grouping
        self.groups.blockSignals(True)
        self.groups.setCurrentIndex(list(Grouping).index(grouping))
        self.groups.blockSignals(False)

    def show_buttons(self) -> None:
        """Let the buttons say what they would do."""
        selected = self.selected
        for decision, button in self.buttons.items():
            concerned = deciding.concerned(decision, selected)
            button.setText(deciding.button(decision, max(1, len(concerned))))
            is_possible = bool(concerned) and (
                decision is not Decision.KEEP or all(lesson.evidence for lesson in concerned)
            )
            button.setEnabled(is_possible)
            button.setVisible(bool(concerned) or decision is not Decision.REOPEN)
        self.edit_button.setEnabled(len(selected) == 1)

    def restyle(self) -> None:
        """Take the colours and fonts of the look."""
        self.model.restyle()
        self.card.restyle()
        self._empty.setFont(self._look.font(Type.HEAD))
        self._quiet.paint_in(self._look.colours.muted)
        for decision, button in self.buttons.items():
            button.setIcon(self._look.icon(decision))
        self.edit_button.setIcon(self._look.icon("edit"))
        self.undo_button.setIcon(self._look.icon("undo"))

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top())
        self._stack.addWidget(self.splitter)
        self._stack.addWidget(self._nothing())
        self.splitter.addWidget(self.list)
        self.splitter.addWidget(self._right())
        self.splitter.setChildrenCollapsible(False)
        self.list.setMinimumWidth(self._look.space(_LEAST_LIST))
        self.card.setMinimumWidth(self._look.space(_LEAST_CARD))
        self.splitter.setMinimumHeight(self._look.space(_LEAST_HEIGHT))
        self.splitter.setStretchFactor(0, _LIST_SHARE)
        self.splitter.setStretchFactor(1, _CARD_SHARE)
        self.splitter.setSizes([_LIST_SHARE * _USUAL, _CARD_SHARE * _USUAL])
        column.addWidget(self._stack, 1)
        self.list.setModel(self.model)
        self.list.setItemDelegate(LessonDelegate(self._look, self.list))

    def _top(self) -> QHBoxLayout:
        self.tabs.setAccessibleName(tr("Which lessons"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        for state in TABS:
            self.tabs.addTab(words.tab_label(state, LessonCounts()))
        self.groups.addItems([tr("Project"), tr("Kind"), tr("Session")])
        label = QLabel(tr("Group by"))
        label.setBuddy(self.groups)
        self.groups.setAccessibleName(tr("Group by"))
        row = QHBoxLayout()
        edge = self._look.space(2)
        row.setContentsMargins(edge, edge, edge, edge)
        row.setSpacing(edge)
        row.addWidget(self.tabs)
        row.addStretch(1)
        row.addWidget(label)
        row.addWidget(self.groups)
        return row

    def _nothing(self) -> QWidget:
        page = Tall()
        column = QVBoxLayout(page)
        edge = self._look.space(6)
        column.setContentsMargins(edge, edge, edge, edge)
        for line in (self._empty, self._quiet):
            line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        column.addWidget(self._empty)
        column.addWidget(self._quiet)
        column.addStretch(2)
        return page

    def _right(self) -> QWidget:
        page, edge = Tall(), self._look.space(4)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(edge, self._look.space(2), edge, self._look.space(2))
        bottom.setSpacing(self._look.space(2))
        bottom.addWidget(self.reasons)
        row = Flow(self._look.space(2))
        row.addWidget(self.buttons[Decision.KEEP])
        row.addWidget(self.edit_button)
        for decision in (Decision.REJECT, Decision.LATER, Decision.REOPEN):
            row.addWidget(self.buttons[decision])
        row.addWidget(self.undo_button)
        bottom.addLayout(row)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card, 1)
        column.addLayout(bottom)
        return page

    def _connect(self) -> None:
        self.list.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.groups.currentIndexChanged.connect(self._on_grouping_changed)

    def _on_selection_changed(self) -> None:
        self.show_buttons()
        self.chosen.emit()

    def _on_tab_changed(self, number: int) -> None:
        self.tab_wanted.emit(TABS[number])

    def _on_grouping_changed(self, number: int) -> None:
        self.grouping = list(Grouping)[number]
        self.grouping_wanted.emit(self.grouping)
