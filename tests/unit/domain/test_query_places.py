"""Every word at once, and where in the original text a question is answered."""

import pytest

from archivist.domain.query import matches, parse_query, strict_expression


def marked(text: str, question: str) -> list[str]:
    return [text[span.start : span.end] for span in matches(text, parse_query(question))]


@pytest.mark.parametrize(
    "question, expression",
    [
        ("cache inval", '{words tools} : ("cache" AND ("inval" OR "inval" *))'),
        ('"small commits" x', '{words tools} : ("small commits" AND "x")'),
        ("缓存 压缩", '{words tools} : ("缓存" AND "压缩")'),
        ("cache. -redis", '{words tools} : (("cache") NOT "redis")'),
    ],
)
def test_every_word_is_asked_for(question: str, expression: str) -> None:
    assert strict_expression(parse_query(question)) == expression


def test_of_a_sentence_without_blanks_any_part_will_do() -> None:
    assert " OR " in str(strict_expression(parse_query("压缩上下文的问题")))


def test_nothing_asked_gives_no_expression() -> None:
    assert strict_expression(parse_query('  "" ')) is None


def test_words_are_found_whatever_their_ending_case_width_and_accent() -> None:
    text = "Caching the CACHE, cafés and CAFÉ, ｃａｃｈｅ"
    assert marked(text, "cache cafe ") == [
        "Caching", "CACHE", "cafés", "CAFÉ", "ｃａｃｈｅ",
    ]  # fmt: skip
    assert marked(text, "caching ") == ["Caching", "CACHE", "ｃａｃｈｅ"]


def test_a_match_covers_the_whole_word_and_begins_at_one() -> None:
    assert marked("invalidation revalidates", "inval") == ["invalidation"]


def test_a_phrase_is_marked_as_a_row_and_not_word_by_word() -> None:
    text = "small boats; small, commits. commits small"
    assert marked(text, '"small commits"') == ["small, commits"]


def test_chinese_is_marked_where_it_stands() -> None:
    assert marked("每次提交之前先提交", "提交") == ["提交", "提交"]
    assert marked("😀 每次 commit", "commit ") == ["commit"]
