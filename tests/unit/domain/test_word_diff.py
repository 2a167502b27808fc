import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.snippets import Span
from archivist.domain.word_diff import changed_words


def marked(text: str, spans: tuple[Span, ...]) -> str:
    """Put brackets around the spans."""
    for span in reversed(spans):
        inside = text[span.start : span.end]
        text = f"{text[: span.start]}[{inside}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(
    "old, new",
    [
        ("- Answer in [English].", "- Answer in [Chinese]."),
        ("- Use pytest.", "- Use pytest[, never unittest]."),
        ("- Keys carry [the old] version", "- Keys carry [a new] version"),
        ("- 缓存键带[构建]版本", "- 缓存键带[发布]版本"),
        ("- コミットは小さく[する]", "- コミットは小さく[しない]"),
        ("- run the tests", "- run[⟪U+200B⟫] the tests"),
        ("- naïve [☕] café", "- naïve [🍵] café"),
    ],
)
def test_the_words_that_changed(old: str, new: str) -> None:
    bare = [text.replace("[", "").replace("]", "") for text in (old, new)]
    gone, come = changed_words(*bare)
    assert (marked(bare[0], gone), marked(bare[1], come)) == (old, new)


def test_lines_with_nothing_in_common_are_not_marked_at_all() -> None:
    assert changed_words("Small commits", "Überall Deutsch antworten") == ((), ())


def test_a_blank_alone_is_no_changed_word() -> None:
    assert changed_words("one two", "one  two") == ((), ())


@given(st.text(max_size=40), st.text(max_size=40))
def test_spans_lie_in_their_line_and_never_touch(old: str, new: str) -> None:
    for text, spans in zip((old, new), changed_words(old, new), strict=True):
        ends = [-1, *(span.end for span in spans)]
        assert all(end < span.start < span.end for end, span in zip(ends, spans, strict=False))
        assert all(span.end <= len(text) for span in spans)
