import pytest

from archivist.domain.hidden import hides_something, visible, without_hidden


@pytest.mark.parametrize(
    "text, shown",
    [
        ("a\u200bb", "a⟪U+200B⟫b"),
        ("abc\u202edef", "abc⟪U+202E⟫def"),
        ("tag \U000e0041", "tag ⟪U+E0041⟫"),
        ("x\u00ady", "x⟪U+00AD⟫y"),
        ("esc \x1b[0m", "esc ⟪U+001B⟫[0m"),
        ("filler \u3164", "filler ⟪U+3164⟫"),
        ("a\ufe01", "a⟪U+FE01⟫"),
        ("a\u200db", "a⟪U+200D⟫b"),
        ("\u200d", "⟪U+200D⟫"),
        ("line\u2028end", "line⟪U+2028⟫end"),
    ],
)
def test_what_nobody_sees_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert hides_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain text, tab\tand `code`",
        "中文、日本語、Größe, façade\u00a0!",
        "family 👨\u200d👩\u200d👧 and ❤\ufe0f",
        "key 1\ufe0f\u20e3",
        "می\u200cخواهم",
        "क्\u200dष",
    ],
)
def test_what_belongs_to_a_script_or_an_emoji_stays(text: str) -> None:
    assert visible(text) == text
    assert not hides_something(text)


def test_hidden_characters_can_be_left_out() -> None:
    assert without_hidden("run\u200b the \u202etests 👩\u200d💻") == "run the tests 👩\u200d💻"
