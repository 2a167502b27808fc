"""The sentences of the lesson review; none of them needs Qt."""

from dataclasses import replace
from datetime import datetime

import pytest

from archivist.domain.knowledge import Evidence, Lesson, LessonCounts, LessonId, LessonState
from archivist.domain.turns import TurnId
from archivist.gui.lessons import words

NOW = datetime(2026, 11, 16, 9, 30).astimezone()  # a Monday on this clock


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute).timestamp() * 1000)  # noqa: DTZ001 - as NOW


def lesson(*said: tuple[str, int | None]) -> Lesson:
    evidence = tuple(Evidence(TurnId(1), session, "quote", "codex", at) for session, at in said)
    return Lesson(
        id=LessonId(1),
        category="mistake",
        kind="rule",
        text="Never push to main",
        said="Never push to main",
        scope="project",
        project="/code/app",
        state=LessonState.WAITING,
        confidence=0.7,
        lang="en",
        correction=False,
        untrusted=False,
        evidence=evidence,
    )


def test_why_says_how_often_and_when_last() -> None:
    friday, earlier = at(2026, 11, 13, 12), at(2026, 11, 1)
    assert words.why(lesson(("a", friday)), NOW) == "Said in 1 session, on Friday."
    several = lesson(("a", earlier), ("b", friday), ("c", None))
    assert words.why(several, NOW) == "Said in 3 sessions, last on Friday."
    assert words.why(lesson(("a", at(2026, 11, 16, 8))), NOW) == "Said in 1 session, today."
    assert words.why(lesson(("a", None)), NOW) == "Said in 1 session."
    assert "is gone" in words.why(lesson(), NOW)


def test_a_row_says_what_the_eye_sees() -> None:
    said = lesson(("a", at(2026, 11, 13, 14, 2)))
    assert words.row_sentence(said, NOW) == (
        "Lesson, mistake to avoid, waiting, for app, from Friday 14:02, Codex: Never push to main"
    )
    assert "with a warning" in words.row_sentence(replace(said, untrusted=True), NOW)
    assert "is gone" in words.row_sentence(lesson(), NOW)
    rejected = replace(said, state=LessonState.REJECTED, reason="known", project="")
    assert "rejected: already known, everywhere" in words.row_sentence(rejected, NOW)


def test_a_reason_of_ones_own_stays_as_it_was_written() -> None:
    assert words.reason_word("because\u202e") == "because⟪U+202E⟫"


def test_every_state_of_an_empty_list_has_its_words() -> None:
    none, some = LessonCounts(), LessonCounts(later=1, last_found=at(2026, 11, 13))
    assert words.nothing_here(LessonState.WAITING, none, NOW).startswith("Nothing to review yet.")
    assert words.nothing_here(LessonState.WAITING, some, NOW).endswith("Last found: Friday.")
    texts = {words.nothing_here(state, some, NOW) for state in LessonState}
    assert len(texts) == 4


@pytest.mark.parametrize(
    "folder, name",
    [("/home/me/code/app", "app"), ("C:\\code\\app", "app"), ("/code/app/", "app"), ("/", "/")],
)
def test_a_project_is_called_by_its_folder(folder: str, name: str) -> None:
    assert words.project_name(folder) == name
