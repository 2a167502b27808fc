"""A question in plain words, parsed, and as an FTS5 expression.

Any string is a question; none makes a syntax error.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from archivist.domain.snippets import Span, place_of, spans_of, window
from archivist.domain.stopwords import STOP_CHARS, STOP_WORDS
from archivist.domain.words import CJK, Piece, pieces

_LONGEST_QUERY: Final = 4_000
_MOST_WORDS: Final = 48
_SHORTEST_BEGINNING: Final = 3
_LONGEST_NAME: Final = 4
"""A CJK run of so many characters is taken as one word, a longer one as a sentence."""

_ITEM: Final = re.compile(
    r'(?:(?<!\S)(?P<sign>[+-]))?(?:(?P<open>["“”„«「『])(?P<phrase>[^"“”»」』]*)["“”»」』]?'
    r'|(?P<word>[^\s"“”„«「『]+))'
)
_RUN: Final = re.compile(f"[{CJK}]+")
_BETWEEN_CJK: Final = re.compile(rf"(?P<left>[{CJK}])[^\S\n]+(?=(?P<right>[{CJK}]))")
_STOP_RUN: Final = re.compile("|".join(map(re.escape, STOP_CHARS)))


@dataclass(frozen=True, slots=True)
class Query:
    """What a person asks for, as it was typed, without stop words.

    words: any of them may occur. phrases: the same, words in a row. required: must occur.
    excluded: must not. last: the word that is still being typed, taken as a beginning too, or "".
    joined: those of the words that were guessed across a blank between two CJK characters.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    last: str = ""
    joined: tuple[str, ...] = ()


def parse_query(text: str) -> Query:
    """Parse `plain words +must "words in a row" -not`; stop words stay only where all are."""
    text = text[:_LONGEST_QUERY]
    found: dict[str, list[str]] = {"word": [], "phrase": [], "+": [], "-": []}
    for item in _ITEM.finditer(text):
        said = item["word"] if item["phrase"] is None else item["phrase"]
        if any(piece.words for piece in pieces(said)):
            found[_kind(item, said)].append(said)
    words, excluded = found["word"], found["-"]
    kept = _without_stop_words(words)
    if not (kept or found["phrase"] or found["+"]):
        kept, excluded = words or excluded, excluded if words else []
    joined = [m["left"] + m["right"] for m in _BETWEEN_CJK.finditer(text)]
    kept += joined
    last = kept[-1] if kept and text[-1:].isalnum() and text.endswith(kept[-1]) else ""
    return Query(
        words=_few(kept),
        phrases=_few(found["phrase"]),
        required=_few(found["+"]),
        excluded=_few(excluded),
        last=last,
        joined=tuple(joined),
    )


def match_expression(query: Query) -> str | None:
    """Return the FTS5 expression over the fields `words` and `tools`; None: nothing is asked."""
    must = [_strict(said) for said in query.required]
    may = [_strict(phrase) for phrase in query.phrases]
    may += [term for word in query.words for term in _loose(word)]
    may += _beginnings(query.last)
    may = list(dict.fromkeys(may))
    if not must and not may:
        return None
    wanted = " AND ".join([*must, _any_of([*must, *may])] if may else must)
    if query.excluded:
        wanted = f"({wanted}) NOT {_any_of([_strict(said) for said in query.excluded])}"
    return f"{{words tools}} : ({wanted})"


def strict_expression(query: Query) -> str | None:
    """Return the FTS5 expression that asks for every word; None: nothing is asked."""
    must = [_strict(said) for said in (*query.required, *query.phrases)]
    must += [_any_of(_named_terms(word, query)) for word in query.words if word not in query.joined]
    if not must:
        return None
    wanted = " AND ".join(dict.fromkeys(must))
    if query.excluded:
        wanted = f"({wanted}) NOT {_any_of([_strict(said) for said in query.excluded])}"
    return f"{{words tools}} : ({wanted})"


def matches(text: str, query: Query) -> list[Span]:
    """Return the places of a text that answer, in order: words, and rows of words as rows."""
    rows = [[*pieces(said)] for said in (*query.required, *query.phrases)]
    return spans_of(text, [piece for word in query.words for piece in pieces(word)], rows)


def snippet(text: str, query: Query, *, width: int) -> str:
    """Return at most `width` characters of a text around the place that answers best, on one line.

    Case, width of characters and accents are ignored; without a match it is the beginning.
    """
    asked = [*query.required, *query.phrases, *query.words]
    return window(
        text, place_of(text, [piece for said in asked for piece in pieces(said)], width), width
    )


def _kind(item: re.Match[str], said: str) -> str:
    """Tell where an item goes; `-p` and `--help` are words, not exclusions."""
    if item["sign"] == "+":
        return "+"
    if item["sign"] == "-" and not said.startswith("-") and (item["word"] is None or len(said) > 1):
        return "-"
    return "word" if item["phrase"] is None else "phrase"


