"""The bridge from the services' events to Qt signals; nothing else crosses it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from archivist.domain.waiting import Waiting
from archivist.services.bus import (
    ActivityChanged,
    Bus,
    LessonsChanged,
    ProblemsChanged,
    ProposalsChanged,
    SegmentsChanged,
    TurnsArrived,
)


class Signals(QObject):
    """What windows connect to.

    `activity_changed` carries what the archivist does now, `waiting_changed` how much waits;
    `waiting` is what was told last, for a window that is made later.
    """

    turns_arrived = Signal()
    segments_changed = Signal()
    lessons_changed = Signal()
    proposals_changed = Signal()
    problems_changed = Signal()
    activity_changed = Signal(object)
    waiting_changed = Signal(object)
    look_changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self.waiting = Waiting()
        self._ends: list[Callable[[], None]] = [
            bus.listen(TurnsArrived, lambda _: self.turns_arrived.emit()),
            bus.listen(SegmentsChanged, lambda _: self.segments_changed.emit()),
            bus.listen(LessonsChanged, lambda _: self.lessons_changed.emit()),
            bus.listen(ProposalsChanged, lambda _: self.proposals_changed.emit()),
            bus.listen(ProblemsChanged, lambda _: self.problems_changed.emit()),
            bus.listen(ActivityChanged, lambda now: self.activity_changed.emit(now.activity)),
        ]

    def tell_waiting(self, waiting: Waiting) -> None:
        """Tell how much waits for the person."""
        self.waiting = waiting
        self.waiting_changed.emit(waiting)

    def end(self) -> None:
        """Listen no more."""
        for end in self._ends:
            end()
        self._ends.clear()
