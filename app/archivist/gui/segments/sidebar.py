"""The left pane: what can be shown with one click. Each entry is a text for the search box."""

from collections import Counter

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from archivist.domain.hidden import visible
from archivist.domain.segment_filter import project_name, with_word, without_filters, word_for
from archivist.domain.segment_list import SegmentCounts
from archivist.gui.look import Look, Type
from archivist.gui.segments.words import tip
from archivist.texts import tr

_WORDS = Qt.ItemDataRole.UserRole
_ROW, _HEAD = 6.4, 8
"""Heights in steps of the look; a row is as high as one of the table beside it."""


class Sidebar(QListWidget):
    """Emits the filter words of the entry that was chosen; "" shows everything."""

    filter_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._text = ""
        self._counts: SegmentCounts | None = None
        self.setAccessibleName(tr("What to show"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.currentItemChanged.connect(self._on_current_item_changed)
        self.itemClicked.connect(self._on_item_clicked)

    def show_counts(self, counts: SegmentCounts) -> None:
        """Show the entries with their numbers; the chosen one stays chosen."""
        if counts == self._counts:
            return
        self._counts = counts
        with QSignalBlocker(self):
            self.clear()
            for words, text in _entries(counts):
                self._add(words, text)
            if counts.projects:
                self._add_head(tr("Projects"))
            for words, text in _projects(counts):
                self._add(words, text)
        self.follow(self._text)

    def follow(self, text: str) -> None:
        """Mark the entry that the text of the search box stands for, or none."""
        self._text = text
        plain = without_filters(text)
        filters = " ".join(sorted(set(text.split()) - set(plain.split())))
        with QSignalBlocker(self):
            self.setCurrentItem(None)  # type: ignore[call-overload]  # None is allowed
            self.clearSelection()
            for place in range(self.count()):
                words = self.item(place).data(_WORDS)
                if words is not None and " ".join(sorted(words.split())) == filters:
                    self.setCurrentRow(place)

    def _add(self, words: str, text: str) -> None:
        item = QListWidgetItem(visible(text))
        item.setData(_WORDS, words)
        item.setToolTip(tip(text))
        self._put(item, steps=_ROW)

    def _add_head(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(self._look.font(Type.HEAD))
        item.setTextAlignment(Qt.AlignmentFlag.AlignBottom)
        self._put(item, steps=_HEAD)

    def _put(self, item: QListWidgetItem, *, steps: float) -> None:
        item.setSizeHint(QSize(0, self._look.space(steps)))
        self.addItem(item)

    def _on_current_item_changed(self, now: QListWidgetItem | None) -> None:
        if now is not None and self.hasFocus():
            self.filter_wanted.emit(now.data(_WORDS) or "")

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        words = item.data(_WORDS)
        if words is not None:
            self.filter_wanted.emit(words)


def narrowed_to(text: str, words: str) -> str:
    """Return the text with its filters replaced by those of an entry; the plain words stay."""
    return with_word(without_filters(text), (), words)


def project_word(project: str, counts: SegmentCounts) -> str:
    """Return the filter for a project: by its short name where no other has the same."""
    names = Counter(project_name(each) for each in counts.projects)
    name = project_name(project)
    return word_for("project", name if names[name] == 1 else project)


def _entries(counts: SegmentCounts) -> list[tuple[str, str]]:
    return [
        ("", tr("All ({n})", n=f"{counts.all:,}")),
        ("on:today", tr("Today ({n})", n=counts.today)),
        ("after:week", tr("This week ({n})", n=counts.week)),
        ("is:open", tr("Still open ({n})", n=counts.open)),
        ("has:lesson", tr("With lessons ({n})", n=counts.with_lessons)),
    ]


def _projects(counts: SegmentCounts) -> list[tuple[str, str]]:
    return [
        (project_word(project, counts), tr("{name} ({n})", name=project_name(project), n=number))
        for project, number in counts.projects.items()
    ]
