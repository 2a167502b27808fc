"""What the tray icon shows, from what is known: which picture, which words. Without Qt."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.services.activity import describe
from archivist.texts import tr, tr_n

_MOST: Final = 9
"""Counts stop here: a number that grows for ever is a nuisance, not news."""


class Mark(StrEnum):
    """The picture of the icon: another shape each, never only another colour."""

    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"
    PAUSED = "paused"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class TrayState:
    """What the tray shows. `problems` is "" when the menu has no such entry."""

    mark: Mark
    tooltip: str
    lessons: str
    changes: str
    status: str
    problems: str
    is_paused: bool


def starting() -> TrayState:
    """Return what to show until the archive is open."""
    return _state(Mark.IDLE, Waiting(), tr("Starting."), is_paused=False)


def refused(problem: Problem) -> TrayState:
    """Return what to show of an archive that cannot be opened."""
    return _state(Mark.PROBLEM, Waiting(), problem.message, is_paused=False)


def tray_state(waiting: Waiting, activity: Activity, *, is_paused: bool) -> TrayState:
    """Return what to show of an open archive."""
    mark = _mark(waiting, activity, is_paused=is_paused)
    return _state(mark, waiting, describe(activity), is_paused=is_paused)


def _state(mark: Mark, waiting: Waiting, status: str, *, is_paused: bool) -> TrayState:
    lessons, changes, problems = waiting.lessons, waiting.changes, waiting.problems
    return TrayState(
        mark=mark,
        tooltip="\n".join(["Archivist", status, *_news(waiting)]),
        lessons=_counted(tr("Review lessons…"), "Review lessons ({n})…", lessons),
        changes=_counted(tr("Memory changes…"), "Memory changes ({n})…", changes),
        status=status,
        problems=_counted("", "Problems ({n})…", problems),
        is_paused=is_paused,
    )


def _mark(waiting: Waiting, activity: Activity, *, is_paused: bool) -> Mark:
    """Return the picture: that nothing is recorded comes first, then what asks for the person."""
    if is_paused:
        return Mark.PAUSED
    if waiting.problems or (isinstance(activity, Idle) and activity.trouble):
        return Mark.PROBLEM
    if waiting.lessons or waiting.changes:
        return Mark.ATTENTION
    return Mark.WORKING if isinstance(activity, Importing | Archiving) else Mark.IDLE


def _news(waiting: Waiting) -> list[str]:
    """Return a line for each kind of thing that waits."""
    kinds = (
        (waiting.lessons, "{count} lesson to review", "{count} lessons to review"),
        (waiting.changes, "{count} memory change", "{count} memory changes"),
        (waiting.problems, "{count} problem", "{count} problems"),
    )
    return [tr_n(one, many, n, count=_shown(n)) for n, one, many in kinds if n]


def _counted(without: str, with_count: str, count: int) -> str:
    return tr(with_count, n=_shown(count)) if count else without


def _shown(count: int) -> str:
    return f"{_MOST}+" if count > _MOST else str(count)
