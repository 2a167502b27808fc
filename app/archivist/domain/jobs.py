"""The stages that follow the closing of a segment, and when each may be tried.

Pure. A stage is one durable row: waiting, running under a lease, done or failed. Times are UTC
milliseconds.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from archivist.domain.turns import SegmentId

LEASE: Final = 60_000
MAX_ATTEMPTS: Final = 6
_FIRST_WAIT: Final = 30_000
_LONGEST_WAIT: Final = 3_600_000


class Stage(StrEnum):
    """What is done with a closed segment, in this order."""

    RECAP = "recap"
    VECTOR = "vector"
    EVENTS = "events"
    FACETS = "facets"
    LESSONS = "lessons"


NEEDS: Final = {Stage.VECTOR: Stage.RECAP, Stage.FACETS: Stage.EVENTS}
"""A stage that works on what another stage wrote; all others stand alone."""


@dataclass(frozen=True, slots=True)
class Job:
    """A stage of a segment that this process has taken; `attempts` counts this one too."""

    segment: SegmentId
    stage: Stage
    owner: str
    attempts: int


def next_try(attempts: int, *, now: int) -> int | None:
    """Return when a stage that failed `attempts` times is tried again, None to give up."""
    if attempts >= MAX_ATTEMPTS:
        return None
    return now + min(_LONGEST_WAIT, _FIRST_WAIT << (attempts - 1))
