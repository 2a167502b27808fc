"""A segment as Markdown, read back with a Markdown parser: what was said cannot leave its quote."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from archivist.domain.segment_markdown import SaidMarkdown, SegmentMarkdown, as_markdown, code

SEEN = MarkdownIt("commonmark")


def written(*texts: str, tools: tuple[tuple[str, str, str], ...] = ()) -> str:
    turns = [SaidMarkdown("You", "today 14:02", text, tools) for text in texts]
    return as_markdown(SegmentMarkdown("A *title*", ["Codex"], "Recap, by rules", "Done.", turns))


def headings(text: str) -> list[str]:
    tokens = SEEN.parse(text)
    return [
        tokens[place + 1].content
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def speakers(text: str) -> int:
    """Count the lines that say who spoke, outside of any quote."""
    tokens = SEEN.parse(text)
    return sum(t.type == "inline" and t.level == 1 and "**You**" in t.content for t in tokens)


def test_it_has_title_facts_recap_and_turns() -> None:
    assert written("Hello.\n\nBye.") == (
        "# A \\*title\\*\n\n- Codex\n\n## Recap, by rules\n\n> Done.\n\n"
        "**You** · today 14:02\n\n> Hello.\n>\n> Bye.\n"
    )


def test_an_open_fence_a_heading_and_a_comment_stay_in_their_turn() -> None:
    text = written("```python\nx = 1", "# Not ours\n<!-- and", "last")
    assert headings(text) == ["A \\*title\\*", "Recap, by rules"]
    assert speakers(text) == 3


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_nothing_that_is_said_ends_its_quote(texts: list[str]) -> None:
    text = written(*texts)
    assert headings(text) == ["A \\*title\\*", "Recap, by rules"]
    assert speakers(text) == len(texts)


def test_a_tool_is_one_line_of_code_whatever_it_was_asked() -> None:
    text = written("", tools=(("Bash", "echo `x`\nrm", "failed"),))
    assert text.endswith("- `Bash` ``echo `x` rm`` (failed)\n")
    assert code("`") == "`` ` ``"
    assert code("a`b") == "``a`b``"
    assert code("  ") == ""


def test_hidden_characters_are_spelt_out() -> None:
    text = written("a\u200bb\u202ec")
    assert "⟪U+200B⟫" in text
    assert not re.search("[\u200b\u202e]", text)
