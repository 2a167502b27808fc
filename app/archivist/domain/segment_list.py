"""The list of segments and the preview of one, as values. Times are UTC milliseconds.

Turns that are in no segment yet are listed too: with the open segment of their session, or, where
it has none, in a row of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from archivist.domain.knowledge import LessonId, LessonState
from archivist.domain.snippets import Span
from archivist.domain.turns import SegmentId, SessionId, Turn, TurnId

UNFILED: Final = "unfiled-"
"""How the id of a row begins that stands for the turns of a session that are in no segment."""
_LONGEST_ID: Final = 19
MOST_HITS: Final = 10_000
"""So many turns are looked up for a question at most, the best of those that pass the filters: what
a keystroke costs then hangs on the index alone."""


def session_of_unfiled(segment: SegmentId) -> SessionId | None:
    """Return whose turns a row stands for; None for a segment."""
    number = segment.removeprefix(UNFILED)
    is_one = number != segment and number.isdecimal() and len(number) < _LONGEST_ID
    return SessionId(int(number)) if is_one else None


class Order(StrEnum):
    """How the list is sorted; `BEST` is newest first where nothing is searched."""

    BEST = "best"
    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The filters in terms of the archive. `before` is the first moment that is out."""

    source: str | None = None
    project: str | None = None
    after: int | None = None
    before: int | None = None
    is_open: bool | None = None
    has_lessons: bool = False


@dataclass(frozen=True, slots=True)
class SegmentHit:
    """A segment that answers a question: its best turn, and how many of its turns answer."""

    segment: SegmentId
    best: TurnId
    turns: int


@dataclass(frozen=True, slots=True)
class ListedSegment:
    """A segment on one line, or the turns of a session that are in none yet (`is_unfiled`).

    `turns` counts its turns, `lessons` those not rejected.

    With a question `snippet` is the stretch of its best turn, `spans` what answers in it, and
    `hits` the number of its turns that answer.
    """

    id: SegmentId
    source: str
    project: str | None
    state: str
    reason: str | None
    start: int | None
    end: int | None
    turns: int
    title: str
    maker: str | None
    lessons: int
    trouble: str | None = None
    snippet: str = ""
    spans: tuple[Span, ...] = ()
    hits: int = 0

    @property
    def is_unfiled(self) -> bool:
        """Whether these turns are in no segment yet."""
        return self.id.startswith(UNFILED)


@dataclass(frozen=True, slots=True)
class SegmentCounts:
    """The numbers beside the list; `projects` by name as recorded, newest first."""

    all: int = 0
    today: int = 0
    week: int = 0
    open: int = 0
    with_lessons: int = 0
    projects: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A turn with what the gate did to it: kinds taken out, or the text withheld as a whole."""

    turn: Turn
    redacted: tuple[str, ...] = ()
    withheld: bool = False
    model: str | None = None


@dataclass(frozen=True, slots=True)
class LessonOf:
    """A lesson that stands on a turn of the segment."""

    id: LessonId
    text: str
    state: LessonState


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """All of one segment. `file` is the transcript it was read from, as recorded.

    The last `unfiled` of the turns are in no segment yet.
    """

    row: ListedSegment
    session: str
    recap: str | None
    turns: tuple[ReadTurn, ...]
    lessons: tuple[LessonOf, ...]
    events: int
    file: str | None
    unfiled: int = 0
