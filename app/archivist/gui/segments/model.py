"""The rows of the segment list: ids all at once, what they say a page at a time when painted."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final, TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont

from archivist.domain.hidden import visible
from archivist.domain.segment_list import ListedSegment
from archivist.domain.turns import SegmentId
from archivist.gui.segments import words
from archivist.services.segment_list import Listing
from archivist.services.segment_text import row_sentence, source_name, title_of
from archivist.texts import tr

PAGE: Final = 200
_KEPT: Final = 40 * PAGE
"""So many rows are kept; more are read again when they come into sight."""
ROW: Final = Qt.ItemDataRole.UserRole

Index: TypeAlias = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """The columns in their order."""

    WHEN = 0
    SOURCE = 1
    TITLE = 2
    TURNS = 3
    LESSONS = 4


_ANSWERED: Final = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.AccessibleTextRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.TextAlignmentRole,
        ROW,
    }
)
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class SegmentModel(QAbstractTableModel):
    """Shows one listing. `wanted` tells that rows came into sight which are not read yet."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.listing = Listing()
        self._rows: dict[SegmentId, ListedSegment] = {}
        self._pages: set[int] = set()
        self._told = False
        self._italic = QFont()
        self._italic.setItalic(True)
        self._texts: dict[int, Callable[[ListedSegment], str]] = {
            Column.WHEN: lambda row: words.when(row.start),
            Column.SOURCE: lambda row: source_name(row.source),
            Column.TITLE: _title,
            Column.TURNS: lambda row: str(row.turns),
            Column.LESSONS: lambda row: str(row.lessons or ""),
        }

    def show(self, listing: Listing, rows: Sequence[ListedSegment]) -> None:
        """Show a listing of which some rows are read already.

        The same ids again keep selection and place; what is shown of them is read anew.
        """
        if listing.ids == self.listing.ids and listing.query == self.listing.query:
            self.listing, self._rows = listing, {}
            self.put(listing, rows)
            return
        self.beginResetModel()
        self.listing = listing
        self._rows = {row.id: row for row in rows}
        self._pages.clear()
        self.endResetModel()

    def put(self, listing: Listing, rows: Sequence[ListedSegment]) -> None:
        """Take rows that were read for a listing; those of another one are of no use."""
        if listing is not self.listing:
            return
        if len(self._rows) > _KEPT:
            self._rows.clear()
        self._rows.update((row.id, row) for row in rows)
        self._pages.clear()
        if not listing.ids:
            return
        last = self.index(max(0, self.rowCount() - 1), Column.LESSONS)
        self.dataChanged.emit(self.index(0, 0), last)

    def take_wanted(self) -> list[SegmentId]:
        """Return the ids of the pages that came into sight since the last time."""
        self._told = False
        pages = sorted(self._pages)
        ids = self.listing.ids
        return [ident for page in pages for ident in ids[page * PAGE : (page + 1) * PAGE]]

    def segment(self, row: int) -> SegmentId | None:
        """Return the id of a row."""
        return self.listing.ids[row] if 0 <= row < len(self.listing.ids) else None

    def place(self, segment: SegmentId | None) -> int:
        """Return the row of a segment, -1 when it is not in the list."""
        ids = self.listing.ids
        return ids.index(segment) if segment is not None and segment in ids else -1

    def row(self, index: Index) -> ListedSegment | None:
        """Return what is known of a row; what is not yet is asked for."""
        segment = self.segment(index.row())
        found = self._rows.get(segment) if segment is not None else None
        if found is None and segment is not None:
            self._want(index.row() // PAGE)
        return found

    # What Qt asks.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.listing.ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - the same
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _head(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (Column.TURNS, Column.LESSONS) else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in _ANSWERED:  # most of what a view asks: colours, icons, sizes
            return None
        row = self.row(index)
        if row is None:
            is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return "…" if is_text and index.column() == Column.TITLE else None
        return self._told_of(row, Column(index.column()), role)

    def _told_of(self, row: ListedSegment, column: Column, role: int) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._texts[column](row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return visible(row_sentence(row, words.when))
            case Qt.ItemDataRole.ToolTipRole:
                return words.tip(title_of(row)) if column == Column.TITLE else None
            case Qt.ItemDataRole.FontRole:
                return self._italic if row.reason is None else None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column in (Column.TURNS, Column.LESSONS) else _LEFT
            case _:
                return row if role == ROW else None

    def _want(self, page: int) -> None:
        self._pages.add(page)
        if not self._told:
            self._told = True
            self.wanted.emit()


def _title(row: ListedSegment) -> str:
    return words.with_state(row, visible(words.shown_title(row)))


def _head(column: Column) -> str:
    match column:
        case Column.WHEN:
            return tr("When")
        case Column.SOURCE:
            return tr("Source")
        case Column.TITLE:
            return tr("Title")
        case Column.TURNS:
            return tr("Turns")
        case Column.LESSONS:
            return tr("Lessons")
