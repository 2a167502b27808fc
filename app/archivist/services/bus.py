"""Tell whoever listens what has changed. Events are frozen values; listeners must be quick."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from archivist.domain.activity import Activity
from archivist.domain.pause import Paused
from archivist.domain.problems import Problem

Event = TypeVar("Event")


@dataclass(frozen=True, slots=True)
class TurnsArrived:
    """New turns were stored."""

    source: str
    path: str
    count: int


@dataclass(frozen=True, slots=True)
class SegmentsChanged:
    """Segments were opened or closed, or a recap was made."""


@dataclass(frozen=True, slots=True)
class LessonsChanged:
    """Lessons were found or reviewed."""


@dataclass(frozen=True, slots=True)
class ProposalsChanged:
    """Proposed changes to memory files were made, written or undone."""


@dataclass(frozen=True, slots=True)
class ProblemsChanged:
    """The list of problems changed."""


@dataclass(frozen=True, slots=True)
class ActivityChanged:
    """The archivist does something else now; told at most ten times a second."""

    activity: Activity


@dataclass(frozen=True, slots=True)
class AskedFailed:
    """What a person asked for, and did not wait for, has failed."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class PauseChanged:
    """The archivist was paused or goes on (None)."""

    paused: Paused | None


class Bus:
    """Delivers an event to the listeners of its exact type, in the order they came."""

    def __init__(self) -> None:
        self._listeners: dict[type, list[Callable[[object], None]]] = {}

    def listen(self, kind: type[Event], listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` for each event of that type; the returned function ends it."""
        calls = self._listeners.setdefault(kind, [])

        def call(event: object) -> None:
            listener(event)  # type: ignore[arg-type]  # filed under its own type

        calls.append(call)
        return lambda: calls.remove(call)

    def tell(self, event: object) -> None:
        """Deliver an event."""
        for call in list(self._listeners.get(type(event), ())):
            call(event)
