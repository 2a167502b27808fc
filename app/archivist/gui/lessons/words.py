"""The words of the lessons window: pure functions of lessons and times, without Qt."""

from collections.abc import Sequence
from datetime import datetime

from archivist.domain.hidden import hides_something, visible
from archivist.domain.knowledge import Evidence, Lesson, LessonCounts, LessonState
from archivist.domain.review import Grouping, RejectReason, last_said, sessions_of
from archivist.domain.segment_filter import project_name as last_part
from archivist.services.segment_text import source_name
from archivist.services.times import day, moment, on_day
from archivist.texts import tr, tr_n


def state_word(state: LessonState) -> str:
    """Return a state as it stands beside a lesson."""
    return {
        LessonState.WAITING: tr("waiting"),
        LessonState.KEPT: tr("kept"),
        LessonState.REJECTED: tr("rejected"),
        LessonState.LATER: tr("later"),
        LessonState.RETIRED: tr("retired"),
    }[state]


def standing(lesson: Lesson) -> str:
    """Return the state of a lesson, with the reason where one was given."""
    if lesson.state is LessonState.REJECTED and lesson.reason:
        return tr("rejected: {reason}", reason=reason_word(lesson.reason))
    return state_word(lesson.state)


def reason_word(reason: str) -> str:
    """Return a reason of a rejection as people read it; a person's own word stays as it is."""
    words = {
        RejectReason.WRONG: tr("wrong"),
        RejectReason.TRIVIAL: tr("trivial"),
        RejectReason.PRIVATE: tr("private"),
        RejectReason.KNOWN: tr("already known"),
        RejectReason.OLD: tr("out of date"),
    }
    return words.get(RejectReason(reason), "") if reason in set(RejectReason) else visible(reason)


def tab_label(state: LessonState, counts: LessonCounts) -> str:
    """Return the label of the lessons in a state, with how many they are."""
    match state:
        case LessonState.KEPT:
            return tr("Kept {n}", n=counts.kept)
        case LessonState.REJECTED:
            return tr("Rejected {n}", n=counts.rejected)
        case LessonState.LATER:
            return tr("Later {n}", n=counts.later)
        case _:
            return tr("Waiting {n}", n=counts.waiting)


def kind_word(category: str) -> str:
    """Return what kind of lesson it is."""
    words = {
        "pattern": tr("Rule"),
        "mistake": tr("Mistake to avoid"),
        "preference": tr("Preference"),
        "fact": tr("Fact"),
        "decision": tr("Decision"),
    }
    return words.get(category, visible(category))


def project_name(project: str) -> str:
    """Return the last part of a project's folder."""
    return visible(last_part(project))


def scope_words(lesson: Lesson) -> str:
    """Return where a lesson holds."""
    if not lesson.project:
        return tr("everywhere")
    return tr("for {project}", project=project_name(lesson.project))


def group_title(key: str, by: Grouping, first: Lesson, now: datetime) -> str:
    """Return the heading of a group of lessons."""
    match by:
        case Grouping.KIND:
            return kind_word(key)
        case Grouping.PROJECT:
            return project_name(key) if key else tr("Everywhere")
        case Grouping.SESSION:
            return said_by(first.evidence[0], now) if key else tr("No session")


def source_word(source: str) -> str:
    """Return the name of a source as people know it."""
    return visible(source_name(source)) if source else tr("unknown source")


def said_by(evidence: Evidence, now: datetime) -> str:
    """Return when and in which assistant something was said."""
    source = source_word(evidence.source)
    if evidence.at is None:
        return source
    return tr("{when}, {source}", when=moment(evidence.at, now), source=source)


def why(lesson: Lesson, now: datetime) -> str:
    """Return why a lesson was proposed: how often it was said, and when last."""
    count, last = sessions_of(lesson), last_said(lesson)
    if not count:
        return tr("What this was found in is gone; it can be rejected, not kept.")
    if last is None:
        return tr_n("Said in {n} session.", "Said in {n} sessions.", count)
    when = on_day(last, now)
    return tr_n(
        "Said in {n} session, {when}.", "Said in {n} sessions, last {when}.", count, when=when
    )


def kind_line(lesson: Lesson) -> str:
    """Return what kind of lesson it is, and whether it corrects something."""
    kind = kind_word(lesson.category)
    return tr("{kind}, a correction", kind=kind) if lesson.correction else kind


def icon_name(category: str) -> str:
    """Return the icon of a kind of lesson."""
    known = {"pattern", "mistake", "preference", "fact", "decision"}
    return category if category in known else "lessons"


def readable(text: str) -> str:
    """Return a text on one line with its hidden characters spelt out."""
    return " ".join(visible(line) for line in text.split("\n"))


def warning(lesson: Lesson) -> str:
    """Return what is to be feared of a lesson, "" for nothing."""
    if hides_something(lesson.text):
        return tr("This hides characters, shown here as ⟪U+…⟫. Edit it, or do not keep it.")
    if lesson.untrusted:
        return tr("This is worded like an order to a machine. Keep it only if it is your own.")
    return ""


def destination(lesson: Lesson, files: Sequence[str]) -> str:
    """Return which memory files a lesson goes to, or that none is chosen."""
    if not files:
        return (
            tr("No memory file is chosen for {project} yet.",
               project=project_name(lesson.project))
            if lesson.project
            else tr("No memory file is chosen for what holds everywhere yet.")
        )  # fmt: skip
    listed = ", ".join(files)
    if lesson.state is LessonState.KEPT:
        return tr("Proposed to {files}", files=listed)
    return tr("Would be proposed to {files}", files=listed)


def row_sentence(lesson: Lesson, now: datetime) -> str:
    """Return a row of the list for those who hear it."""
    heard = {
        "kind": kind_word(lesson.category).lower(),
        "state": standing(lesson),
        "text": visible(lesson.text),
        "scope": scope_words(lesson),
    }
    if not lesson.evidence:
        return tr("Lesson, {kind}, {state}, {scope}, what it was found in is gone: {text}", **heard)
    source = said_by(lesson.evidence[-1], now)
    if lesson.untrusted:
        return tr("Lesson, {kind}, {state}, {scope}, with a warning, from {source}: {text}",
                  source=source, **heard)  # fmt: skip
    return tr("Lesson, {kind}, {state}, {scope}, from {source}: {text}", source=source, **heard)


def nothing_here(state: LessonState, counts: LessonCounts, now: datetime) -> str:
    """Return what an empty list says."""
    match state:
        case LessonState.KEPT:
            return tr("No lesson is kept yet.")
        case LessonState.REJECTED:
            return tr("No lesson is rejected.")
        case LessonState.LATER:
            return tr("No lesson is put off.")
        case _ if counts.last_found is None:
            return tr("Nothing to review yet. Lessons are found once a conversation has ended.")
        case _:
            when = day(counts.last_found, now)
            return tr("Nothing to review. Last found: {when}.", when=when)
