"""What a memory file should say more, and where in it: lessons become bullets under our headings.

Lines that a person wrote are never changed, moved or joined; a bullet that we wrote may give way to
a new wording. Every other byte stays. Files are bytes, and None is a file that does not exist.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from archivist.domain.headings import BOM, Heading, Kind, Outline, outline, split_lines
from archivist.domain.hidden import hides_something
from archivist.domain.hunks import Change, Conflict, apply_changes, merge, unified
from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.lessons import normal_form

MEMORY_FILES: Final = frozenset({"MEMORY.md", "SKILL.md"})
"""The base names that may be written, exactly so."""

MAX_BYTES: Final = 1_000_000

TITLES: Final[Mapping[str, str]] = {
    "pattern": "Patterns",
    "mistake": "Mistakes",
    "preference": "Preferences",
    "fact": "Facts",
    "decision": "Decisions",
}
"""The heading of each category of lessons, at level 2."""

_ITEM = re.compile(r" *(?:[-+*]|\d{1,9}[.)])(?: +(?:\[[ xX]\] +)?|$)")

# What tries to command a model rather than to tell a rule of the work.
_ORDER = re.compile(
    r"""
      \b(?:ignore|disregard|forget|override)\b.{0,20}
      \b(?:all|any|above|earlier|everything|preceding|previous|prior|system|your)\b.{0,30}
      \b(?:guidelines?|instructions?|messages?|prompts?|rules?)\b
    | \byou\ are\ now\b | \bnew\ system\ (?:prompt|message)\b
    | \b(?:print|repeat|reveal|show)\b.{0,20}\bsystem\ prompt\b
    | \b(?:do\ not|don't|never)\ (?:tell|inform|mention|show)\b.{0,30}\b(?:user|human|person)\b
    | </?(?:system|assistant|user|instructions?|tool_result)\b
    | \b(?:curl|wget)\b.{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b
    | \b(?:ignorier\w*|missachte\w*|vergiss)\b.{0,20}
      \b(?:alle|bisherig\w*|früher\w*|obig\w*|vorherig\w*)\b.{0,20}
      \b(?:anweisung|instruktion|regel|vorgabe)\w*
    | \b(?:ignora|ignore|ignorez|olvida|oubliez?)\b.{0,20}
      \b(?:instrucciones|instructions|consignes|reglas)\b.{0,20}
      \b(?:anteriores|previas|pr[ée]c[ée]dentes|ant[ée]rieures|ci-dessus)
    | (?:忽略|无视|無視|忘记|忘掉).{0,6}(?:以上|之前|先前|上面|所有|前面).{0,8}
      (?:指令|指示|提示|规则|規則|要求)
    | (?:これまで|以前|上記|前|すべて|全て)の.{0,6}
      (?:指示|命令|プロンプト|ルール).{0,6}(?:無視|忘れ)
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Unfit(StrEnum):
    """Why a file cannot take lessons."""

    NOT_TEXT = "not UTF-8 text"
    TOO_LARGE = "too large"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One bullet to add under a heading; it can be placed whatever becomes of the other hunks.

    `removed` is the bullet of ours that says the same in older words, or "": it gives way while it
    stands as we wrote it. `preselected` is false where a person must look twice: the words come
    from outside, hide characters, or read like an order to a model.
    """

    heading: str
    added: str
    lessons: tuple[LessonId, ...]
    preselected: bool
    removed: str = ""


def fingerprint(data: bytes | None) -> str | None:
    """Return the hex SHA-256 of a file, None where there is none."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def unfit(data: bytes | None) -> Unfit | None:
    """Return why lessons cannot be added to a file."""
    if data is None:
        return None
    if len(data) > MAX_BYTES:
        return Unfit.TOO_LARGE
    try:
        return Unfit.NOT_TEXT if "\0" in data.decode() else None
    except UnicodeDecodeError:
        return Unfit.NOT_TEXT


def blocked(data: bytes | None, titles: Sequence[str]) -> int | None:
    """Return the line (from 1) of a block left open that new headings would fall into."""
    doc = _outline(data)
    if doc.open_at is None or all(_find(doc, title) for title in titles):
        return None
    return doc.open_at + 1


def propose(
    data: bytes | None, lessons: Sequence[Lesson], own: Mapping[LessonId, str] | None = None
) -> tuple[Hunk, ...]:
    """Return one hunk for each lesson that the file does not hold yet, in the order of headings.

    `own`: the bullets that we, and nobody else, added for lessons that have other words by now.
    """
    doc = _outline(data)
    there = _said(doc)
    found: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        if _key(lesson.text) not in there:
            found.setdefault(_key(lesson.text), []).append(lesson)
    order = list(TITLES.values())
    wanted = {_key(lesson.text) for lesson in lessons}
    outdated = {
        ident: bullet
        for ident, bullet in (own or {}).items()
        if _key(bullet.removeprefix("- ")) not in wanted and _standing(doc, bullet) is not None
    }
    hunks: list[Hunk] = []
    for group in found.values():
        if group[0].category in TITLES:
            taken = {hunk.removed for hunk in hunks}
            olds = [outdated[one.id] for one in group if one.id in outdated]
            old = next((bullet for bullet in olds if bullet not in taken), "")
            hunks.append(_hunk(group, removed=old))
    return tuple(sorted(hunks, key=lambda hunk: order.index(hunk.heading)))


def bullet_of(lesson: Lesson) -> str:
    """Return the line that says a lesson, with the marker that we use where no other is in use."""
    return f"- {_one_line(lesson.text)}"


def holds(data: bytes | None, bullet: str) -> bool:
    """Tell whether a file has a bullet of exactly these words."""
    return bool(_places(_outline(data), bullet))


def _hunk(lessons: Sequence[Lesson], *, removed: str) -> Hunk:
    text = _one_line(lessons[0].text)
    doubtful = (
        any(lesson.untrusted for lesson in lessons)
        or hides_something(text)
        or reads_like_an_order(text)
    )
    return Hunk(
        heading=TITLES[lessons[0].category],
        added=bullet_of(lessons[0]),
        lessons=tuple(lesson.id for lesson in lessons),
        preselected=not doubtful,
        removed=removed,
    )


def _one_line(text: str) -> str:
    """Return the text on one line, without the controls that would end or break a line."""
    words = " ".join(text.split())
    return "".join(char for char in words if unicodedata.category(char) != "Cc")


def reads_like_an_order(text: str) -> bool:
    """Tell whether a text tries to command a model, by its shape."""
    return _ORDER.search(unicodedata.normalize("NFKC", text)) is not None


def place(data: bytes | None, hunks: Sequence[Hunk]) -> bytes:
    """Return the file with the hunks in it; a bullet that it holds already is not added again.

    A file that is `blocked` for a heading must not be given here.
    """
    result = data or b""
    added: list[Hunk] = []
    for hunk in hunks:
        doc = _outline(result)
        change = _replacement(doc, hunk)
        if change is None:
            added.append(hunk)
        else:
            result = _changed(result, doc, change)
    for title, bullets in _by_heading(added):
        doc = _outline(result)
        there = _said(doc)
        fresh = [bullet for bullet in bullets if _key(bullet.removeprefix("- ")) not in there]
        if fresh:
            result = _changed(result, doc, _insertion(doc, title, fresh))
    return result


def _changed(data: bytes, doc: Outline, change: Change) -> bytes:
    bom = BOM if data.startswith(BOM) else b""
    return bom + b"".join(apply_changes(doc.raw, [change]))


def rebase(base: bytes | None, current: bytes | None, hunks: Sequence[Hunk]) -> bytes | Conflict:
    """Return the file as it is now with hunks that were proposed on an older state of it.

    A hunk belongs under its heading, wherever that is now. Where the heading is gone, a three-way
    merge finds the place by the lines around it, or there is a conflict.
    """
    before, now = _outline(base), _outline(current)
    lost = [
        hunk
        for hunk in hunks
        if _find(before, hunk.heading)
        and not _find(now, hunk.heading)
        and _replacement(now, hunk) is None
    ]
    if not lost:
        return place(current, hunks)
    only_added = [replace(hunk, removed="") for hunk in lost]
    merged = merge(base or b"", place(base, only_added), current or b"")
    if isinstance(merged, Conflict):
        return merged
    return place(merged, [hunk for hunk in hunks if hunk not in lost])


def hunk_changes(data: bytes | None, hunks: Sequence[Hunk]) -> tuple[list[bytes], list[Change]]:
    """Return the lines of the file, and what each hunk alone would change in them."""
    doc = _outline(data)
    return list(doc.raw), [
        _replacement(doc, hunk) or _insertion(doc, hunk.heading, [hunk.added]) for hunk in hunks
    ]


def hunk_diffs(data: bytes | None, hunks: Sequence[Hunk]) -> list[str]:
    """Return what each hunk alone would change, as unified diffs without file names."""
    old, changes = hunk_changes(data, hunks)
    return [
        unified(old, change, title=f"## {hunk.heading}")
        for hunk, change in zip(hunks, changes, strict=True)
    ]


def _by_heading(hunks: Sequence[Hunk]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for hunk in hunks:
        groups.setdefault(hunk.heading, []).append(hunk.added)
    yield from groups.items()


def _outline(data: bytes | None) -> Outline:
    return outline((data or b"").removeprefix(BOM))


def _find(doc: Outline, title: str) -> Heading | None:
    """Return the first heading of level 2 with this title."""
    wanted = title.casefold()
    found = (h for h in doc.headings if h.level == 2 and h.title.rstrip(":").casefold() == wanted)
    return next(found, None)


def _replacement(doc: Outline, hunk: Hunk) -> Change | None:
    """Return the change of the outdated bullet into the new one; None when it does not stand."""
    number = _standing(doc, hunk.removed) if hunk.removed else None
    if number is None:
        return None
    text = hunk.added.removeprefix("- ")
    if _key(text) in _said(doc):
        return Change(number, number + 1, ())
    end = doc.raw[number][len(doc.raw[number].rstrip(b"\r\n")) :]
    line = (doc.lines[number].bullet + text).encode(errors="replace") + end
    return Change(number, number + 1, (line,))


def _standing(doc: Outline, bullet: str) -> int | None:
    """Return where a bullet stands in exactly these words; None also when it does more than once.

    Of two such lines one may be a person's.
    """
    places = _places(doc, bullet)
    return places[0] if len(places) == 1 else None


def _places(doc: Outline, bullet: str) -> list[int]:
    text = bullet.removeprefix("- ")
    return [
        start
        for start, end, _ in _items(doc)
        if end == start + 1
        and (marker := doc.lines[start].bullet)
        and doc.raw[start].decode(errors="replace").rstrip("\r\n") == marker + text
    ]


def _insertion(doc: Outline, title: str, bullets: Sequence[str]) -> Change:
    heading = _find(doc, title)
    if heading is None:
        gap = [""] if doc.lines and doc.lines[-1].kind is not Kind.BLANK else []
        return _insert(doc, len(doc.raw), [*gap, f"## {title}", "", *bullets])
    end = _body_end(doc, heading)
    listed = [n for n in range(heading.end, end) if _is_listed(doc, n)]
    if listed:
        marks = [doc.lines[n].bullet for n in listed if doc.lines[n].bullet]
        texts = [marks[-1] + bullet.removeprefix("- ") for bullet in bullets]
        at = listed[-1] + 1
        return _insert(doc, at, [*texts, *([""] if _would_join(doc, at) else [])])
    filled = [n for n in range(heading.end, end) if doc.lines[n].kind is not Kind.BLANK]
    at = filled[-1] + 1 if filled else heading.end
    is_tight = at < len(doc.lines) and doc.lines[at].kind is not Kind.BLANK
    texts = [_indent_before(doc, at) + bullet for bullet in bullets]
    return _insert(doc, at, ["", *texts, *([""] if is_tight else [])])


def _would_join(doc: Outline, at: int) -> bool:
    """Tell whether the line there could go on with a bullet put before it: any text could."""
    is_heading = any(h.start == at and h.end == at + 1 for h in doc.headings)
    return at < len(doc.lines) and doc.lines[at].kind is not Kind.BLANK and not is_heading


def _indent_before(doc: Outline, at: int) -> str:
    """Return the indentation that keeps the next line, if it is indented, out of our bullet."""
    following = (n for n in range(at, len(doc.lines)) if doc.lines[n].kind is not Kind.BLANK)
    number = next(following, None)
    return "" if number is None or not doc.raw[number].startswith((b"  ", b" \t")) else "  "


def _body_end(doc: Outline, heading: Heading) -> int:
    """Return the line after the heading's own text: before the next heading, or an open block."""
    ends = [h.start for h in doc.headings if h.start >= heading.end]
    if doc.open_at is not None and doc.open_at >= heading.end:
        ends.append(doc.open_at)
    return min(ends, default=len(doc.raw))


def _is_listed(doc: Outline, number: int) -> bool:
    line = doc.lines[number]
    return line.in_bullet and line.kind is not Kind.BLANK


def _insert(doc: Outline, at: int, texts: Sequence[str]) -> Change:
    """Return the insertion of lines, with the line ends used there."""
    end = _line_end(doc, at)
    lines = [text.encode(errors="replace") + end for text in texts]
    if at and not doc.raw[at - 1].endswith((b"\r", b"\n")):
        # The file has no newline at its end, and keeps that.
        lines[-1] = lines[-1].removesuffix(end)
        return Change(at - 1, at, (doc.raw[at - 1] + end, *lines))
    return Change(at, at, tuple(lines))


def _line_end(doc: Outline, at: int) -> bytes:
    for line in (*doc.raw[max(0, at - 1) : at], *doc.raw):
        if end := line[len(line.rstrip(b"\r\n")) :]:
            return end
    return b"\n"


def _said(doc: Outline) -> set[str]:
    """Return what the file says, in the form that is compared: one key a bullet or paragraph."""
    return {_key(text) for _, _, text in _items(doc)}


def _items(doc: Outline) -> Iterator[tuple[int, int, str]]:
    """Yield each bullet and paragraph: its lines from and to (exclusive), and its words."""
    start, words = 0, list[str]()
    for number, (line, raw) in enumerate(zip(doc.lines, doc.raw, strict=True)):
        text = raw.decode(errors="replace").strip("\r\n")
        marker = _ITEM.match(text)
        if line.kind is not Kind.TEXT or marker:
            yield start, number, "".join(words)
            start, words = number, []
        if line.kind is Kind.TEXT:
            start = start if words else number
            words.append(text[marker.end() :] if marker else text)
    yield start, len(doc.lines), "".join(words)


def _key(text: str) -> str:
    """Return the form by which two wordings say the same; spacing, too, does not matter."""
    return normal_form(text).replace(" ", "") or text.strip()


def append(data: bytes | None, content: str) -> bytes:
    """Return the file with content at its end, on lines of its own. Nothing is compared."""
    doc = outline(data or b"")
    end = _line_end(doc, len(doc.raw))
    open_line = bool(doc.raw) and not doc.raw[-1].endswith((b"\r", b"\n"))
    return (data or b"") + (end if open_line else b"") + _with_ends(content, end) + end


def replace_section(data: bytes | None, title: str, content: str) -> bytes:
    """Return the file with new content under the heading `## title`, which is made if missing.

    The old content goes up to the next heading of level 1 or 2, with its own lower headings.
    Blank lines around it stay. Empty content leaves an empty section.
    """
    doc = outline(data or b"")
    heading = next((h for h in doc.headings if h.level == 2 and h.title == title), None)
    if heading is None:
        gap = "\n" if doc.lines and doc.lines[-1].kind is not Kind.BLANK else ""
        return append(data, f"{gap}## {title}\n{content}")
    ends = (h.start for h in doc.headings if h.start >= heading.end and h.level <= 2)
    stop = next(ends, len(doc.raw))
    filled = [n for n in range(heading.end, stop) if doc.lines[n].kind is not Kind.BLANK]
    start, stop = (filled[0], filled[-1] + 1) if filled else (heading.end, heading.end)
    end = _line_end(doc, heading.end)
    body = _with_ends(content, end)
    before, after = b"".join(doc.raw[:start]), b"".join(doc.raw[stop:])
    if body and not before.endswith((b"\r", b"\n")):
        before += end
    had_end = after or (data or b"").endswith((b"\r", b"\n"))
    return before + body + (end if body and had_end else b"") + after


def _with_ends(content: str, end: bytes) -> bytes:
    lines = split_lines(content.encode(errors="replace"))
    return b"".join(line.rstrip(b"\r\n") + (end if line[-1:] in b"\r\n" else b"") for line in lines)
