"""Palettes written down, so that pictures and checks do not depend on this machine's theme."""

from typing import Final

from PySide6.QtGui import QColor, QPalette

_ROLE: Final = QPalette.ColorRole
_DISABLED: Final = QPalette.ColorGroup.Disabled

_LIGHT: Final = {
    _ROLE.Window: "#f3f3f4",
    _ROLE.WindowText: "#1c1c1e",
    _ROLE.Base: "#ffffff",
    _ROLE.AlternateBase: "#f7f7f8",
    _ROLE.Text: "#1c1c1e",
    _ROLE.Button: "#ececee",
    _ROLE.ButtonText: "#1c1c1e",
    _ROLE.BrightText: "#ffffff",
    _ROLE.Light: "#ffffff",
    _ROLE.Midlight: "#f6f6f7",
    _ROLE.Mid: "#c4c4c8",
    _ROLE.Dark: "#a0a0a6",
    _ROLE.Shadow: "#6e6e74",
    _ROLE.Highlight: "#1f5fa8",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Accent: "#1f5fa8",
    _ROLE.Link: "#1a5fb4",
    _ROLE.LinkVisited: "#6b3fa0",
    _ROLE.ToolTipBase: "#fffbe6",
    _ROLE.ToolTipText: "#1c1c1e",
    _ROLE.PlaceholderText: "#67676d",
}
_DARK: Final = {
    _ROLE.Window: "#202124",
    _ROLE.WindowText: "#e8e8ea",
    _ROLE.Base: "#18191b",
    _ROLE.AlternateBase: "#1d1e21",
    _ROLE.Text: "#e8e8ea",
    _ROLE.Button: "#2c2d31",
    _ROLE.ButtonText: "#e8e8ea",
    _ROLE.BrightText: "#ffffff",
    _ROLE.Light: "#4a4b50",
    _ROLE.Midlight: "#3a3b40",
    _ROLE.Mid: "#232427",
    _ROLE.Dark: "#141517",
    _ROLE.Shadow: "#000000",
    _ROLE.Highlight: "#2f6db5",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Accent: "#5a9ae6",
    _ROLE.Link: "#78aef0",
    _ROLE.LinkVisited: "#b79be0",
    _ROLE.ToolTipBase: "#2c2d31",
    _ROLE.ToolTipText: "#e8e8ea",
    _ROLE.PlaceholderText: "#9a9aa0",
}
_NAMES: Final = {"light": _LIGHT, "dark": _DARK}
PALETTES: Final = tuple(_NAMES)


def palette(name: str) -> QPalette:
    """Return the palette `light` or `dark`."""
    colours = _NAMES[name]
    made = QPalette()
    for role, colour in colours.items():
        made.setColor(role, QColor(colour))
    muted = QColor(colours[_ROLE.PlaceholderText])
    for role in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText):
        made.setColor(_DISABLED, role, muted)
    return made
