"""The proposed changes of one file, one card below the other, and which of them are chosen."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from archivist.domain.care import Care
from archivist.domain.proposals import HunkId
from archivist.gui.look import Look
from archivist.gui.memory.hunk_card import HunkCard
from archivist.services.memory_shown import HunkView
from archivist.texts import tr

_NOBODY: Final = -1


class HunkList(QScrollArea):
    """Remembers what the person chose while changes come and go."""

    choice_changed = Signal()
    asked = Signal(object)
    reworded = Signal(object, str)
    lesson_wanted = Signal(object)
    edit_left = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._cards: list[HunkCard] = []
        self._chosen: dict[HunkId, tuple[bool, frozenset[Care]]] = {}
        self._current = _NOBODY
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Proposed changes"))

    @property
    def hunks(self) -> Sequence[HunkView]:
        """The changes that are shown."""
        return [card.hunk for card in self._cards]

    @property
    def cards(self) -> Sequence[HunkCard]:
        """The cards, in the order of the file."""
        return tuple(self._cards)

    @property
    def chosen(self) -> list[HunkId]:
        """The changes that are chosen, in order."""
        return [hunk.id for hunk in self.hunks if self._is_chosen(hunk)]

    @property
    def is_editing(self) -> bool:
        """Whether a line is being edited."""
        return any(card.editor is not None for card in self._cards)

    def show_hunks(self, hunks: Sequence[HunkView]) -> None:
        """Show changes; choices and the current place stay where the change is still there."""
        if list(hunks) == list(self.hunks) and self.widget() is not None:
            return
        current = self.current.hunk.id if self.current else None
        had_focus = self.current is not None and self.current.box.hasFocus()
        top = self.verticalScrollBar().value()
        self._build(hunks)
        ids = [hunk.id for hunk in hunks]
        usual = min(max(self._current, 0), len(ids) - 1)
        self._current = ids.index(current) if current in ids else usual
        if had_focus and self.current is not None:
            self.current.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self.verticalScrollBar().setValue(top)
        self.choice_changed.emit()

    @property
    def current(self) -> HunkCard | None:
        """The card that keys act on."""
        return self._cards[self._current] if 0 <= self._current < len(self._cards) else None

    def go(self, by: int) -> None:
        """Go to the next card, or back."""
        if self._cards:
            place = min(max(self._current + by, 0), len(self._cards) - 1)
            self.focus_on(self._cards[place])

    def focus_on(self, card: HunkCard) -> None:
        """Make a card the current one."""
        self._current = self._cards.index(card)
        card.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.ensureWidgetVisible(card)
        self.ensureWidgetVisible(card.box)

    def choose(self, hunk: HunkView, *, chosen: bool = True) -> None:
        """Choose a change, or not."""
        self._chosen[hunk.id] = (chosen, frozenset(hunk.cares))
        for card in self._cards:
            if card.hunk.id == hunk.id:
                card.set_chosen(chosen=chosen)
        self.choice_changed.emit()

    def leave_edits(self) -> None:
        """Close the editors; what was typed is gone."""
        for card in self._cards:
            card.leave_edit()

    def restyle(self) -> None:
        """Take the colours of the look."""
        for card in self._cards:
            card.restyle()

    def _is_chosen(self, hunk: HunkView) -> bool:
        """A choice holds only while there is no reason for care that the person did not see."""
        chosen, seen = self._chosen.get(hunk.id, (hunk.preselected, frozenset(hunk.cares)))
        return chosen and seen >= set(hunk.cares)

    def _build(self, hunks: Sequence[HunkView]) -> None:
        count = len(hunks)
        self._cards = [self._card(hunk, n, count) for n, hunk in enumerate(hunks, start=1)]
        inside = QWidget()
        column = QVBoxLayout(inside)
        edge = self._look.space(2)
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(edge)
        for card in self._cards:
            column.addWidget(card)
        column.addStretch(1)
        self.setWidget(inside)

    def _card(self, hunk: HunkView, number: int, count: int) -> HunkCard:
        card = HunkCard(self._look, hunk, number, count)
        card.set_chosen(chosen=self._is_chosen(hunk))

        def choose(is_chosen: bool) -> None:  # noqa: FBT001 - a Qt signal
            self.choose(hunk, chosen=is_chosen)

        def enter() -> None:
            self._current = self._cards.index(card)

        card.chosen.connect(choose)
        card.entered.connect(enter)
        card.asked.connect(lambda: self.asked.emit(hunk))
        card.reworded.connect(lambda text: self.reworded.emit(hunk, text))
        card.edit_left.connect(card.leave_edit)
        card.edit_left.connect(self.edit_left)
        card.lesson_wanted.connect(lambda: self.lesson_wanted.emit(hunk))
        return card
