"""The row of the search box and the filters. Filters write into the text: it alone counts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout

from archivist.domain.segment_filter import (
    TIME_KEYS,
    SegmentFilter,
    project_name,
    with_word,
    word_for,
)
from archivist.domain.segment_list import Order, SegmentCounts
from archivist.gui.flow import Flow, Tall
from archivist.gui.look import Look
from archivist.gui.segments import words
from archivist.gui.segments.sidebar import project_word
from archivist.services.segment_text import source_name
from archivist.texts import tr

_MOST_PROJECTS: Final = 40
Choice = tuple[str, str]
"""What a menu says, and the filter word that it writes ("" for none)."""


class SearchBox(QLineEdit):
    """One line to type into. Down goes into the list, Enter too."""

    down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave towards the list."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.down.emit()
            return
        super().keyPressEvent(event)


class SearchBar(Tall):
    """The text, the filters in it, how the list is sorted, and what was found."""

    text_changed = Signal(str)
    order_changed = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._filter = SegmentFilter()
        self._order, self._searches = Order.BEST, False
        self._counts = SegmentCounts()
        self.box = SearchBox()
        self.box.setObjectName("segment-search")
        self.box.setAccessibleName(tr("Search segments"))
        self.box.setPlaceholderText(
            tr('Search: words, "phrases", source:codex, project:name, after:7d, has:lesson')
        )
        self.box.setClearButtonEnabled(True)
        self._sign = self.box.addAction(
            look.icon("search"), QLineEdit.ActionPosition.LeadingPosition
        )
        self.box.textChanged.connect(self.text_changed)
        self._source, self._project = _button(tr("Source")), _button(tr("Project"))
        self._time, self._sort = _button(tr("Time")), _button(tr("Sort"))
        self._lessons, self._open = _switch(tr("Has lessons")), _switch(tr("Still open"))
        self._lessons.clicked.connect(partial(self._switched, "has", "has:lesson"))
        self._open.clicked.connect(partial(self._switched, "is", "is:open"))
        self.found, self.hint = QLabel(), QLabel()
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.setWordWrap(True)
        self.hint.hide()
        for menu_of in (self._source, self._project, self._time, self._sort):
            menu = QMenu(menu_of)
            menu.aboutToShow.connect(partial(self._fill, menu_of, menu))
            menu_of.setMenu(menu)
        self._lay_out()
        self.follow(SegmentFilter(), searches=False)

    @property
    def text(self) -> str:
        """What is asked for."""
        return self.box.text()

    @property
    def order(self) -> Order:
        """How the list is sorted."""
        return self._order

    @property
    def shown_order(self) -> Order:
        """How the list is sorted now: without words there is no best."""
        is_best = self._order is Order.BEST and not self._searches
        return Order.NEWEST if is_best else self._order

    def set_text(self, text: str) -> None:
        """Ask for something else."""
        self.box.setText(text)

    def set_order(self, order: Order) -> None:
        """Sort in another way, without telling anyone."""
        self._order = order
        self._sort.setText(words.order_word(self.shown_order))

    def set_counts(self, counts: SegmentCounts) -> None:
        """Know the sources and projects that the menus offer."""
        self._counts = counts

    def follow(self, asked: SegmentFilter, *, searches: bool) -> None:
        """Show which filters the text holds; `searches`: it holds words too."""
        self._filter, self._searches = asked, searches
        source = source_name(asked.source) if asked.source else tr("Any source")
        project = project_name(asked.project) if asked.project else tr("Any project")
        self._source.setText(words.on_button(source))
        self._project.setText(words.on_button(project))
        self._time.setText(words.time_word(asked, datetime.now().astimezone()))
        for switch, name, is_on in (
            (self._lessons, tr("Has lessons"), asked.has_lessons),
            (self._open, tr("Still open"), bool(asked.is_open)),
        ):
            with QSignalBlocker(switch):
                switch.setChecked(is_on)
            switch.setText(f"✓ {name}" if is_on else name)
        self._sort.setText(words.order_word(self.shown_order))

    def say(self, found: str, hint: str = "") -> None:
        """Show what was found, and a hint below."""
        self.found.setText(found)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))

    def restyle(self) -> None:
        """Take the colours of the look."""
        self._sign.setIcon(self._look.icon("search"))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        gap = self._look.space(2)
        column.setContentsMargins(gap, gap, gap, gap)
        column.setSpacing(gap)
        column.addWidget(self.box)
        row = Flow(gap)
        for part in (
            self._source,
            self._project,
            self._time,
            self._lessons,
            self._open,
            self._sort,
        ):
            row.addWidget(part)
        self.found.setMinimumHeight(self._sort.sizeHint().height())
        row.addWidget(self.found)
        column.addLayout(row)
        column.addWidget(self.hint)

    def _fill(self, button: QPushButton, menu: QMenu) -> None:
        menu.clear()
        if button is self._sort:
            self._fill_orders(menu)
        elif button is self._source:
            self._fill_words(
                menu, ("source",), self._sources(), _now(self._filter.source, "source")
            )
        elif button is self._project:
            now = _now(self._filter.project, "project")
            self._fill_words(menu, ("project",), self._projects(), now)
        else:
            self._fill_words(menu, TIME_KEYS, _times(), None)

    def _fill_words(
        self, menu: QMenu, keys: Iterable[str], choices: Sequence[Choice], now: str | None
    ) -> None:
        for text, word in choices:
            action = menu.addAction(words.on_button(text))
            action.setCheckable(now is not None)
            action.setChecked(word == now)
            action.triggered.connect(partial(self._write, tuple(keys), word))

    def _fill_orders(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        orders = [Order.NEWEST, Order.OLDEST]
        if self._searches:
            orders.insert(0, Order.BEST)
        for order in orders:
            action = QAction(words.order_word(order), menu)
            action.setCheckable(True)
            action.setChecked(order is self.shown_order)
            action.triggered.connect(partial(self.order_changed.emit, order))
            group.addAction(action)
            menu.addAction(action)

    def _sources(self) -> list[Choice]:
        known = [(source_name(each), word_for("source", each)) for each in self._counts.sources]
        return [(tr("Any source"), ""), *known]

    def _projects(self) -> list[Choice]:
        some = list(self._counts.projects)[:_MOST_PROJECTS]
        known = [(project_name(each), project_word(each, self._counts)) for each in some]
        return [(tr("Any project"), ""), *known]

    def _write(self, keys: tuple[str, ...], word: str) -> None:
        self.set_text(with_word(self.text, keys, word))

    def _switched(self, key: str, word: str) -> None:
        is_on = (self._lessons if key == "has" else self._open).isChecked()
        self._write((key,), word if is_on else "")


def _now(value: str | None, key: str) -> str:
    return word_for(key, value) if value else ""


def _times() -> list[Choice]:
    return [
        (tr("Any time"), ""),
        (tr("Today"), "on:today"),
        (tr("Yesterday"), "on:yesterday"),
        (tr("This week"), "after:week"),
        (tr("The last 7 days"), "after:7d"),
        (tr("This month"), "after:month"),
        (tr("The last 90 days"), "after:90d"),
    ]


def _button(name: str) -> QPushButton:
    button = QPushButton()
    button.setAccessibleDescription(name)
    return button


def _switch(text: str) -> QPushButton:
    switch = QPushButton(text)
    switch.setCheckable(True)
    return switch
