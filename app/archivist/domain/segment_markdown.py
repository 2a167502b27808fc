"""A segment as Markdown.

What was said is quoted line by line: nothing in it can end its quote, so neither an open fence nor
a heading of a turn changes what follows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from archivist.domain.hidden import visible

_TICKS: Final = re.compile(r"`+")
_SIGNS: Final = re.compile(r"([\\`*_\[\]<>#|~&])")


@dataclass(frozen=True, slots=True)
class SaidMarkdown:
    """One turn: who spoke, when, the text, and a line about each tool (name, call, outcome)."""

    who: str
    when: str
    text: str
    tools: Sequence[tuple[str, str, str]] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SegmentMarkdown:
    """A segment in words for people. `meta` and `recap_head` are sentences of ours."""

    title: str
    meta: Sequence[str]
    recap_head: str
    recap: str | None
    turns: Sequence[SaidMarkdown]


def as_markdown(segment: SegmentMarkdown) -> str:
    """Return the document; hidden characters are spelt out, it ends with one new line."""
    lines = [f"# {_plain(segment.title)}", ""]
    lines += [f"- {_plain(line)}" for line in segment.meta]
    if segment.recap:
        lines += ["", f"## {_plain(segment.recap_head)}", "", *_quoted(segment.recap)]
    for turn in segment.turns:
        lines += ["", f"**{_plain(turn.who)}** · {_plain(turn.when)}", *_body(turn)]
    return "\n".join([*lines, ""])


def code(text: str) -> str:
    """Return a text on one line as inline code, whatever backticks it holds."""
    flat = visible(" ".join(text.split()))
    ticks = "`" * (max((len(run) for run in _TICKS.findall(flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def _body(turn: SaidMarkdown) -> Iterator[str]:
    if turn.text.strip():
        yield ""
        yield from _quoted(turn.text)
    if turn.tools or turn.notes:
        yield ""
    for name, call, outcome in turn.tools:
        yield "- " + " ".join(filter(None, [code(name), code(call), f"({_plain(outcome)})"]))
    yield from (f"- {_plain(note)}" for note in turn.notes)


def _quoted(text: str) -> list[str]:
    lines = re.split(r"\r\n|\r|\n", text.strip("\r\n"))
    return [f"> {visible(line)}".rstrip() for line in lines]


def _plain(text: str) -> str:
    """Return a text on one line in which no sign has a meaning to Markdown."""
    return _SIGNS.sub(r"\\\1", visible(" ".join(text.split())))
