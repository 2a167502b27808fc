"""The one visual language: colours from the system's palette, spacing and type from its font.

`docs/look.md` says the same in words. Windows ask here; none has a colour or a size of its own.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer

from archivist import resources
from archivist.gui.contrast import luminance, mixed, readable

_DARK_BELOW: Final = 0.5
_ICON_SIZES: Final = (16, 22, 24, 32, 48, 64)
_GREEN, _RED, _AMBER = "#1a7f37", "#cf222e", "#9a6700"


class Type(StrEnum):
    """The steps of the type scale."""

    TITLE = "title"
    HEAD = "head"
    BODY = "body"
    SMALL = "small"
    MONO = "mono"


_SCALE: Final = {Type.TITLE: 1.35, Type.HEAD: 1.12, Type.SMALL: 0.9}


@dataclass(frozen=True, slots=True)
class Colours:
    """Every colour that is drawn. Text colours are readable on `window`, `base` and their own back.

    `mark` is behind found words, `*_word` behind the words that changed within a line; `selected`
    is the text of a selected row.
    """

    window: QColor
    base: QColor
    text: QColor
    muted: QColor
    accent: QColor
    border: QColor
    tag: QColor
    added: QColor
    added_back: QColor
    added_word: QColor
    removed: QColor
    removed_back: QColor
    removed_word: QColor
    warning: QColor
    warning_back: QColor
    mark: QColor
    selected: QColor
    is_dark: bool


def colours_of(palette: QPalette) -> Colours:
    """Compute all colours from a palette, light or dark."""
    window, base = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.Base)
    is_dark = luminance(base) < _DARK_BELOW
    strong = 0.42 if is_dark else 0.34
    green, red, amber = QColor(_GREEN), QColor(_RED), QColor(_AMBER)
    added_back, removed_back = mixed(green, base, 0.18), mixed(red, base, 0.16)
    added_word, removed_word = mixed(green, base, strong), mixed(red, base, strong)
    warning_back, mark = mixed(amber, window, 0.16), mixed(amber, base, 0.38)
    own = palette.color(QPalette.ColorRole.WindowText)
    tag = mixed(own, base, 0.1)
    text = readable(own, window, base, tag, mark, warning_back)
    return Colours(
        window=window,
        base=base,
        text=text,
        muted=readable(mixed(text, base, 0.62), window, base),
        accent=readable(palette.color(QPalette.ColorRole.Link), window, base),
        border=mixed(text, window, 0.18),
        tag=tag,
        added=readable(text, added_back, added_word),
        added_back=added_back,
        added_word=added_word,
        removed=readable(text, removed_back, removed_word),
        removed_back=removed_back,
        removed_word=removed_word,
        warning=readable(amber, warning_back, window, base),
        warning_back=warning_back,
        mark=mark,
        selected=readable(
            palette.color(QPalette.ColorRole.HighlightedText),
            palette.color(QPalette.ColorRole.Highlight),
        ),
        is_dark=is_dark,
    )


class Look:
    """What windows draw with. After a change of the palette, `follow` and tell the windows."""

    def __init__(self, palette: QPalette) -> None:
        self.colours = colours_of(palette)
        self._icons: dict[tuple[str, int], QIcon] = {}

    def follow(self, palette: QPalette) -> None:
        """Take the colours of another palette."""
        self.colours = colours_of(palette)
        self._icons.clear()

    def space(self, steps: float = 1) -> int:
        """Return a distance in pixels: a step is a quarter of a line of text."""
        return max(1, round(QFontMetrics(QGuiApplication.font()).height() * steps / 4))

    def font(self, step: Type) -> QFont:
        """Return the font of a step of the type scale."""
        if step is Type.MONO:
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            return _sized(font, 1.0)
        font = _sized(QGuiApplication.font(), _SCALE.get(step, 1.0))
        font.setBold(step in (Type.TITLE, Type.HEAD))
        return font

    def icon(self, name: str, color: QColor | None = None) -> QIcon:
        """Return an icon of resources/icons in the colour of text, or in a given one.

        In a selected row it has the colour of that row's text.
        """
        tint = color or self.colours.text
        key = (name, tint.rgba())
        if key not in self._icons:
            self._icons[key] = tinted(name, tint, selected=self.colours.selected)
        return self._icons[key]


def _sized(font: QFont, factor: float) -> QFont:
    """Return the font in proportion to the system's, which is set in points or in pixels."""
    sized, size = QFont(font), QGuiApplication.font()
    if size.pointSizeF() > 0:
        sized.setPointSizeF(size.pointSizeF() * factor)
    else:
        sized.setPixelSize(round(size.pixelSize() * factor))
    return sized


@lru_cache(maxsize=128)
def _drawing(name: str) -> str:
    return resources.text(f"icons/{name}.svg")


def tinted(name: str, color: QColor, *, selected: QColor | None = None) -> QIcon:
    """Draw an icon of resources/icons in one colour, sharp at every usual size."""
    icon = QIcon()
    _draw(icon, name, color, QIcon.Mode.Normal)
    if selected is not None:
        _draw(icon, name, selected, QIcon.Mode.Selected)
    return icon


def _draw(icon: QIcon, name: str, color: QColor, mode: QIcon.Mode) -> None:
    drawing = _drawing(name).replace("currentColor", color.name())
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    for size in _ICON_SIZES:
        picture = QPixmap(QSize(size, size))
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        icon.addPixmap(picture, mode)
