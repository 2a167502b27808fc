"""Find what stands in a user turn but is not the person's own words.

Code, quoted lines, logs, traces, diffs, terminal output, tables, tagged blocks, and long pieces of
marked-up text that an assistant or a document said. What is left may be read for cues.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

Span = tuple[int, int]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?:\s[^<>]{0,200})?>|<!--|-->", re.IGNORECASE)

_LEVEL = r"(?:error|warn(?:ing)?|info|debug|fatal|trace|critical|notice|log)"
_LOG_LINE = re.compile(
    rf"""\s*(?:
      \[?\d{{4}}-\d\d-\d\d[T\ ]\d\d:\d\d         # 2026-03-05T08:43
    | \[\d\d:\d\d(?::\d\d)?[\].,]                # [17:39:14]
    | \d\d:\d\d:\d\d[.,\s]
    | \[{_LEVEL}\] | time="\d | level={_LEVEL}
    | (?:error|warning|debug|fatal|critical)\s?(?:\[|:\s|\|\s)
    | {_LEVEL}\s?\[ | error\ ?[A-Z]*\d{{2,}}:
    | (?-i:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b[:\s] | (?-i:fail|info|warn|dbug|crit):\s[\w.]+\[
    | \S+\.[a-z]{{1,4}}:\d+ | [\w$.()\[\]\ ]+\s@\s\S+ | \S+\?\S+=\S*
    | npm\ (?:err!|warn) | ==>\s | Caused\ by: | Traceback\ \(most | File\ "[^"]+",\ line\ \d
    | at\ [\w.$<>\[\]]+\s?\(.*\) | at\ \S+:\d+:\d+ | at\ (?:async|new)\ \S+\ \(
    | [\w.]*[A-Za-z](?:Error|Exception|Warning):\s
    | [✓✗✘✔×]\s | (?-i:PASS|FAIL)\s+\S+\.\w+ | (?:not\ )?ok\ \d+\ -\s
    | [=_*\#~-]{{6,}}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SHELL_LINE = re.compile(
    r"\s*(?:\$ \S|PS [A-Z]:\\|>>+ |[A-Z]:\\[^>\n]*>|[\w.-]+@[\w.-]+[:~][^$#\n]{0,60}[$#] "
    r"|[❯➜] |curl -|-H ')"
)
_CODE_LINE = re.compile(
    r"""\s*(?:
      [\])}([{,;]+\s*$ | [^{]*\{\s*$ | [^;(=]*[(=].*;\s*$ | .*=>\s*[({]?\s*$
    | import\s+[\w{*"'][\w\s{},*.]*\s+from\s+["'] | import\s+[\w.]+;?\s*$ | from\s+[\w.]+\s+import\b
    | (?:export\s+)?(?:const|let|var)\s+[\w{\[][^=]{0,60}=
    | (?:async\s+)?def\s+\w+\( | class\s+\w+[\w\s(),.:<>]*[{:]\s*$
    | (?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\w*\( | return\b.*;\s*$
    | (?:public|private|protected|static)\s+\w.*[({;] | (?:package|using)\s+[\w.]+;
    | \#include\s*[<"]
    | SELECT\s.*\bFROM\b | INSERT\s+INTO\s | CREATE\s+TABLE\s | ALTER\s+TABLE\s
    | ["'][\w$.@/-]+["']\s*: | [\w$]+(?:\.[\w$]+)+\(.*\)[;,]?\s*$ | \.\w+\(.*
    | </?[a-zA-Z][^>]*>\s*$ | @\w+\(.*\)\s*$ | // | /\*
    )""",
    re.VERBOSE,
)
# Alone it may be anyone's ("port: 8443"); two together are a file.
_PAIR_LINE = re.compile(r"\s*(?:- )?[\w$.@-]+\s*[:=]\s*\S*\s*$|\s*[\w$.:\[\]]+,\s*$")
_QUOTED = re.compile(r"[ \t]*>")
_DIFF_HEAD = re.compile(r"(?:diff --git |@@ -\d|\+\+\+ [ab]/|--- [ab]/|index [0-9a-f]{7,}\.\.)")
_DIFF_LINE = re.compile(r"[+-]\S|[+-]\s{2,}")
_TABLE_LINE = re.compile(r"\s*\|.*\|\s*$|[^─-╿]*[─-╿]{2}|[^─-╿]*[─-╿][^─-╿]+[─-╿]")
_SYMBOLS = re.compile(r"[{}\[\]()<>=;:/\\|_\"'$&*+#@^~`%]")
_MARKED_UP = re.compile(
    r"\s*(?:#{1,6}\s+\S|-{3,}\s*$|[⏺●◆■✅❌⚠🎯🔧📋🚀💡📌🔍✨]|(?:[-*•]|\d+[.)])?\s*\*\*[^*\n]+\*\*)"
)

_MIN_DOCUMENT: Final = 300
_MIN_MARKS: Final = 3
_OWN_PARAGRAPH: Final = 240
_MAX_SYMBOLS: Final = 0.24
_MIN_SYMBOLS_LINE: Final = 16
# Enough of a line to see what it is; no person types a line of the second length.
_LOOK_AT: Final = 400
_NOBODY_TYPES: Final = 5_000
# Text beyond this was pasted, whatever it looks like; the person speaks before and after it.
_ENDLESS: Final = 12_000
_AROUND_PASTE: Final = 1_500


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def foreign_spans(text: str) -> tuple[Span, ...]:
    """Return the spans, in order and apart, that are not the person's own words."""
    lines = list(_lines(text))
    foreign = _fenced(lines)
    foreign += _tagged(text)
    open_lines = _outside(lines, _merged(foreign))
    foreign += [(line.start, line.end) for line in _machine_lines(open_lines)]
    foreign += _documents(open_lines)
    return _merged([*foreign, *_endless(open_lines)])


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for piece in text.splitlines(keepends=True):
        yield _Line(start, start + len(piece), piece.rstrip("\r\n"))
        start += len(piece)


def _tagged(text: str) -> list[Span]:
    """Tagged blocks and comments: over several lines, or with the tag of a tool (`<a-b>`)."""
    spans: list[Span] = []
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        closes, name = tag.group(1) == "/" or tag.group() == "-->", tag.group(2) or "<!--"
        if not closes:
            opened.setdefault(name.lower(), tag.start())
        elif (start := opened.pop(name.lower(), None)) is not None and (
            "\n" in text[start : tag.start()] or not name.isalnum()
        ):
            spans.append((start, tag.end()))
    return spans


def _outside(lines: Sequence[_Line], spans: Sequence[Span]) -> list[_Line]:
    """The lines that do not lie in one of the spans, which are in order and apart."""
    starts = [start for start, _ in spans]
    kept: list[_Line] = []
    for line in lines:
        at = bisect_right(starts, line.start) - 1
        if at < 0 or line.end > spans[at][1] + 1:
            kept.append(line)
    return kept


def _fenced(lines: Sequence[_Line]) -> list[Span]:
    """Fenced blocks; a fence that is never closed runs to the end of the text."""
    spans: list[Span] = []
    opened: tuple[int, str] | None = None
    for line in lines:
        fence = _FENCE.match(line.text)
        if opened is None and fence:
            opened = (line.start, fence.group(1))
        elif opened is not None and fence and fence.group(1).startswith(opened[1]):
            # Own words may follow the closing fence on the same line.
            spans.append((opened[0], line.start + fence.end()))
            opened = None
    if opened is not None and lines:
        spans.append((opened[0], lines[-1].end))
    return spans


def _machine_lines(lines: Sequence[_Line]) -> list[_Line]:
    """Lines that a program wrote, with the text lines that stand between two of them."""
    is_diff = any(_DIFF_HEAD.match(line.text) for line in lines)
    flags = [_is_machine(line.text, is_diff=is_diff) for line in lines]
    pairs = [flag or bool(_PAIR_LINE.match(at.text)) for flag, at in zip(flags, lines, strict=True)]
    flags = [
        pair and (flag or any(pairs[max(0, i - 1) : i]) or any(pairs[i + 1 : i + 2]))
        for i, (flag, pair) in enumerate(zip(flags, pairs, strict=True))
    ]
    marked = [index for index, flag in enumerate(flags) if flag]
    for before, after in pairwise(marked):
        between = range(before + 1, after)
        solid = _run(flags, before, -1) + _run(flags, after, 1) >= 3
        if 0 < len(between) <= 2 and solid and all(lines[i].text.strip() for i in between):
            for index in between:
                flags[index] = True
    return [line for line, flag in zip(lines, flags, strict=True) if flag]


def _run(flags: Sequence[bool], index: int, step: int) -> int:
    """How many flagged lines stand together from `index` on, counted up to three."""
    count = 0
    while 0 <= index < len(flags) and flags[index] and count < 3:
        index, count = index + step, count + 1
    return count


def _is_machine(line: str, *, is_diff: bool) -> bool:
    if not line.strip():
        return False
    if len(line) > _NOBODY_TYPES:
        return True
    line = line[:_LOOK_AT]
    if _QUOTED.match(line) or _LOG_LINE.match(line) or _SHELL_LINE.match(line):
        return True
    if _CODE_LINE.match(line) or _TABLE_LINE.match(line):
        return True
    if is_diff and (_DIFF_HEAD.match(line) or _DIFF_LINE.match(line)):
        return True
    dense = line.replace(" ", "")
    return len(dense) >= _MIN_SYMBOLS_LINE and (
        len(_SYMBOLS.findall(dense)) > _MAX_SYMBOLS * len(dense)
    )


def _documents(lines: Sequence[_Line]) -> list[Span]:
    """The marked-up text of an answer or document; a short first and last paragraph stay."""
    marks = [index for index, line in enumerate(lines) if _MARKED_UP.match(line.text)]
    length = sum(len(line.text) for line in lines)
    if len(marks) < _MIN_MARKS or length < _MIN_DOCUMENT:
        return []
    first, last = 0, len(lines) - 1
    head = _paragraph_end(lines, first)
    if head < marks[0] and _is_short(lines[first : head + 1]):
        first = head + 1
    tail = _paragraph_start(lines, last)
    if tail > marks[-1] and tail > first and _is_short(lines[tail : last + 1]):
        last = tail - 1
    return [(lines[first].start, lines[last].end)] if first <= last else []


def _endless(lines: Sequence[_Line]) -> list[Span]:
    if not lines or sum(len(line.text) for line in lines) <= _ENDLESS:
        return []
    head, tail = lines[0].start + _AROUND_PASTE, lines[-1].end - _AROUND_PASTE
    middle = [line for line in lines if line.start >= head and line.end <= tail]
    return [(middle[0].start, middle[-1].end)] if middle else []


def _paragraph_end(lines: Sequence[_Line], index: int) -> int:
    while index + 1 < len(lines) and lines[index + 1].text.strip():
        index += 1
    return index


def _paragraph_start(lines: Sequence[_Line], index: int) -> int:
    while index > 0 and lines[index - 1].text.strip():
        index -= 1
    return index


def _is_short(paragraph: Sequence[_Line]) -> bool:
    return sum(len(line.text) for line in paragraph) <= _OWN_PARAGRAPH


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return tuple(merged)
