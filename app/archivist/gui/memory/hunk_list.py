"""The proposed changes of one file, one card below the other, and which of them are chosen."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from archivist.domain.care import Care
from archivist.domain.proposals import HunkId
from archivist.gui.look import Look
from archivist.gui.memory.hunk_card import HunkCard
from archivist.services.memory_shown import HunkView
from archivist.texts import tr

_NOBODY: Final = -1


class HunkList(QScrollArea):
    """Remembers what the person chose while changes come and go.

    `choice_made` carries a change and whether the person chose it; `choice_changed` follows
    everything that changes which are chosen. At most one line is under edit.
    """

    choice_changed = Signal()
    choice_made = Signal(object, bool)
    asked = Signal(object)
    reworded = Signal(object, str)
    lesson_wanted = Signal(object)
    edit_left = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._cards: list[HunkCard] = []
        self._chosen: dict[HunkId, tuple[bool, frozenset[Care]]] = {}
        self._aside: AbstractSet[HunkId] = frozenset()
        self._current = _NOBODY
        self._is_followed = True
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled_by_hand)
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

    @property
    def changed(self) -> HunkCard | None:
        """The card with a wording that was typed and is not saved."""
        return next((card for card in self._cards if card.is_changed), None)

    def show_hunks(
        self, hunks: Sequence[HunkView], aside: AbstractSet[HunkId] = frozenset()
    ) -> None:
        """Show changes; choices and the current place stay where the change is still there.

        `aside`: those that are not chosen by themselves.
        """
        self._aside = aside
        if list(hunks) == list(self.hunks) and self.widget() is not None:
            return
        before, had_focus = self.current, self._has_focus()
        self._is_followed = before is None or not before.visibleRegion().isEmpty()
        top = self.verticalScrollBar().value()
        place = self._place_of(before.hunk if before else None, hunks)
        self._build(hunks)
        self._set_current(place)
        if had_focus and self.current is not None:
            self.current.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self.verticalScrollBar().setValue(top)
        self._keep_in_sight()
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
        self._set_current(self._cards.index(card))
        (card.editor or card.box).setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._is_followed = True
        self._keep_in_sight()

    def edit(self, card: HunkCard) -> None:
        """Open the line of a card for editing, in sight."""
        card.edit()
        self.focus_on(card)

    def choose(self, hunk: HunkView, *, chosen: bool = True) -> None:
        """Choose a change, or put it aside."""
        self.choice_made.emit(hunk, chosen)
        self._chosen[hunk.id] = (chosen, frozenset(hunk.cares))
        for card in self._cards:
            if card.hunk.id == hunk.id:
                card.set_chosen(chosen=chosen)
        self.choice_changed.emit()

    def set_saving(self, hunk: HunkView, *, is_saving: bool) -> None:
        """Take no letters in the line of a change while its wording is being saved."""
        for card in self._cards:
            if card.hunk.id == hunk.id and card.editor is not None:
                card.editor.set_saving(is_saving=is_saving)

    def may_leave_edit(self) -> bool:
        """Tell whether to leave the line; what was typed goes only when asked twice in a row."""
        card = self.changed
        if card is None or card.editor is None or card.editor.may_leave():
            return True
        self.focus_on(card)
        return False

    def leave_edits(self) -> None:
        """Close the editor; what was typed is gone."""
        for card in self._cards:
            card.leave_edit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current card in sight: a line above the list, or the window, takes its room."""
        super().resizeEvent(event)
        self._keep_in_sight()

    def restyle(self) -> None:
        """Take the colours of the look."""
        for card in self._cards:
            card.restyle()

    def _is_chosen(self, hunk: HunkView) -> bool:
        """A choice holds only while there is no reason for care that the person did not see."""
        usual = hunk.preselected and hunk.id not in self._aside
        chosen, seen = self._chosen.get(hunk.id, (usual, frozenset(hunk.cares)))
        return chosen and seen >= set(hunk.cares)

    def _has_focus(self) -> bool:
        return self.isAncestorOf(self.window().focusWidget())

    def _place_of(self, current: HunkView | None, hunks: Sequence[HunkView]) -> int:
        """Return which change is the current one from now on: itself, or its new wording."""
        if current is not None:
            ids = [hunk.id for hunk in hunks]
            if current.id in ids:
                return ids.index(current.id)
            lessons = {source.lesson for source in current.sources}
            for place, hunk in enumerate(hunks):
                if lessons & {source.lesson for source in hunk.sources}:
                    return place
        return min(max(self._current, 0), len(hunks) - 1)

    def _set_current(self, place: int) -> None:
        self._current = place
        for number, card in enumerate(self._cards):
            card.set_current(is_current=number == place)

    def _keep_in_sight(self) -> None:
        """Scroll to the current card, but not away from where the person scrolled to."""
        card = self.current
        if card is not None and self._is_followed:
            self.ensureWidgetVisible(card)
            self.ensureWidgetVisible(card.editor or card.box)

    def _on_scrolled_by_hand(self) -> None:
        self._is_followed = False

    def _build(self, hunks: Sequence[HunkView]) -> None:
        count = len(hunks)
        self._cards = [self._card(hunk, n, count) for n, hunk in enumerate(hunks, start=1)]
        inside = _Inside()
        inside.resized.connect(self._keep_in_sight)
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
            self._set_current(self._cards.index(card))

        card.chosen.connect(choose)
        card.entered.connect(enter)
        card.asked.connect(lambda: self.asked.emit(hunk))
        card.reworded.connect(lambda text: self.reworded.emit(hunk, text))
        card.edit_left.connect(card.leave_edit)
        card.edit_left.connect(self.edit_left)
        card.lesson_wanted.connect(lambda: self.lesson_wanted.emit(hunk))
        return card


class _Inside(QWidget):
    """Tells when its cards have their new places: an editor takes room only then."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the list."""
        super().resizeEvent(event)
        self.resized.emit()
