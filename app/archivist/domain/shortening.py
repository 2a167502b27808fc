"""Long texts of tools, shortened to what is kept of them. Run it after the gate, never before.

A cut may go through the middle of a key or of a key block, which no rule would recognise then.
"""

from typing import Final

from archivist.domain.json_text import is_json, leaves, literal

LIMIT: Final = 16 * 1024
"""Characters; of a longer text only its beginning and its end are kept."""

_HEAD: Final = 8 * 1024
_TAIL: Final = 4 * 1024


def shorten(text: str) -> str:
    """Return a text as it is, or of a long one the beginning, a line with the length, the end."""
    if len(text) <= LIMIT:
        return text
    return f"{text[:_HEAD]}\n{left_out(len(text) - _HEAD - _TAIL, len(text))}\n{text[-_TAIL:]}"


def shorten_json(text: str) -> str:
    """Return JSON text with its long strings shortened, all else byte for byte.

    It stays valid JSON. A text that is no JSON is shortened as it is.
    """
    if len(text) <= LIMIT:
        return text
    if not is_json(text):
        return shorten(text)
    pieces: list[str] = []
    done = 0
    for leaf in leaves(text):
        if len(leaf.text) > LIMIT:
            like = text[leaf.start : leaf.end]
            pieces += [text[done : leaf.start], literal(shorten(leaf.text), like=like)]
            done = leaf.end
    return "".join([*pieces, text[done:]])


def left_out(count: int, of: int) -> str:
    """Return the line that stands where a text was cut."""
    return f"[{count} of {of} characters left out]"
