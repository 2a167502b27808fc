"""Normal form of text for the full-text index; the same for what is written and what is asked.

SQLite's `porter unicode61 remove_diacritics 2` reads the result. It cuts at everything that is no
letter or digit, folds accents and stems English; what it cannot do is done here:

- Names of code get their whole and their parts: `getUserById`, `get_user_by_id`, `get-user-by-id`
  all become `getuserbyid get user by id`; a path also gives the whole of each of its segments.
- Signs that carry meaning become letters between two `q`, a spelling no language has: `C++` is
  `cqplusqqplusq c`, `C#` is `cqsharpq c`, `.NET` is `qdotqnet net`, `v2.1` is `v2qdotq1 v2 1`.
- Chinese, Japanese and Korean runs become pairs of characters, then single characters.
- `ä ö ü ß æ ø å` are also written `ae oe ue ss ae oe aa`.

Pure: a row is deleted from a contentless table by giving the same normal form again.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

INDEX_VERSION: Final = 1
"""To be raised with every change of what `index_text` returns: the index is then built anew."""

CJK: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3"
    "\u1100-\u11ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""The characters of Han, Kana and Hangul, for a class of a regular expression."""

_LONGEST: Final = 128
"""A longer run of letters and digits is data, not a word."""
_LONGEST_PATH: Final = 64
_REMEMBERED: Final = 1 << 16
_REMEMBERED_LENGTH: Final = 40

_WORD: Final = rf"[^\W_{CJK}]"
_PIECE: Final = re.compile(
    rf"(?P<cjk>[{CJK}]+)"
    rf"|(?P<dot>(?<![\w.])\.(?=[^\W\d_{CJK}]))?"
    rf"(?P<name>{_WORD}++(?:(?:[-_./\\]|::|->){_WORD}++)*+)"
    r"(?P<sign>\+\+|#(?!\w))?"
)
_SEGMENT: Final = re.compile(r"[/\\]|::|->")
_JOINT: Final = re.compile(r"[-_.]")
_CAMEL: Final = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\dA-Z_])")
_NUMBERED: Final = re.compile(r"\d\.\d")
_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2060\ufeff]")
_SPELLED: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "œ": "oe", "ø": "oe", "å": "aa"}
)
_DOT, _SHARP, _PLUS = "qdotq", "qsharpq", "qplusq"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text between blanks, in normal form.

    wholes: the stretch as one word, in each spelling; empty for a plain word and for CJK. parts:
    what it is made of, in order; for CJK its characters. pairs: the pairs of a CJK run.
    """

    wholes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that is written to the index for it, in order."""
        return self.wholes + self.pairs + self.parts


def index_text(text: str) -> str:
    """Return the normal form of a text; any string goes in."""
    normal = " ".join(filter(None, map(_NORMAL.__getitem__, text.split())))
    if len(_NORMAL) > _REMEMBERED:
        _NORMAL.clear()
    return normal


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text in order."""
    return map(_piece, _found(text))


class _Normal(dict[str, str]):
    """Normal forms by the word as written: most words of a text were seen before."""

    def __missing__(self, word: str) -> str:
        if word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper()):
            normal = word.lower() if len(word) <= _LONGEST else ""
        else:
            normal = " ".join(_written(word))
        if len(word) <= _REMEMBERED_LENGTH:
            self[word] = normal
        return normal


_NORMAL: Final = _Normal()


def _written(word: str) -> Iterator[str]:
    """Yield what is written to the index for a word, without the detour over pieces for CJK."""
    for found in _found(word):
        run = found["cjk"]
        if run is None:
            yield from _piece(found).words
            continue
        if len(run) > 1:
            yield " ".join(map("".join, pairwise(run)))
        yield " ".join(run)


def _found(text: str) -> Iterator[re.Match[str]]:
    clean = text if text.isprintable() else _UNPRINTED.sub(" ", text)
    return _PIECE.finditer(unicodedata.normalize("NFKC", clean))


def _piece(found: re.Match[str]) -> Piece:
    run = found["cjk"]
    if run is None:
        return _name(found["name"], dotted=found["dot"] is not None, sign=found["sign"] or "")
    pairs = tuple(map("".join, pairwise(run)))
    return Piece(pairs=pairs, parts=tuple(run))


def _name(name: str, *, dotted: bool, sign: str) -> Piece:
    """Return the normal form of a name: of one segment, or of a path of several."""
    segments = [_segment(segment) for segment in _SEGMENT.split(name)]
    parts = tuple(part for _, own in segments for part in own)
    wholes = [
        whole for found, own in segments for whole in found if len(own) > 1 or whole not in own
    ]
    if len(segments) > 1:
        path = "".join(parts)
        wholes[:0] = [path] if len(path) <= _LONGEST_PATH else []
    elif dotted or sign:
        marked = f"{_DOT if dotted else ''}{''.join(segments[0][0][:1])}{_signed(sign)}"
        wholes.insert(0, marked)
    return Piece(_spelled(wholes), _spelled(parts))


def _segment(segment: str) -> tuple[list[str], list[str]]:
    """Return the wholes and the parts of a name without slashes."""
    joined = [part for part in _JOINT.split(segment) if len(part) <= _LONGEST]
    parts = [own.casefold() for part in joined for own in _CAMEL.split(part)]
    if len(joined) > 1 and (_NUMBERED.search(segment) or all(map(str.isdigit, joined))):
        numbers = [part.casefold() for part in joined]
        wholes = [_DOT.join(numbers[:count]) for count in range(len(numbers), 1, -1)]
        return wholes[:3], parts
    whole = "".join(parts)
    return ([whole] if 0 < len(whole) <= _LONGEST else []), parts


def _signed(sign: str) -> str:
    return {"++": _PLUS * 2, "#": _SHARP}.get(sign, "")


def _spelled(words: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Add to each word with an umlaut its spelling without."""
    if all(map(str.isascii, words)):
        return tuple(words)
    found: list[str] = []
    for word in words:
        found.append(word)
        plain = word.translate(_SPELLED)
        if plain != word:
            found.append(plain)
    return tuple(found)
