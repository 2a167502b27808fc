"""Characters that nobody sees but a model reads: zero width, direction marks, controls, fillers."""

import unicodedata
from typing import Final

_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d")


def visible(text: str) -> str:
    """Return the text with each hidden character shown as ⟪U+200B⟫."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"⟪U+{ord(char):04X}⟫" if _is_hidden(text, at) else char for at, char in enumerate(text)
    )


def visible_lines(text: str) -> str:
    """Return the same of a text of several lines, whose line ends stay."""
    return "\n".join(visible(line) for line in text.split("\n"))


def hides_something(text: str) -> bool:
    """Tell whether the text holds a character that nobody sees."""
    return any(_is_hidden(text, at) for at in range(len(text)))


def without_hidden(text: str) -> str:
    """Return the text without the characters that nobody sees."""
    return "".join(char for at, char in enumerate(text) if not _is_hidden(text, at))


def _is_hidden(text: str, at: int) -> bool:
    char = text[at]
    if " " <= char <= "~" or char == "\t":
        return False
    if char in _JOINERS:
        return not _joins(text, at)
    if _is_selector(char):
        return not (at and char in "\ufe0e\ufe0f" and not text[at - 1].isalpha())
    return char in _BLANK or unicodedata.category(char) in _CATEGORIES


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _joins(text: str, at: int) -> bool:
    """Tell whether a joiner does its proper work: inside an emoji, or in a script that needs it."""
    if not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if all("\u0600" <= char <= "\u0dff" for char in (before, after)):
        return True
    is_emoji = unicodedata.category(before) in {"So", "Sk"} or before == "\ufe0f"
    return text[at] == "\u200d" and is_emoji and unicodedata.category(after) == "So"
