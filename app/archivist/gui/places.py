"""The windows by name, and the things that one window can ask another to show.

The start reads this before the tray icon is shown: the domain behind the names is read later.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from archivist.domain.knowledge import LessonId
    from archivist.domain.proposals import ProposalId
    from archivist.domain.turns import SegmentId, TurnId


class Room(StrEnum):
    """The windows, by the names that the command line uses."""

    SEGMENTS = "segments"
    LESSONS = "lessons"
    MEMORY = "memory"
    PROBLEMS = "problems"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the segment browser: a segment, and a turn of it to show."""

    segment: "SegmentId"
    turn: "TurnId | None" = None


Thing: TypeAlias = "Place | LessonId | ProposalId | None"
