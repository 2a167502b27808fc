"""Find many short literals at once in a long text, much faster than one regular expression does.

Each literal is known by its rarest three neighbouring characters; one pass of numpy finds where
such a triple stands, and only there the literals are compared.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How often the letters from a to z, digits, `_`, `-`, stops, `/` and all else occur, in percent.
_SHARES: Final = (
    *(
        6.1,
        1.3,
        3.3,
        2.9,
        9.1,
        1.6,
        1.5,
        2.6,
        5.6,
        0.3,
        0.7,
        3.2,
        2.1,
        5.2,
        5.4,
        2.2,
        0.2,
        5.0,
        5.2,
        6.9,
    ),
    *(2.3, 0.9, 1.1, 0.4, 1.3, 0.3, 9.0, 1.5, 2.0, 3.0, 1.5, 25.0),
)
_COMMON_PAIRS: Final = frozenset(
    b"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le "
    b"ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec "
    b"pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie em ad ol po na ul ni ts mo pa "
    b"im mi ai id os iv am ig ke pu od".split()
)
_DIGIT, _SCORE, _DASH, _STOP, _SLASH, _OTHER = range(26, 32)
_BITS: Final = 5
_BLOCK: Final = 1 << 18


def _classes() -> bytes:
    table = bytearray([_OTHER]) * 256
    for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz"):
        table[ord(letter)] = table[ord(letter.upper())] = place
    for digit in "0123456789":
        table[ord(digit)] = _DIGIT
    for signs, place in (("_", _SCORE), ("-", _DASH), (".:", _STOP), ("/", _SLASH)):
        for sign in signs:
            table[ord(sign)] = place
    return bytes(table)


_CLASSES: Final = _classes()


class Anchors:
    """A fixed set of literals, three ASCII characters or more, in lower case; case is ignored."""

    def __init__(self, literals: Iterable[str]) -> None:
        import numpy as np  # noqa: PLC0415 - start-up time: it is loaded with the first gate

        self._wanted = np.zeros(1 << 3 * _BITS, dtype=bool)
        self._by_code: dict[int, list[tuple[bytes, int]]] = {}
        for literal in dict.fromkeys(literals):
            if len(literal) < 3 or not literal.isascii() or literal != literal.lower():
                raise ValueError(f"not a literal to look for: {literal!r}")
            known = literal.encode("ascii")
            offset = min(range(len(known) - 2), key=lambda at: _weight(known[at : at + 3]))
            code = int(_codes(known[offset : offset + 3])[0])
            self._wanted[code] = True
            self._by_code.setdefault(code, []).append((known, offset))

    def find(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield every place of every literal in ASCII text, roughly in order."""
        lower = b""
        for start in range(0, len(text) - 2, _BLOCK):
            codes = _codes(text[start : start + _BLOCK + 2])
            places = self._wanted[codes].nonzero()[0]
            if not lower and len(places):
                lower = text.lower()
            for place, code in zip(places.tolist(), codes[places].tolist(), strict=True):
                for literal, offset in self._by_code[code]:
                    begin = start + place - offset
                    if begin >= 0 and lower.startswith(literal, begin):
                        yield begin, literal


def _codes(text: bytes) -> "NDArray[np.uint16]":
    """Return one number for each three neighbouring characters."""
    import numpy as np  # noqa: PLC0415 - see above

    classes = np.frombuffer(text.translate(_CLASSES), dtype=np.uint8).astype(np.uint16)
    codes: NDArray[np.uint16] = np.left_shift(classes[:-2], 2 * _BITS, dtype=np.uint16)
    codes |= classes[1:-1] << _BITS
    codes |= classes[2:]
    return codes


def _weight(triple: bytes) -> float:
    """Return how frequent three neighbouring characters are, roughly."""
    classes = triple.translate(_CLASSES)
    weight = 1.0
    for place in classes:
        weight *= _SHARES[place]
    for pair in (triple[:2], triple[1:]):
        if pair.isalpha():
            weight *= 3.0 if pair in _COMMON_PAIRS else 0.4
    return weight
