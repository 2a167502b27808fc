from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from archivist.domain.headings import Kind, Outline, outline, split_lines

MARKDOWN = MarkdownIt("commonmark").use(front_matter_plugin)

# Pieces that open, close or imitate blocks.
PIECES = """\
## A|# B #|### C ##|  ## D|   # E|    ## F|#nope|## |#|-|- a|- |* b|+ c|1. x|2) y|10. z|1.|>|>> q
> q|```|````|~~~|``` py|``` a`b|  ```|    ```|> ```|- ```|---|===|--|***|* * *|  ===|   ---|...
text|more text|  text||  |\t|\t## T|-\tx|  - in|    deep|      deeper|- ## h|-   ## h|-     ## h
<!-- c|-->|<!-- x -->|<div>|</div>|<b>|<span a='b'>|<pre>|</pre>|<script>|</script>|<?php|?>|<!X
<![CDATA[|]]>|- - x|> - y|> ## h|  > z|- > w""".replace("\n", "|").split("|")
INDENTS = ["", "", "", "", "  ", "> ", "- ", "    ", "   ", "1. "]

LINES = st.builds(lambda indent, piece: indent + piece, *map(st.sampled_from, (INDENTS, PIECES)))
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def headings(doc: Outline) -> list[tuple[int, int, int, list[str]]]:
    return [(h.start, h.end, h.level, h.title.split()) for h in doc.headings]


def expected_headings(text: str) -> Iterator[tuple[int, int, int, list[str]]]:
    tokens = MARKDOWN.parse(text)
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = tokens[number + 1].content.split()
            yield (token.map[0], token.map[1], int(token.tag[1]), title)


def outer_bullets(tokens: list[Token]) -> list[int]:
    depth_one = [t for t in tokens if t.type == "list_item_open" and t.level == 1]
    return [t.map[0] for t in depth_one if t.markup in {"-", "+", "*"} and t.map]


def is_read_differently(lines: list[str]) -> bool:
    """Where markdown-it departs from CommonMark: code-deep lines after a line of a quote."""
    quoted = [">" in line for line in lines]
    deep = [line.expandtabs(4).startswith("    ") for line in lines]
    return any(deep) and any(quoted)


@given(st.lists(LINES, max_size=9), ENDS, st.sampled_from(["", "\n"]))
@example(["- ```", "## In no code", "```"], "\n", "")
@example(["---", "name: x", "---", "# T"], "\n", "\n")
def test_headings_are_those_of_commonmark(lines: list[str], end: str, last: str) -> None:
    assume(not is_read_differently(lines))
    text = end.join(lines) + last
    assert headings(outline(text.encode())) == [*expected_headings(text)]


@given(st.lists(LINES, max_size=9))
def test_outer_bullets_are_those_of_commonmark(lines: list[str]) -> None:
    assume(not is_read_differently(lines))
    text = "\n".join(lines)
    found = [n for n, line in enumerate(outline(text.encode()).lines) if line.bullet]
    assert found == outer_bullets(MARKDOWN.parse(text))


@given(st.binary(max_size=60) | st.text("a\r\n\x0b\x0c\x85\u2028 ", max_size=40).map(str.encode))
def test_lines_keep_every_byte_and_end_only_at_line_ends(data: bytes) -> None:
    lines = split_lines(data)
    assert b"".join(lines) == data
    for line in lines:
        body = line.removesuffix(b"\n").removesuffix(b"\r")
        assert b"\n" not in body
        assert b"\r" not in body
    assert len(outline(data).lines) == len(lines)


def kinds(text: str) -> str:
    names = {Kind.BLANK: ".", Kind.TEXT: "t", Kind.HEADING: "h", Kind.CODE: "c"}
    names |= {Kind.HTML: "x", Kind.FRONT: "f"}
    return "".join(names[line.kind] for line in outline(text.encode()).lines)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("---\nname: x\n---\n## A\n", "fffh"),
        ("---\nname: x\n...\n## A\n", "fffh"),
        ("---\nname: never closed\n## A\n", "tth"),
        ("\ufeff---\nname: x\n---\n# A", "fffh"),
        ("```\n## code\n```\n## A\n", "ccch"),
        ("````\n```\n## code\n````\n", "cccc"),
        ("~~~ md\n```\n## code\n~~~", "cccc"),
        ("<!-- a\n\n## hidden\n-->\n## A", "xxxxh"),
        ("Title\nof two lines\n---\n\ntext", "hhh.t"),
        ("    ## code\n", "c"),
        ("- a\n\n  ## in the item\n\n## A", "t.t.h"),
        ("## A\r\n\r\ntext\r\n", "h.t"),
        ("## A\r\rtext\r", "h.t"),
    ],
)
def test_kinds_of_lines(text: str, expected: str) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text, line",
    [
        ("## A\n```\ncode", 1),
        ("a\n<!-- never closed\n\n## B\n", 1),
        ("- a\n  ```\n  code", None),
        ("```\ncode\n```\n", None),
        ("<div>\nends at a blank line", None),
        ("text", None),
    ],
)
def test_a_block_left_open_is_found(text: str, line: int | None) -> None:
    assert outline(text.encode()).open_at == line


def test_what_stands_before_the_text_of_a_bullet() -> None:
    doc = outline(b"* one\n  more\n\n  -   two\n1. three\n")
    assert [line.bullet for line in doc.lines] == ["* ", "", "", "", ""]
    doc = outline(b" -   two\n")
    assert [line.bullet for line in doc.lines] == [" -   "]
    assert [line.in_bullet for line in outline(b"- a\nlazy\n\n> q\n").lines] == [
        *(True, True),
        *(True, False),
    ]
