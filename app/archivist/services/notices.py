"""When a notification is due: at most one a day, and only when more waits than was known."""

from dataclasses import dataclass
from typing import Final

from archivist.domain.activity import Activity, Idle
from archivist.domain.waiting import Waiting
from archivist.texts import tr, tr_n

NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class Known:
    """What the person was told: on which day last (ISO, "" never), and of how many lessons."""

    day: str = ""
    lessons: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification. It never holds a word of a conversation."""

    summary: str
    body: str
    action: str


def is_calm(activity: Activity) -> bool:
    """Whether a count of now will hold: nothing is worked on, and the sources have been read."""
    return isinstance(activity, Idle) and activity.last is not None


def noticed(known: Known, waiting: Waiting, *, day: str, is_here: bool) -> Known:
    """Return what the person knows now; with another day than before a notice is due.

    is_here: one of our windows is in front, so the person sees the counts themselves.
    """
    if waiting.lessons <= known.lessons or is_here:
        return Known(known.day, waiting.lessons)
    if known.day == day:
        return known
    return Known(day, waiting.lessons)


def notice(waiting: Waiting) -> Notice:
    """Return what to say of the lessons that wait."""
    return Notice(
        summary=tr_n("{n} lesson waits for you", "{n} lessons wait for you", waiting.lessons),
        body=tr("Keep or reject what was learnt. Nothing is written without you."),
        action=tr("Review"),
    )


def parsed(text: str) -> Known:
    """Read what was remembered; whatever else stands there counts as nothing."""
    day, _, lessons = text.partition(" ")
    return Known(day, int(lessons)) if lessons.isascii() and lessons.isdigit() else Known()


def written(known: Known) -> str:
    """Return it as it is remembered."""
    return f"{known.day} {known.lessons}"
