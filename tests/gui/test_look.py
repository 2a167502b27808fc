"""The look: readable in every palette, one set of icons, and what docs/look.md says of it."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPalette

from archivist.gui.application import Application
from archivist.gui.contrast import READABLE, contrast
from archivist.gui.look import Colours, Look, Type, colours_of
from helpers.palettes import PALETTES, palette
from helpers.shared import ROOT

pytestmark = pytest.mark.gui

DOC = (ROOT / "docs" / "look.md").read_text(encoding="utf-8")
ICONS = sorted(path.stem for path in (ROOT / "resources" / "icons").glob("*.svg"))
ROLE = QPalette.ColorRole

PAIRS = [
    (ROLE.WindowText, ROLE.Window),
    (ROLE.Text, ROLE.Base),
    (ROLE.Text, ROLE.AlternateBase),
    (ROLE.ButtonText, ROLE.Button),
    (ROLE.HighlightedText, ROLE.Highlight),
    (ROLE.ToolTipText, ROLE.ToolTipBase),
    (ROLE.PlaceholderText, ROLE.Base),
    (ROLE.Link, ROLE.Base),
    (ROLE.Link, ROLE.Window),
    (ROLE.LinkVisited, ROLE.Base),
]


def tinted(window: str, base: str, text: str, link: str) -> QPalette:
    """A theme that somebody might have."""
    made = QPalette()
    for role, colour in (
        (ROLE.Window, window),
        (ROLE.Base, base),
        (ROLE.WindowText, text),
        (ROLE.Text, text),
        (ROLE.Link, link),
    ):
        made.setColor(role, QColor(colour))
    return made


THEMES = {
    **{name: palette(name) for name in PALETTES},
    "black": tinted("#000000", "#000000", "#ffffff", "#ffff00"),
    "sepia": tinted("#fdf6e3", "#eee8d5", "#657b83", "#268bd2"),
    "pale": tinted("#eeeeee", "#ffffff", "#aaaaaa", "#99ccff"),
    "dark blue": tinted("#002b36", "#073642", "#839496", "#268bd2"),
}


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("text, behind", PAIRS, ids=lambda role: role.name)
def test_the_palettes_of_pictures_and_checks_are_readable(
    name: str, text: QPalette.ColorRole, behind: QPalette.ColorRole
) -> None:
    colours = palette(name)
    assert contrast(colours.color(text), colours.color(behind)) >= READABLE


def backs(colours: Colours) -> list[tuple[str, QColor, QColor]]:
    """Every text colour with everything that it is drawn on."""
    plain = [("window", colours.window), ("base", colours.base)]
    pairs = [
        (f"{name} on {where}", getattr(colours, name), back)
        for name in ("text", "muted", "accent", "warning")
        for where, back in plain
    ]
    for name, back in (
        ("mark", colours.mark),
        ("tag", colours.tag),
        ("warning_back", colours.warning_back),
    ):
        pairs.append((f"text on {name}", colours.text, back))
    pairs.append(("warning on its back", colours.warning, colours.warning_back))
    for kind in ("added", "removed"):
        for part in ("back", "word"):
            back = getattr(colours, f"{kind}_{part}")
            pairs.append((f"{kind} on its {part}", getattr(colours, kind), back))
    return pairs


@pytest.mark.parametrize("name", PALETTES)
def test_an_icon_is_readable_in_a_selected_row(name: str, qapp: Application) -> None:
    look = Look(palette(name))
    icon = look.icon("warning", look.colours.warning)
    picture = icon.pixmap(QSize(32, 32), QIcon.Mode.Selected).toImage()
    drawn = [picture.pixelColor(x, y) for x in range(32) for y in range(32)]
    strong = [colour for colour in drawn if colour.alpha() > 200]
    highlight = palette(name).color(ROLE.Highlight)
    assert min(contrast(colour, highlight) for colour in strong) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_is_readable_on_what_is_behind_it(theme: str) -> None:
    poor = {
        name: round(contrast(text, back), 2)
        for name, text, back in backs(colours_of(THEMES[theme]))
        if contrast(text, back) < READABLE
    }
    assert not poor


@pytest.mark.parametrize("name", PALETTES)
def test_light_and_dark_are_told_apart(name: str) -> None:
    assert colours_of(palette(name)).is_dark == (name == "dark")


@pytest.mark.parametrize("name", PALETTES)
def test_changed_words_stand_out_from_their_line_and_lines_from_the_rest(name: str) -> None:
    colours = colours_of(palette(name))
    for word, back in (
        (colours.added_word, colours.added_back),
        (colours.removed_word, colours.removed_back),
    ):
        assert contrast(back, colours.base) > 1.1
        assert contrast(word, back) > 1.15


def test_sizes_follow_the_font_of_the_system(qapp: Application) -> None:
    look, before = Look(palette("light")), qapp.font()
    try:
        small = (look.space(4), look.font(Type.TITLE).pointSizeF())
        larger = qapp.font()
        larger.setPointSizeF(before.pointSizeF() * 2)
        qapp.setFont(larger)
        assert look.space(4) > small[0] * 1.7
        assert look.font(Type.TITLE).pointSizeF() == pytest.approx(small[1] * 2, rel=0.05)
    finally:
        qapp.setFont(before)


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("size", [16, 24, 32])
def test_every_icon_can_be_seen(size: int, name: str, qapp: Application) -> None:
    look = Look(palette(name))
    unseen = []
    for icon in ICONS:
        picture = look.icon(icon).pixmap(size).toImage()
        drawn = {picture.pixel(x, y) for x in range(size) for y in range(size)}
        strong = [QColor.fromRgba(pixel) for pixel in drawn if pixel >> 24 > 200]
        best = max((contrast(colour, look.colours.window) for colour in strong), default=0)
        unseen += [icon] * (best < READABLE)
    assert unseen == []


def rows(heading: str) -> list[list[str]]:
    """The rows of the table under a heading of docs/look.md."""
    part = DOC.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_icon_is_described_and_every_described_one_is_there() -> None:
    described = {name for row in rows("Icons") for name in re.findall(r"`([\w-]+)`", row[0])}
    assert described == set(ICONS)


def test_every_colour_and_step_of_type_is_described() -> None:
    named = {name for row in rows("Colours") for name in re.findall(r"`(\w+)`", row[0])}
    assert named == set(Colours.__slots__) - {"is_dark"}
    steps = {row[0].strip("`"): float(row[1]) for row in rows("Type")}
    assert set(steps) == set(Type)
    body = Look(palette("light")).font(Type.BODY).pointSizeF()
    for step, factor in steps.items():
        if step != Type.MONO:
            size = Look(palette("light")).font(Type(step)).pointSizeF()
            assert size == pytest.approx(body * factor, rel=0.05)


def test_no_window_has_a_colour_or_a_size_of_its_own() -> None:
    """Colours and sizes in pixels stand in look.py alone; 1px is a line, not a size."""
    own = re.compile(
        r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|Qt\.GlobalColor\.(?!transparent)\w+"
        r"|QColor\(\s*[\"'0-9](?!black|white)|\b(?!0px|1px)\d+(?:px|pt)\b"
    )
    found = [
        f"{path.name}:{number}: {match.group()}"
        for path in sorted((ROOT / "app/archivist/gui").rglob("*.py"))
        if path.name not in {"look.py", "contrast.py"}
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").split("\n"), 1)
        if (match := own.search(line))
    ]
    assert not found
