import pytest

from archivist.domain.knowledge import Evidence, Lesson, LessonId, LessonState
from archivist.domain.review import (
    Grouping,
    RejectReason,
    Wording,
    grouped,
    last_said,
    near_copies,
    sessions_of,
)
from archivist.domain.turns import TurnId


def lesson(
    number: int,
    text: str,
    *said: tuple[str, int | None],
    project: str = "/code/app",
    category: str = "preference",
) -> Lesson:
    """Return a lesson said in these sessions at these times."""
    evidence = tuple(
        Evidence(TurnId(turn), session, text, "codex", at)
        for turn, (session, at) in enumerate(said, 1)
    )
    return Lesson(
        id=LessonId(number),
        category=category,
        kind="preference",
        text=text,
        said=text,
        scope="project",
        project=project,
        state=LessonState.WAITING,
        confidence=0.7,
        lang="en",
        correction=False,
        untrusted=False,
        evidence=evidence,
    )


def words_of(*lessons: Lesson) -> list[Wording]:
    return [Wording(one.id, one.text, one.project) for one in lessons]


def test_the_stored_reasons_stay_as_they_are() -> None:
    assert [*RejectReason] == ["wrong", "trivial", "private", "known", "old"]


def test_projects_stand_by_name_and_everywhere_last() -> None:
    lessons = [
        lesson(1, "a", project=""),
        lesson(2, "b", project="/code/zoo"),
        lesson(3, "c", project="/code/app"),
        lesson(4, "d", project="/code/zoo"),
    ]
    groups = grouped(lessons, Grouping.PROJECT)
    assert [(g.key, [one.id for one in g.lessons]) for g in groups] == [
        ("/code/app", [3]),
        ("/code/zoo", [2, 4]),
        ("", [1]),
    ]


def test_kinds_and_sessions_are_groups_too() -> None:
    lessons = [
        lesson(1, "a", ("s2", 1), category="fact"),
        lesson(2, "b", ("s1", 1), ("s2", 2)),
        lesson(3, "c"),
        lesson(4, "d", ("s2", 3)),
    ]
    kinds = grouped(lessons, Grouping.KIND)
    assert [(g.key, len(g.lessons)) for g in kinds] == [("fact", 1), ("preference", 3)]
    sessions = grouped(lessons, Grouping.SESSION)
    assert [(g.key, [one.id for one in g.lessons]) for g in sessions] == [
        ("s2", [1, 4]),
        ("s1", [2]),
        ("", [3]),
    ]


def test_how_often_and_when_a_lesson_was_said() -> None:
    said = lesson(1, "a", ("s1", 30), ("s1", 10), ("s2", None))
    assert (sessions_of(said), last_said(said)) == (2, 30)
    assert last_said(lesson(2, "b", ("s1", None))) is None
    assert (sessions_of(lesson(3, "c")), last_said(lesson(3, "c"))) == (0, None)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Please use pytest, not unittest", "Use pytest instead of unittest classes"),
        ("Tests live in tests/", "All the test files live in tests"),
        ("Use tabs, not spaces", "Use spaces, not tabs"),
        ("我更喜欢简短的提交。", "我更喜欢简短的提交信息。"),
        ("関数は30行以内にしてください", "関数は30行以内にすること"),
        ("Geldbeträge nie als Float speichern", "Geldbetraege nie als Float speichern"),
    ],
)
def test_nearly_the_same_words_are_found(one: str, other: str) -> None:
    assert near_copies(lesson(1, one), words_of(lesson(2, other))) != []


@pytest.mark.parametrize(
    "one, other",
    [
        ("Always run the tests before you commit", "Commit messages are in English"),
        ("We deploy on Fridays", "We deploy to Hetzner"),
        ("金额一律用整数", "我们的客户都在瑞士"),
        ("Use uv", "Use tabs"),
    ],
)
def test_other_sentences_are_not(one: str, other: str) -> None:
    assert near_copies(lesson(1, one), words_of(lesson(2, other))) == []


def test_the_nearest_stands_first_and_other_projects_do_not_count() -> None:
    own = lesson(1, "Cache keys carry the build version")
    near = lesson(2, "Cache keys carry a version of the schema", project="")
    nearest = lesson(3, "Cache keys carry the build version, always")
    elsewhere = lesson(4, "Cache keys carry the build version", project="/code/zoo")
    found = near_copies(own, words_of(own, near, nearest, elsewhere))
    assert found == words_of(nearest, near)
