"""Read the value that stands beside a name: quoted or bare, as far as it goes."""

import re
from typing import Final, NamedTuple

_LONGEST: Final = 4096
_LONGEST_BARE: Final = 256

ASIAN: Final = r"\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uffef"
"""The characters of Chinese, Japanese and Korean text, punctuation included, for a class."""
OPENING: Final = "\"'`“„«「『"
"""The quotation marks that open a value, for a class."""
_CLOSING: Final = {"“": "”", "„": "“", "«": "»", "「": "」", "『": "』"}
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}

_QUOTE: Final = re.compile(
    rf"(?:[bru]{{1,2}}(?=[\"']))?(?P<quote>\\{{0,3}}(?:\"\"\"|[{OPENING}]))", re.IGNORECASE
)
_BARE: Final = re.compile(rf"[^\s{OPENING}”»」』<>{ASIAN}\x00-\x1f\x7f]{{1,{_LONGEST_BARE}}}")
_REST: Final = re.compile(r"[A-Za-z0-9+/=_-]*")
_NEXT_SETTING: Final = re.compile(r"(?:&amp;|[&;,|])(?=[A-Za-z_][\w. -]{0,40}=)|\\+[nrt]|;\Z")


class Value(NamedTuple):
    """A value beside a name and where it stands."""

    start: int
    end: int
    text: str
    quoted: bool


def value_at(text: str, begin: int) -> Value | None:
    """Read the quoted or bare value that begins at `begin`; a quoted one ends on the same line."""
    opened = _QUOTE.match(text, begin)
    if opened is not None:
        quote = opened["quote"]
        start = opened.end()
        end = text.find(_CLOSING.get(quote, quote), start, start + _LONGEST)
        if end > start and "\n" not in text[start:end]:
            return Value(start, end, text[start:end], quoted=True)
        begin = start
    bare = _BARE.match(text, begin)
    if bare is None:
        return None
    cut = _without_closers(_NEXT_SETTING.split(bare[0], maxsplit=1)[0].rstrip(",;"), ",;.")
    return Value(begin, begin + len(cut), cut, quoted=False) if cut else None


def whole_end(text: str, value: Value) -> int:
    """Return where a value ends that was longer than what was read of it."""
    if value.quoted or len(value.text) < _LONGEST_BARE:
        return value.end
    rest = _REST.match(text, value.end)
    return rest.end() if rest is not None else value.end


def trimmed(value: str) -> str:
    """Take off what ends a sentence, not a secret."""
    return _without_closers(value.rstrip(".,;:"), ".,;:")


def _without_closers(value: str, signs: str) -> str:
    """Take off closing brackets that open outside the value, and signs before them."""
    while value and value[-1] in _CLOSERS and _CLOSERS[value[-1]] not in value:
        value = value[:-1].rstrip(signs)
    return value
