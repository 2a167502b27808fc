"""Contrast of two colours as WCAG 2 defines it, and colours made readable by it."""

from typing import Final

from PySide6.QtGui import QColor

READABLE: Final = 4.5
"""The least contrast of text with what is behind it (WCAG 2, level AA)."""
_STEPS: Final = 40


def luminance(color: QColor) -> float:
    """Return the relative luminance, from 0 for black to 1 for white."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two opaque colours, from 1 for none to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(over: QColor, under: QColor, share: float) -> QColor:
    """Return `under` with so much (0 to 1) of `over` in it."""
    parts = (
        (over.redF(), under.redF()),
        (over.greenF(), under.greenF()),
        (over.blueF(), under.blueF()),
    )
    return QColor.fromRgbF(*(a * share + b * (1 - share) for a, b in parts))


def readable(color: QColor, *behind: QColor, least: float = READABLE) -> QColor:
    """Return the colour moved towards black or white until it is readable on all of `behind`.

    Where no shade is readable on all of them, black or white, whichever stands out more.
    """
    ends = sorted(
        (QColor("black"), QColor("white")),
        key=lambda end: min(contrast(end, back) for back in behind),
        reverse=True,
    )
    for step in range(_STEPS + 1):
        for end in ends:
            shade = mixed(end, color, step / _STEPS)
            if all(contrast(shade, back) >= least for back in behind):
                return shade
    return ends[0]
