"""What a review of lessons shows beside their words: groups, how often said, near copies, reasons.

Pure, over lessons as they stand in the archive.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.stopwords import STOP_WORDS
from archivist.domain.words import pieces

_ALIKE: Final = 0.6
"""So much of the shorter one's words must be in the other."""
_FEWEST: Final = 2
_REMEMBERED: Final = 4_096
_PLURAL: Final = 4
"""A word of so many letters may end in the s of a plural."""


class RejectReason(StrEnum):
    """Why a lesson was rejected; the value is stored. A person may write words of their own."""

    WRONG = "wrong"
    TRIVIAL = "trivial"
    PRIVATE = "private"
    KNOWN = "known"
    OLD = "old"


class Grouping(StrEnum):
    """What lessons are put together by."""

    PROJECT = "project"
    KIND = "kind"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a lesson, and where they hold."""

    id: LessonId
    text: str
    project: str


@dataclass(frozen=True, slots=True)
class Group:
    """Lessons that belong together: by their project, their category, or the session said first.

    `key` is what they share; "" for everywhere, or for a session that is no longer known.
    """

    key: str
    lessons: tuple[Lesson, ...]


def grouped(lessons: Iterable[Lesson], by: Grouping) -> tuple[Group, ...]:
    """Return lessons in groups: projects and kinds by name, sessions as they first came.

    What belongs to no project stands last. The order within a group is that of `lessons`.
    """
    groups: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        groups.setdefault(_key(lesson, by), []).append(lesson)
    keys = list(groups) if by is Grouping.SESSION else sorted(groups)
    keys.sort(key=lambda key: key == "")
    return tuple(Group(key, tuple(groups[key])) for key in keys)


def _key(lesson: Lesson, by: Grouping) -> str:
    match by:
        case Grouping.PROJECT:
            return lesson.project
        case Grouping.KIND:
            return lesson.category
        case Grouping.SESSION:
            return lesson.evidence[0].session if lesson.evidence else ""


def sessions_of(lesson: Lesson) -> int:
    """Return in how many sessions a lesson was said."""
    return len({item.session for item in lesson.evidence})


def last_said(lesson: Lesson) -> int | None:
    """Return when a lesson was last said, None when no turn of it has a time."""
    return max((item.at for item in lesson.evidence if item.at is not None), default=None)


def near_copies(lesson: Lesson, others: Sequence[Wording]) -> list[Wording]:
    """Return the wordings in nearly the same words that hold where this one does, nearest first.

    Words only: that one says the opposite of the other is for a person to see.
    """
    own = _words(lesson.text)
    shares = [
        (_share(own, _words(other.text)), other)
        for other in others
        if other.id != lesson.id and _meet(lesson.project, other.project)
    ]
    near = [(share, other) for share, other in shares if share >= _ALIKE]
    return [other for _, other in sorted(near, key=lambda pair: -pair[0])]


def _meet(project: str, other: str) -> bool:
    return not project or not other or project == other


def _share(own: frozenset[str], other: frozenset[str]) -> float:
    same = len(own & other)
    return same / min(len(own), len(other)) if same >= _FEWEST else 0.0


@lru_cache(maxsize=_REMEMBERED)
def _words(text: str) -> frozenset[str]:
    """Return the words that carry the meaning of a sentence; all, where all are of grammar."""
    found = {word for piece in pieces(text) for word in piece.pairs or piece.parts}
    telling = {_singular(word) for word in found if word not in _GRAMMAR}
    return frozenset(telling or found)


def _singular(word: str) -> str:
    is_plural = len(word) >= _PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


_GRAMMAR: Final = frozenset().union(*STOP_WORDS.values())
