"""What is typed into the search box of segments: any text is one, filters are read out of it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.segment_filter import (
    TIME_KEYS,
    SegmentFilter,
    parse_filter,
    project_name,
    with_word,
    without_filters,
    word_for,
)
from helpers.shared import ROOT

TODAY = date(2026, 11, 18)  # a Wednesday


def parsed(text: str) -> SegmentFilter:
    return parse_filter(text, today=TODAY)


def test_filters_are_taken_out_of_the_words() -> None:
    found = parsed('cache source:codex "two words" project:"my app" has:lesson is:open keys')
    assert found == SegmentFilter(
        words='cache "two words" keys',
        source="codex",
        project="my app",
        is_open=True,
        has_lessons=True,
    )
    assert found.narrows
    assert not parsed("cache keys").narrows


@pytest.mark.parametrize(
    "text, after, before",
    [
        ("after:2026-11-03", date(2026, 11, 3), None),
        ("before:2026-11-03", None, date(2026, 11, 3)),
        ("on:2026-11-03", date(2026, 11, 3), date(2026, 11, 4)),
        ("on:today", TODAY, date(2026, 11, 19)),
        ("on:yesterday", date(2026, 11, 17), TODAY),
        ("after:week", date(2026, 11, 16), None),
        ("after:month", date(2026, 11, 1), None),
        ("after:7d before:today", date(2026, 11, 11), TODAY),
    ],
)
def test_days_are_read(text: str, after: date | None, before: date | None) -> None:
    found = parsed(text)
    assert (found.after, found.before, found.words, found.unknown) == (after, before, "", ())


def test_what_is_no_filter_is_searched_as_text_and_said() -> None:
    found = parsed("after:soon http://x.example is:red on:2026-13-01 a:b")
    assert found.words == "after:soon http://x.example is:red on:2026-13-01 a:b"
    assert found.unknown == ("after:soon", "is:red", "on:2026-13-01")
    assert not found.narrows


def test_a_filter_that_is_still_being_typed_asks_for_nothing() -> None:
    assert parsed("cache source:") == SegmentFilter(words="cache")
    assert parsed("cache ").words == "cache "
    assert parsed("is:sealed").is_open is False


def test_a_filter_inside_quotation_marks_is_text() -> None:
    assert parsed('"is:open now"') == SegmentFilter(words='"is:open now"')


def test_filters_are_written_into_the_text() -> None:
    text = 'cache on:today "is:open" is:open'
    assert with_word(text, TIME_KEYS, "after:week") == 'cache "is:open" is:open after:week'
    assert with_word(text, ("is",), "") == 'cache on:today "is:open"'
    assert without_filters(text) == 'cache "is:open"'
    assert word_for("project", "my app") == 'project:"my app"'
    assert parsed(word_for("project", "my app")).project == "my app"


@pytest.mark.parametrize(
    "recorded, name", [("/home/a/code/api", "api"), ("C:\\code\\api\\", "api"), ("/", "/")]
)
def test_a_project_is_called_by_its_folder(recorded: str, name: str) -> None:
    assert project_name(recorded) == name


@given(st.text())
def test_no_text_is_wrong_and_no_word_is_lost(text: str) -> None:
    found = parse_filter(text, today=TODAY)
    plain = without_filters(found.words)
    assert all(word in text for word in plain.split())


def test_every_filter_of_the_manual_is_one() -> None:
    manual = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    rows = [line for line in manual.split("\n") if line.startswith("| `")]
    assert len(rows) == 7
    for row in rows:
        word = row.split("`")[1]
        assert parsed(word).narrows, word
        assert parsed(word).words == "", word
