"""What is known of closed segments, as it stands in the archive. Times are UTC milliseconds."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from archivist.domain.turns import SegmentId, TurnId

LessonId = NewType("LessonId", int)

RULES = "rules"
"""The maker of a recap that no model wrote."""


class LessonState(StrEnum):
    """Where a lesson stands in review."""

    WAITING = "waiting"
    KEPT = "kept"
    REJECTED = "rejected"
    LATER = "later"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Recap:
    """The short text of a segment, and who made it: `rules` or the model's name."""

    text: str
    maker: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn and the exact words in it. `session` is the id that the assistant wrote.

    `segment` is None while the turn is in none.
    """

    turn: TurnId
    session: str
    quote: str
    source: str = ""
    at: int | None = None
    segment: SegmentId | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One or two sentences worth remembering, with the turns they come from.

    `said` is the text as it was found; `text` may have been edited. `project` is "" for everywhere.
    `reason` is why it was rejected: a code of `RejectReason`, a person's own word, or None.
    """

    id: LessonId
    category: str
    kind: str
    text: str
    said: str
    scope: str
    project: str
    state: LessonState
    confidence: float
    lang: str
    correction: bool
    untrusted: bool
    evidence: tuple[Evidence, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LessonCounts:
    """How many lessons stand where, and when the newest was found (UTC milliseconds).

    Those that are retired are of no interest to a person, and not counted.
    """

    waiting: int = 0
    kept: int = 0
    rejected: int = 0
    later: int = 0
    last_found: int | None = None


@dataclass(frozen=True, slots=True)
class EventRow:
    """A decision, commitment, preference or fact that a rule saw in a user turn."""

    id: int
    kind: str
    quote: str
    turn: TurnId
    session: str
    at: int | None
    confidence: float
    lang: str


@dataclass(frozen=True, slots=True)
class FacetRow:
    """What is held of the person or a project; `project` is "" for everywhere."""

    kind: str
    slot: str
    value: str
    confidence: float
    evidence: int
    first_at: int | None
    last_at: int | None
    project: str


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment as the list shows it; `session` is the id that the assistant wrote."""

    id: SegmentId
    session: str
    source: str
    project: str | None
    state: str
    start: int | None
    end: int | None
    turns: int
    reason: str | None
    recap: str | None
    maker: str | None
    trouble: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """One turn that matches; `session` is the id that the assistant wrote."""

    turn: TurnId
    session: str
    source: str
    project: str | None
    at: int | None
    role: str
    text: str
    score: float
