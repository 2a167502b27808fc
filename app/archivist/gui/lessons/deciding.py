"""The decisions about lessons: their words, and which of them a person is asked about first."""

from collections.abc import Sequence
from enum import StrEnum

from archivist.domain.hidden import hides_something, visible
from archivist.domain.knowledge import Lesson, LessonState
from archivist.texts import tr, tr_n


class Decision(StrEnum):
    """What a person decides; the value names its icon."""

    KEEP = "keep"
    REJECT = "reject"
    LATER = "later"
    REOPEN = "waiting"


def concerned(decision: Decision, lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return the lessons for which the decision is another one than stands."""
    state = {
        Decision.KEEP: LessonState.KEPT,
        Decision.REJECT: LessonState.REJECTED,
        Decision.LATER: LessonState.LATER,
        Decision.REOPEN: LessonState.WAITING,
    }[decision]
    return [lesson for lesson in lessons if lesson.state is not state]


def must_ask(decision: Decision, lessons: Sequence[Lesson]) -> bool:
    """Whether one key is too little: for several at once, and for keeping a doubtful one."""
    return len(lessons) > 1 or (
        decision is Decision.KEEP and any(is_doubtful(lesson) for lesson in lessons)
    )


def question(decision: Decision, count: int) -> str:
    """Return what is asked before it is done."""
    match decision:
        case Decision.KEEP:
            return tr_n("Keep this lesson?", "Keep these {n} lessons?", count)
        case Decision.REJECT:
            return tr_n("Reject this lesson?", "Reject these {n} lessons?", count)
        case Decision.LATER:
            return tr_n("Put this lesson off?", "Put these {n} lessons off?", count)
        case Decision.REOPEN:
            return tr_n("Let this lesson wait again?", "Let these {n} lessons wait again?", count)


def verb(decision: Decision, count: int) -> str:
    """Return the word on the button that does it."""
    match decision:
        case Decision.KEEP:
            return tr_n("Keep", "Keep {n}", count)
        case Decision.REJECT:
            return tr_n("Reject", "Reject {n}", count)
        case Decision.LATER:
            return tr_n("Put off", "Put off {n}", count)
        case Decision.REOPEN:
            return tr_n("Bring back", "Bring back {n}", count)


def button(decision: Decision, count: int) -> str:
    """Return the label of the button in the window, with its key."""
    match decision:
        case Decision.KEEP:
            return tr_n("K Keep", "K Keep {n}…", count)
        case Decision.REJECT:
            return tr_n("R Reject…", "R Reject {n}…", count)
        case Decision.LATER:
            return tr_n("L Later", "L Later {n}…", count)
        case Decision.REOPEN:
            return tr_n("B Bring back", "B Bring back {n}…", count)


def notice(decision: Decision, count: int) -> str:
    """Return what is said when it is done."""
    match decision:
        case Decision.KEEP:
            return tr_n("Kept.", "{n} lessons kept.", count)
        case Decision.REJECT:
            return tr_n("Rejected.", "{n} lessons rejected.", count)
        case Decision.LATER:
            return tr_n("Put off.", "{n} lessons put off.", count)
        case Decision.REOPEN:
            return tr_n("Waits again.", "{n} lessons wait again.", count)


def listed(lesson: Lesson) -> str:
    """Return a lesson as a question lists it; what is doubtful says so."""
    text = visible(lesson.text)
    if lesson.untrusted:
        return tr("{text} (worded like an order to a machine)", text=text)
    return text


def is_doubtful(lesson: Lesson) -> bool:
    """Whether a lesson is worded like an order to a machine, or hides characters."""
    return lesson.untrusted or hides_something(lesson.text)
