from archivist.cli.demo_lines import counts, fit, lessons, segments, short
from archivist.domain.knowledge import Evidence, Lesson, LessonId, LessonState, SegmentRow
from archivist.domain.turns import SegmentId, TurnId

UUID = "82d8d6aa-7275-4193-9dc1-083c145bfe3e"


def row(start: int, *, session: str = UUID, project: str | None = "/code/shop") -> SegmentRow:
    return SegmentRow(
        id=SegmentId(f"seg-{start}"),
        session=session,
        source="codex",
        project=project,
        state="recapped",
        start=start,
        end=start,
        turns=3,
        reason="gap",
        recap="User: first line\nOutcome: second line",
        maker="rules",
        trouble=None,
    )


def lesson(text: str, *, said: str, turns: tuple[int, ...] = (7,)) -> Lesson:
    return Lesson(
        id=LessonId(1),
        category="fact",
        kind="fact",
        text=text,
        said=text,
        scope="project",
        project="/code/shop",
        state=LessonState.WAITING,
        confidence=0.9,
        lang="en",
        correction=False,
        untrusted=False,
        evidence=tuple(Evidence(TurnId(turn), UUID, said) for turn in turns),
    )


def test_sessions_have_short_names() -> None:
    assert short(UUID) == "82d8d6aa"
    assert short("rollout-2026-09-28T09-30-12-01a0e759") == "rollout-2026-09-28T09-30"


def test_a_text_fits_its_columns_in_any_script() -> None:
    assert fit("one\n two", 20) == "one two"
    assert fit("abcdef", 5) == "abcd…"
    assert fit("日本語の文", 10) == "日本語の文"
    assert fit("日本語の文", 8) == "日本語…"


def test_segments_stand_by_project_and_session_each_on_one_line() -> None:
    other = "9f17283e-58b3-4ace-8696-7625dc1e9b0d"
    rows = [
        row(1),
        row(2, project="/code/api"),
        row(3, session=other),
        row(4),
        row(5, project=None),
    ]
    lines = list(segments(rows))
    heads = [line.split()[:3] for line in lines if not line.startswith("    ")]
    assert heads == [
        ["shop", "codex", "82d8d6aa"],
        ["shop", "codex", "9f17283e"],
        ["api", "codex", "82d8d6aa"],
        ["no", "project", "codex"],
    ]
    assert len(lines) == len(heads) + len(rows)
    assert lines[1].endswith("3 turns  gap      [rules] User: first line Outcome: second line")


def test_a_lesson_shows_the_words_its_places_and_another_wording_only_where_there_is_one() -> None:
    same = lesson("We use tabs.", said="We use tabs", turns=(7, 9))
    changed = lesson("Use tabs.", said="No, use tabs")
    assert list(lessons([same, changed])) == [
        "  shop",
        "    fact        “We use tabs”  82d8d6aa turn 7, 82d8d6aa turn 9",
        "    fact        “No, use tabs”  82d8d6aa turn 7",
        "                worded: Use tabs.",
    ]


def test_counts_stand_in_one_line_the_largest_first() -> None:
    assert counts({"a": 1, "gap": 9, "b": 1}) == "gap 9, a 1, b 1"
