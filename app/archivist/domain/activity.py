"""What the archivist does at this moment, as the tray and the windows show it."""

from dataclasses import dataclass
from typing import TypeAlias

from archivist.domain.jobs import Stage
from archivist.domain.pause import Paused


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is done. `last`: when the last work ended well, UTC milliseconds, None before any.

    `trouble`: why the archive is not up to date, "" when nothing failed. `is_recording`: whether
    new conversations can be taken in for all that.
    """

    last: int | None = None
    trouble: str = ""
    is_recording: bool = True


@dataclass(frozen=True, slots=True)
class Importing:
    """The sources are read: `done` of `files` so far, and what is read now."""

    done: int
    files: int
    new_turns: int
    path: str


@dataclass(frozen=True, slots=True)
class Archiving:
    """Closed segments are worked on: `done` steps in this run, `waiting` with the one in hand.

    `stage` is None while turns are put into segments; `maker` says who makes the recaps.
    """

    done: int
    waiting: int
    stage: Stage | None
    maker: str


Activity: TypeAlias = Idle | Importing | Archiving | Paused