def _few(words: Sequence[str]) -> tuple[str, ...]:
    """Keep the longest words of a very long question: they are the rarest."""
    distinct = list(dict.fromkeys(words))
    if len(distinct) <= _MOST_WORDS:
        return tuple(distinct)
    longest = set(sorted(distinct, key=len, reverse=True)[:_MOST_WORDS])
    return tuple(word for word in distinct if word in longest)


def _without_stop_words(words: Sequence[str]) -> list[str]:
    parts = [[part for piece in pieces(word) for part in piece.parts] for word in words]
    stops = _stop_words({part for own in parts for part in own})
    return [
        word
        for word, own in zip(words, parts, strict=True)
        if not _is_stop_run(word) and not stops.issuperset(own)
    ]


def _stop_words(parts: set[str]) -> frozenset[str]:
    """Return the stop words for a question: English ones, and those of the language it is in.

    "car" and "die" are stop words of French and German only where others stand beside them.
    """
    english = STOP_WORDS["en"]
    spoken = {name: len(parts & stops) for name, stops in STOP_WORDS.items()}
    name, hits = max(spoken.items(), key=lambda row: row[1])
    return english | STOP_WORDS[name] if hits >= 2 and hits > spoken["en"] else english


def _is_stop_run(word: str) -> bool:
    return _RUN.fullmatch(word) is not None and not _STOP_RUN.sub("", word)


def _named_terms(word: str, query: Query) -> list[str]:
    """Return the spellings of a word; of a CJK sentence any part, of the last word beginnings."""
    begun = _beginnings(word) if word == query.last else []
    is_sentence = _RUN.fullmatch(word) is not None and len(word) > _LONGEST_NAME
    return [*(_loose(word) if is_sentence else [_strict(word)]), *begun]


def _loose(word: str) -> list[str]:
    """Return the terms of a word of which any may occur: its wholes and what it is made of."""
    terms: list[str] = []
    for piece in pieces(word):
        if _is_run(piece):
            terms += _run_terms("".join(piece.parts))
            continue
        terms += map(_quoted, piece.wholes)
        if len(piece.parts) > 1:
            terms.append(_quoted(*piece.parts))
        english = STOP_WORDS["en"] if len(piece.parts) > 1 else frozenset[str]()
        terms += [_quoted(part) for part in piece.parts if part not in english]
    return terms


def _run_terms(run: str) -> list[str]:
    """Return the terms of a CJK run: a short one also in a row, a long one cut at stop words."""
    if len(run) == 1:
        return [_quoted(run)]
    chunks = [run] if len(run) <= _LONGEST_NAME else [c for c in _STOP_RUN.split(run) if len(c) > 1]
    terms: list[str] = []
    for chunk in chunks or [run]:
        pairs = _pairs(chunk)
        if 1 < len(pairs) < _LONGEST_NAME:
            terms.append(_quoted(*pairs))
        terms += map(_quoted, pairs)
    return terms


def _strict(said: str) -> str:
    """Return the expression for words that must stand as they are, in a row, in any spelling."""
    rows: list[str] = []
    names: list[Piece] = []
    for piece in [*pieces(said), None]:
        if piece is not None and not _is_run(piece):
            names.append(piece)
            continue
        if names:
            rows.append(_named(names))
            names = []
        if piece is not None:
            rows.append(_quoted(*(piece.pairs or piece.parts)))
    return rows[0] if len(rows) == 1 else f"({' AND '.join(rows)})"


def _named(names: Sequence[Piece]) -> str:
    """Return the expression for names in a row; one alone may be spelled whole or in parts."""
    if len(names) > 1:
        return _quoted(*(word for piece in names for word in piece.words))
    piece = names[0]
    spellings = [_quoted(whole) for whole in piece.wholes]
    spellings += [_quoted(*piece.parts)] if piece.wholes else map(_quoted, piece.parts)
    return _any_of(spellings)


def _beginnings(word: str) -> list[str]:
    """Return the terms for what begins with a word that is still being typed."""
    *_, piece = [Piece(), *pieces(word)]
    if _is_run(piece) or not piece.parts or len(piece.parts[-1]) < _SHORTEST_BEGINNING:
        return []
    return [f"{_quoted(whole)} *" for whole in (*piece.wholes, piece.parts[-1])]


def _is_run(piece: Piece) -> bool:
    return bool(piece.pairs) or (
        len(piece.parts) == 1 and _RUN.fullmatch(piece.parts[0]) is not None
    )


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]


def _any_of(terms: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(terms))
    return distinct[0] if len(distinct) == 1 else f"({' OR '.join(distinct)})"


def _quoted(*words: str) -> str:
    """Return a string of FTS5: words in a row. The normal form holds no quotation mark."""
    return f'"{" ".join(words)}"'
