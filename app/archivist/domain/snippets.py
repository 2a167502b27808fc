"""The stretch of a text that answers a question best, cut out of the original.

Case, width of characters and accents are ignored; places are those of the original text.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from archivist.domain.words import CJK, Piece

_READ: Final = 400_000
"""So much of a text is looked at; beyond, nobody reads a snippet."""
MARKED: Final = 60_000
"""So much of a text is marked: a turn that is longer holds a log or a file."""
MOST_PLACES: Final = 4_000
_MOST_NEEDLES: Final = 64
_SHORTEST_STEM: Final = 4
_ENDINGS: Final = (
    "ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s",
    "ly", "en", "e", "y",
)  # fmt: skip
_WORD_BEGINS: Final = r"(?<![^\W_])"
_CJK_CHAR: Final = re.compile(f"[{CJK}]")
_REST_OF_WORD: Final = re.compile(f"[^\\W_{CJK}]+")


class Span(NamedTuple):
    """A stretch of a text, `end` not included."""

    start: int
    end: int


class _Place(NamedTuple):
    start: int
    needle: str


def place_of(text: str, asked: Sequence[Piece], width: int) -> int:
    """Return where the stretch with the most of what is asked begins, 0 when nothing is found."""
    needles = _needles(asked)
    if not needles:
        return 0
    folded, origins = _folded(text[:_READ])
    places = _places(folded, needles)
    if not places:
        return 0
    start = places[_densest(places, width)].start
    return origins[start] if origins is not None else start


def window(text: str, place: int, width: int) -> str:
    """Return at most `width` characters of a text on one line, from a little before a place on."""
    room = max(width - 2, 1)
    start = _at_blank(text, max(0, place - room // 4), place)
    end = min(len(text), start + room)
    if end == len(text):
        start = _at_blank(text, max(0, min(start, end - room)), place)
    elif (blank := text.rfind(" ", start + room // 2, end)) > place:
        end = blank
    line = " ".join(text[start:end].split())
    before = "…" if text[:start].strip() else ""
    after = "…" if text[end : end + 2_000].strip() else ""
    return f"{before}{line}{after}"[: max(width, 0)]


def spans_of(text: str, loose: Sequence[Piece], rows: Sequence[Sequence[Piece]]) -> list[Span]:
    """Return where the pieces stand, each alone and each row in a row; whole words, in order."""
    needles = _needles(loose)
    branches = [pattern for row in rows if (pattern := _row_pattern(row))]
    branches += _branches(needles)
    if not branches:
        return []
    folded, origins = _folded(text[:MARKED])
    spans: list[Span] = []
    for found in re.finditer("|".join(branches), folded):
        start, end = found.start(), _word_end(folded, found.end())
        if origins is not None:
            start, end = origins[start], origins[end - 1] + 1
        if not spans or start >= spans[-1].end:
            spans.append(Span(start, end))
        if len(spans) == MOST_PLACES:
            break
    return spans


def _row_pattern(row: Sequence[Piece]) -> str:
    """Return the pattern of words that stand in a row, whatever signs are between them."""
    parts = [
        re.escape(part) + (r"[^\W_]*" if _CJK_CHAR.match(part) is None else "")
        for piece in row
        for part in map(_stem, map(_fold, piece.parts))
    ]
    return r"[\W_]*".join(parts)


def _word_end(folded: str, end: int) -> int:
    """Return the end of the word in which a match ends; CJK has none."""
    if _CJK_CHAR.match(folded, end - 1):
        return end
    rest = _REST_OF_WORD.match(folded, end)
    return rest.end() if rest else end


def _at_blank(text: str, start: int, place: int) -> int:
    """Return the beginning of a word at or after `start`, not after the place itself."""
    if start == 0 or text[start - 1].isspace():
        return start
    for at in range(start, min(place, start + 40)):
        if text[at].isspace():
            return at + 1
    return start


def _needles(asked: Sequence[Piece]) -> dict[str, bool]:
    """Return what to look for, folded: whether it must stand at the beginning of a word."""
    found: dict[str, bool] = {}
    for piece in asked:
        run = "".join(piece.parts)
        if piece.pairs:
            found[_fold(run)] = False
            found.update((_fold(pair), False) for pair in piece.pairs)
            continue
        for part in piece.parts:
            found[_stem(_fold(part))] = _CJK_CHAR.match(part) is None
    found.pop("", None)
    return dict(list(found.items())[:_MOST_NEEDLES])


def _stem(word: str) -> str:
    """Take a usual English ending off, so that `running` finds `runs` nearly as the index does."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def _places(folded: str, needles: dict[str, bool]) -> list[_Place]:
    places: list[_Place] = []
    for found in re.finditer("|".join(_branches(needles)), folded):
        places.append(_Place(found.start(), found[0]))
        if len(places) == MOST_PLACES:
            break
    return places


def _branches(needles: dict[str, bool]) -> list[str]:
    longest = sorted(needles, key=len, reverse=True)
    return [(_WORD_BEGINS if needles[needle] else "") + re.escape(needle) for needle in longest]


def _densest(places: Sequence[_Place], width: int) -> int:
    """Return the index of the place from which on a window holds the most different needles.

    Of windows with the same needles it is the last one that begins in the first of them.
    """
    best, best_score, best_end, last = 0, 0.0, 0, 0
    reach = max(width * 3 // 4, 1)
    counts: dict[str, int] = {}
    for first, place in enumerate(places):
        while last < len(places) and places[last].start < place.start + reach:
            counts[places[last].needle] = counts.get(places[last].needle, 0) + 1
            last += 1
        score = sum(1 + min(len(needle), 12) / 12 for needle in counts)
        if score > best_score or (score == best_score and place.start < best_end):
            best_end = places[last - 1].start if score > best_score else best_end
            best, best_score = first, score
        counts[place.needle] -= 1
        if not counts[place.needle]:
            del counts[place.needle]
    return best


def _folded(text: str) -> tuple[str, list[int] | None]:
    """Fold a text, with the place in the original of each character (None: the same places)."""
    if text.isascii():
        return text.lower(), None
    folded: list[str] = []
    origins: list[int] = []
    for place, char in enumerate(text):
        plain = _fold(char)
        folded.append(plain)
        origins += [place] * len(plain)
    return "".join(folded), origins


@lru_cache(maxsize=16_384)
def _fold(text: str) -> str:
    """Return a text without case, width and accents; Hangul and Kana stay composed."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    apart = unicodedata.normalize("NFD", plain)
    bare = "".join(c for c in apart if not 0x0300 <= ord(c) <= 0x036F)
    return unicodedata.normalize("NFC", bare)
