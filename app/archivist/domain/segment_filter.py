"""What a person types to find segments: plain words, and words that filter.

`source:codex project:api-server after:2026-11-01 before:today on:yesterday is:open has:lesson`.
No text is wrong: what looks like a filter and is none is searched as text. Days are those of the
person's calendar; the caller says which day it is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

_TOKEN: Final = re.compile(
    r'(?<!\S)(?P<key>[a-z]+):(?P<value>"[^"]*"?|\S*)|["“„«「『][^"“”»」』]*["“”»」』]?|[^\s"“„«「『]+'
)
_SINCE: Final = re.compile(r"(?P<count>\d{1,4})d")
_DAY: Final = timedelta(days=1)
TIME_KEYS: Final = ("after", "before", "on")


@dataclass(frozen=True, slots=True)
class SegmentFilter:
    """The filters and the words to search. `before` is the first day that is out.

    unknown: what looks like a filter and is searched as text.
    """

    words: str = ""
    source: str | None = None
    project: str | None = None
    after: date | None = None
    before: date | None = None
    is_open: bool | None = None
    has_lessons: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def narrows(self) -> bool:
        """Whether anything but words is asked for."""
        return self != SegmentFilter(words=self.words, unknown=self.unknown)


def parse_filter(text: str, *, today: date) -> SegmentFilter:
    """Parse what was typed; of two filters of one kind the later one counts."""
    found = SegmentFilter()
    words: list[str] = []
    for token in _TOKEN.finditer(text):
        key, value = token["key"], (token["value"] or "").strip('"')
        narrowed = _narrowed(found, key, value, today) if key else None
        if narrowed is not None:
            found = narrowed
            continue
        if key in _KEYS and value:
            found = replace(found, unknown=(*found.unknown, token[0]))
        if key not in _KEYS or value:
            words.append(token[0])
    # A blank at the end tells that the last word is whole.
    end = " " if text[-1:].isspace() and words else ""
    return replace(found, words=" ".join(words) + end)


def with_word(text: str, keys: Iterable[str], word: str) -> str:
    """Return the text with the filters of these keys taken out and `word` put in ("" for none)."""
    gone = set(keys)
    kept = [t[0] for t in _TOKEN.finditer(text) if t["key"] not in gone]
    return " ".join([*kept, *([word] if word else [])])


def without_filters(text: str) -> str:
    """Return the plain words of the text."""
    return with_word(text, _KEYS, "")


def word_for(key: str, value: str) -> str:
    """Return the filter word, quoted where the value has blanks."""
    return f'{key}:"{value}"' if re.search(r"\s", value) else f"{key}:{value}"


def project_name(recorded: str) -> str:
    """Return the last part of a project's folder, as people call it."""
    return re.split(r"[\\/]", recorded.rstrip("\\/"))[-1] or recorded


_KEYS: Final = frozenset({"source", "project", "is", "has", *TIME_KEYS})


def _narrowed(found: SegmentFilter, key: str, value: str, today: date) -> SegmentFilter | None:
    """Return the filter with one word more, None when the word is no filter."""
    match key, value:
        case "source" | "project", str() if value:
            return (
                replace(found, source=value) if key == "source" else replace(found, project=value)
            )
        case "is", "open" | "sealed":
            return replace(found, is_open=value == "open")
        case "has", "lesson" | "lessons":
            return replace(found, has_lessons=True)
        case "after" | "before" | "on", str():
            return _in_time(found, key, _day(value, today))
    return None


def _in_time(found: SegmentFilter, key: str, day: date | None) -> SegmentFilter | None:
    if day is None:
        return None
    if key == "on":
        return replace(found, after=day, before=day + _DAY)
    return replace(found, after=day) if key == "after" else replace(found, before=day)


def _day(value: str, today: date) -> date | None:
    """Read `2026-11-03`, `today`, `yesterday`, `week`, `month`, or `7d` for seven days ago."""
    named = {
        "today": today,
        "yesterday": today - _DAY,
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
    }
    if value in named:
        return named[value]
    if since := _SINCE.fullmatch(value):
        return today - timedelta(days=int(since["count"]))
    try:
        return date.fromisoformat(value) if len(value) == 10 else None
    except ValueError:
        return None
