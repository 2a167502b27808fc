"""What was written to memory files, with its difference, and a way to take it back."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.hidden import visible
from archivist.domain.memory_diff import DiffLine
from archivist.gui.look import Look
from archivist.gui.memory import words
from archivist.gui.memory.diff_rows import DiffRows
from archivist.services.memory_shown import WriteView
from archivist.services.times import moment
from archivist.texts import tr, tr_n


class HistoryPane(QWidget):
    """`picked` asks for the difference of a write, `taken_back` to take it out of its file."""

    picked = Signal(object)
    taken_back = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._writes: Sequence[WriteView] = ()
        self.diffs: list[DiffRows] = []
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Writes, newest first"))
        self.list.setWordWrap(True)
        self.list.setSpacing(look.space(1))
        self.list.currentRowChanged.connect(self._on_row_changed)
        self._about = QLabel()
        self._about.setTextFormat(Qt.TextFormat.PlainText)
        self._about.setWordWrap(True)
        self.take_back = QPushButton(tr("Take back"))
        self.take_back.setIcon(look.icon("undo"))
        self.take_back.clicked.connect(self._on_take_back_clicked)
        self._diff = QScrollArea()
        self._diff.setWidgetResizable(True)
        self._diff.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._diff.setAccessibleName(tr("What was written"))
        panes = QSplitter()
        panes.addWidget(self.list)
        panes.addWidget(self._right())
        panes.setStretchFactor(1, 2)
        panes.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.addWidget(panes)
        self._on_row_changed()

    @property
    def current(self) -> WriteView | None:
        """The write that is picked."""
        row = self.list.currentRow()
        return self._writes[row] if 0 <= row < len(self._writes) else None

    def show_writes(self, writes: Sequence[WriteView]) -> None:
        """Show the writes; the one that is picked stays so."""
        if list(writes) == list(self._writes):
            return
        picked = self.current.id if self.current else None
        self.list.blockSignals(True)
        self.list.clear()
        self._writes = tuple(writes)
        for write in writes:
            self.list.addItem(QListWidgetItem(_entry(write)))
        ids = [write.id for write in writes]
        self.list.setCurrentRow(ids.index(picked) if picked in ids else 0)
        self.list.blockSignals(False)
        self._on_row_changed()

    def show_diff(self, groups: Sequence[Sequence[DiffLine]]) -> None:
        """Show the difference of the write that is picked."""
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setSpacing(self._look.space(2))
        self.diffs = [DiffRows(self._look, rows) for rows in groups]
        for rows in self.diffs:
            column.addWidget(rows)
        column.addStretch(1)
        self._diff.setWidget(inside)

    def restyle(self) -> None:
        """Take the colours of the look."""
        self.take_back.setIcon(self._look.icon("undo"))
        for rows in self.diffs:
            rows.restyle()

    def _right(self) -> QWidget:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        head = QHBoxLayout()
        head.addWidget(self._about, 1)
        head.addWidget(self.take_back)
        column.addLayout(head)
        column.addWidget(self._diff, 1)
        return right

    def _on_row_changed(self) -> None:
        write = self.current
        self.take_back.setEnabled(write is not None and write.is_held)
        self._about.setText(_about(write) if write else tr("Nothing was written yet."))
        if write is None:
            self.show_diff(())
        else:
            self.picked.emit(write.id)

    def _on_take_back_clicked(self) -> None:
        if self.current is not None:
            self.taken_back.emit(self.current.id)


def _entry(write: WriteView) -> str:
    return tr(
        "{when} · {changes} · {fate}\n{path}",
        when=moment(write.at, datetime.now().astimezone()),
        changes=tr_n("{n} change", "{n} changes", write.hunks),
        fate=words.fate(write),
        path=visible(write.path),
    )


def _about(write: WriteView) -> str:
    return tr("{path}: {fate}.", path=words.broken(write.path), fate=words.fate(write))
