"""The problems window: what happened, since when, how often, and what to do about it."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.hidden import visible
from archivist.domain.problems import ProblemRow
from archivist.gui.desk import Desk
from archivist.gui.flow import Tall
from archivist.gui.latest import Latest
from archivist.gui.look import Type
from archivist.gui.places import Room
from archivist.gui.problems.report import report, times
from archivist.gui.room import RoomWindow
from archivist.texts import tr

_USUAL: Final = (180, 112)


class ProblemsWindow(RoomWindow):
    """A list of problems above the one that is chosen."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.PROBLEMS, title=tr("Problems"), usual=_USUAL)
        self._rows: list[ProblemRow] = []
        self._latest = Latest(desk.spawn)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Problems"))
        self.list.setWordWrap(True)
        self.list.setSpacing(desk.look.space(1))
        self.list.currentRowChanged.connect(self._on_list_current_row_changed)
        self.details = _Details(desk, self.clear_chosen, self.copy_report)
        self.empty = _label(tr("No problems. What goes wrong is listed here with what to do."))
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setFont(desk.look.font(Type.HEAD))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self._filled())
        self.set_body(self.pages)
        desk.signals.problems_changed.connect(self._on_problems_changed)
        self.refresh()

    def refresh(self) -> None:
        """Read the list again."""
        self._latest.start(self.trying(self._read), name="problems")

    def restyle(self) -> None:
        """Take the colours of the look."""
        super().restyle()
        for at in range(self.list.count()):
            self.list.item(at).setIcon(self._sign())

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of this window."""
        return (("↑ ↓", tr("choose")), ("Del", tr("clear")))

    def clear_chosen(self) -> None:
        """Take the chosen problem off the list."""
        row = self._chosen()
        if row is not None:
            self.act(self._clear(row), name="problems-clear")

    def copy_report(self) -> None:
        """Put a report of the chosen problem on the clipboard, without any content."""
        row = self._chosen()
        if row is not None:
            self.desk.clipboard.put(report(row))
            self.notice(tr("Report copied. It holds no text, name or path of yours."))

    def _filled(self) -> QWidget:
        page = Tall()
        column = QVBoxLayout(page)
        space = self.desk.look.space(3)
        column.setContentsMargins(space, space, space, space)
        column.setSpacing(space)
        column.addWidget(self.list, stretch=1)
        column.addWidget(self.details)
        self._add_key(tr("Clear"), "Del", self.clear_chosen)
        return page

    async def _read(self) -> None:
        self._show(await self.desk.services.browse.problems())

    async def _clear(self, row: ProblemRow) -> None:
        await self.desk.services.browse.clear(row.key)
        self.notice(tr("Cleared. Should it happen again, it is listed again."))

    def _show(self, rows: list[ProblemRow]) -> None:
        """Show the list; the chosen problem stays chosen, or the one that took its place."""
        chosen, at = self._chosen(), self.list.currentRow()
        self._rows = rows
        self.list.blockSignals(True)
        self.list.clear()
        for row in rows:
            self.list.addItem(_item(row, self._sign()))
        self.list.blockSignals(False)
        keys = [row.key for row in rows]
        if chosen is not None and chosen.key in keys:
            at = keys.index(chosen.key)
        self.pages.setCurrentIndex(1 if rows else 0)
        self.list.setCurrentRow(min(max(at, 0), len(rows) - 1))
        self._on_list_current_row_changed(self.list.currentRow())

    def _sign(self) -> QIcon:
        return self.desk.look.icon("warning", self.desk.look.colours.warning)

    def _chosen(self) -> ProblemRow | None:
        at = self.list.currentRow()
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def _on_list_current_row_changed(self, _row: int) -> None:
        row = self._chosen()
        if row is not None:
            self.details.show_problem(row)

    def _on_problems_changed(self) -> None:
        self.refresh()


class _Details(Tall):
    """One problem with everything that is known of it."""

    def __init__(self, desk: Desk, clear: Callable[[], None], copy: Callable[[], None]) -> None:
        super().__init__()
        self.message = _label("")
        self.message.setFont(desk.look.font(Type.HEAD))
        self.advice = _label("")
        self.times = _label("")
        self.times.setFont(desk.look.font(Type.SMALL))
        self.clear = QPushButton(tr("Clear"))
        self.clear.clicked.connect(clear)
        self.copy = QPushButton(tr("Copy report"))
        self.copy.clicked.connect(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for part in (self.message, self.advice, self.times):
            column.addWidget(part)
        row = QHBoxLayout()
        row.addWidget(self.clear)
        row.addWidget(self.copy)
        row.addStretch()
        column.addLayout(row)

    def show_problem(self, row: ProblemRow) -> None:
        """Show a problem."""
        self.message.setText(visible(row.message))
        self.advice.setText(visible(row.advice))
        self.times.setText(times(row))


def _label(text: str) -> QLabel:
    """Return a label of plain text that wraps and can be marked with the mouse."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _item(row: ProblemRow, sign: QIcon) -> QListWidgetItem:
    text = f"{visible(row.message)}\n{times(row)}"
    item = QListWidgetItem(sign, text)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, text.replace("\n", " "))
    return item
