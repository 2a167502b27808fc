"""The changes of one memory file: which file, its state, the hunks, and what to do with them."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from archivist.domain.hidden import visible
from archivist.gui.banner import Banner
from archivist.gui.flow import Tall
from archivist.gui.look import Look, Type
from archivist.gui.memory import words
from archivist.gui.memory.hunk_list import HunkList
from archivist.gui.memory.put_aside import PutAside
from archivist.gui.memory.state_line import StateLine
from archivist.services.memory_shown import FileState, FileView, HunkView
from archivist.texts import tr

_WRITABLE: Final = frozenset({FileState.READY, FileState.MISSING})


class DoneLine(Banner):
    """What was written last, with Undo; the same line in the colours of success."""

    def restyle(self) -> None:
        """Take the colours of the look."""
        colours = self._look.colours
        sign = self._look.icon("keep", colours.added)
        self._paint(sign, text=colours.added, back=colours.added_back)


class ChangesPane(Tall):
    """Shows what it is given; what the person wants goes out as signals."""

    file_picked = Signal(str)
    files_wanted = Signal()
    preview_wanted = Signal()
    later_wanted = Signal()
    reject_wanted = Signal()
    write_wanted = Signal()

    def __init__(self, look: Look, aside: PutAside) -> None:
        super().__init__()
        self._look = look
        self._aside = aside
        self._view: FileView | None = None
        self.files = QComboBox()
        self.files.setAccessibleName(tr("Memory file"))
        self.files.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.files.activated.connect(self._on_file_activated)
        self.choose_files = QPushButton(tr("Choose files…"))
        self.choose_files.clicked.connect(self.files_wanted)
        self.path = _wrapped(look.font(Type.MONO))
        self.about = _wrapped(look.font(Type.BODY))
        self.state_line = StateLine(look)
        self.done_line = DoneLine(look)
        self.hunks = HunkList(look)
        self.hunks.choice_changed.connect(self.show_counts)
        self.hunks.choice_made.connect(self._on_choice_made)
        self.nothing = _Nothing(look)
        self.nothing.files_wanted.connect(self.files_wanted)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hunks)
        self.pages.addWidget(self.nothing)
        self.summary = QLabel()
        self.budget = _wrapped(look.font(Type.BODY))
        self.legend = _wrapped(look.font(Type.SMALL))
        self.legend.setText(
            tr(
                "Space choose · E edit line · J K next, back · P preview · Ctrl+Enter write · "
                "Ctrl+Z undo"
            )
        )
        self._make_buttons()
        self._lay_out()

    @property
    def view(self) -> FileView | None:
        """The file that is shown."""
        return self._view

    @property
    def may_write(self) -> bool:
        """Whether the chosen changes can be written."""
        view = self._view
        return view is not None and view.state in _WRITABLE and bool(self.hunks.chosen)

    @property
    def may_look_ahead(self) -> bool:
        """Whether the file as it would be, and other wordings of its lines, can be shown."""
        view = self._view
        return view is not None and bool(view.hunks) and view.state is not FileState.TROUBLE

    def show_files(self, views: Sequence[FileView], path: str) -> None:
        """Show the list of files and the changes of one of them."""
        self.files.clear()
        for each in views:
            self.files.addItem(words.entry(each.target, len(each.hunks)), each.target.path)
        self.show_name(path)
        view = next((each for each in views if each.target.path == path), None)
        self._view = view
        self.files.setVisible(view is not None)
        self.path.setVisible(view is not None)
        self.about.setVisible(view is not None)
        self.choose_files.setVisible(view is not None)
        if view is not None:
            self.path.setText(words.broken(view.target.path))
            self.path.setAccessibleName(visible(view.target.path))
            self.about.setText(words.broken(words.about(view)))
        if view is None:
            self.hunks.show_hunks(())
        else:
            self.hunks.show_hunks(view.hunks, self._aside.among(view))
        self.nothing.say(words.nothing(view))
        has_hunks = view is not None and bool(view.hunks)
        self.pages.setCurrentWidget(self.hunks if has_hunks else self.nothing)
        self._footer.setVisible(has_hunks)
        self.nothing.offer_files(offered=view is None)
        self.show_counts()

    def show_name(self, path: str) -> None:
        """Let the list of files show one of them."""
        self.files.setCurrentIndex(self.files.findData(path))

    def show_counts(self) -> None:
        """Show how many changes are chosen, and let the buttons say so."""
        chosen, count = len(self.hunks.chosen), len(self.hunks.hunks)
        self.summary.setText(tr("{n} of {count} chosen", n=chosen, count=count))
        state = self._view.state if self._view else FileState.READY
        self.write.setText(words.write_verb(chosen, state))
        self.write.setEnabled(self.may_write)
        self.reject.setEnabled(chosen < count)
        self.preview.setEnabled(self.may_look_ahead)

    def show_budget(self, text: str, *, is_over: bool) -> None:
        """Show how large the file becomes."""
        self.budget.setText(text)
        font = self._look.font(Type.BODY)
        font.setBold(is_over)
        self.budget.setFont(font)

    def restyle(self) -> None:
        """Take the colours of the look."""
        for part in (self.state_line, self.done_line, self.hunks):
            part.restyle()
        for button, icon in self._icons.items():
            button.setIcon(self._look.icon(icon))

    def _make_buttons(self) -> None:
        self.preview, self.later = QPushButton(tr("Preview file")), QPushButton(tr("Later"))
        self.reject, self.write = QPushButton(tr("Reject rest")), QPushButton()
        self.preview.setToolTip(tr("P: the whole file as it would be"))
        self.later.setToolTip(tr("Close the window; everything waits as it is"))
        self.reject.setToolTip(tr("Never propose again what is not chosen"))
        self.write.setToolTip(tr("Ctrl+Enter: write what is chosen to the file"))
        self.preview.clicked.connect(self.preview_wanted)
        self.later.clicked.connect(self.later_wanted)
        self.reject.clicked.connect(self.reject_wanted)
        self.write.clicked.connect(self.write_wanted)
        self._icons = {
            self.preview: "preview",
            self.later: "later",
            self.reject: "reject",
            self.write: "write",
            self.choose_files: "folder",
        }
        for button, icon in self._icons.items():
            button.setIcon(self._look.icon(icon))

    def _lay_out(self) -> None:
        edge = self._look.space(3)
        head = QWidget()
        rows = QVBoxLayout(head)
        rows.setContentsMargins(edge, edge, edge, self._look.space(2))
        first = QHBoxLayout()
        first.addWidget(self.files, 1)
        first.addStretch()
        first.addWidget(self.choose_files)
        rows.addLayout(first)
        rows.addWidget(self.path)
        rows.addWidget(self.about)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._footer = self._make_footer(edge)
        for part in (head, self.state_line, self.done_line, self.pages, self._footer):
            column.addWidget(part)
        column.setStretch(3, 1)

    def _make_footer(self, edge: int) -> QWidget:
        footer = QWidget()
        rows = QVBoxLayout(footer)
        rows.setContentsMargins(edge, self._look.space(2), edge, self._look.space(2))
        figures = QHBoxLayout()
        figures.addWidget(self.summary)
        figures.addSpacing(edge)
        figures.addWidget(self.budget, 1)
        buttons = QHBoxLayout()
        buttons.addStretch()
        for button in (self.preview, self.later, self.reject, self.write):
            buttons.addWidget(button)
        rows.addLayout(figures)
        rows.addLayout(buttons)
        rows.addWidget(self.legend)
        return footer

    def _on_choice_made(self, hunk: HunkView, chosen: bool) -> None:  # noqa: FBT001 - a Qt signal
        if self._view is not None:
            self._aside.note(self._view, hunk, chosen=chosen)

    def _on_file_activated(self, row: int) -> None:
        self.file_picked.emit(str(self.files.itemData(row)))


class _Nothing(Tall):
    """Where there are no changes to show, and why."""

    files_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._text = _wrapped(look.font(Type.HEAD))
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.choose = QPushButton(tr("Choose files…"))
        self.choose.clicked.connect(self.files_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[look.space(6)] * 4)
        column.setSpacing(look.space(3))
        column.addStretch(1)
        column.addWidget(self._text)
        column.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def say(self, text: str) -> None:
        """Say why there is nothing."""
        self._text.setText(text)

    def offer_files(self, *, offered: bool) -> None:
        """Show the button where it is the thing to do."""
        self.choose.setVisible(offered)


def _wrapped(font: QFont) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setFont(font)
    return label
