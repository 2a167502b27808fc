"""The string values of JSON text, and where they stand, so that one can be replaced in place.

Everything else of the text stays byte for byte: numbers, keys, order, doubled keys, blanks.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_COLON: Final = re.compile(r"\s*:\s*")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_NAMES: Final = frozenset({"name", "key", "Name", "Key"})
_VALUES: Final = frozenset({"value", "Value"})


class Leaf(NamedTuple):
    """A string value: where its literal stands, what it says, and the name it has."""

    start: int
    end: int
    text: str
    name: str


def is_json(text: str) -> bool:
    """Tell whether a text is a JSON object, array or string; one nested too deep is not."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def leaves(text: str) -> Iterator[Leaf]:
    """Yield the string values of JSON text in order.

    A value has the name of its key, and in an array none; in `{"name": "X", "value": "y"}` the
    name of `y` is X.
    """
    key = named = ""
    key_end = 0
    for found in _STRING.finditer(text):
        value = json.loads(found[0], strict=False)
        colon = _COLON.match(text, found.end())
        if colon is not None:
            key, key_end = value, colon.end()
            continue
        own = key if found.start() == key_end else ""
        yield Leaf(*found.span(), value, named if named and own in _VALUES else own)
        named = value if own in _NAMES else ""


def literal(text: str, *, like: str) -> str:
    """Return the JSON literal of a text, escaped as `like` is; half a surrogate pair always is."""
    escaped = like.isascii() or _SURROGATE.search(text) is not None
    return json.dumps(text, ensure_ascii=escaped)
