"""The entry in the menu of a Linux desktop says what the program understands."""

import configparser

from archivist.__main__ import _wants_windows
from helpers.shared import ROOT

FILE = ROOT / "packaging" / "linux" / "archivist.desktop"


def entries() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.read(FILE, encoding="utf-8")
    return parser


def test_every_line_that_starts_it_opens_a_window() -> None:
    found = entries()
    actions = [name for name in found["Desktop Entry"]["Actions"].split(";") if name]
    assert [name for name in found.sections() if name != "Desktop Entry"] == [
        f"Desktop Action {name}" for name in actions
    ]
    for section in found.sections():
        program, *words = found[section]["Exec"].split()
        assert program == "archivist"
        assert _wants_windows(words), words


def test_its_names_are_those_that_the_program_goes_by() -> None:
    """Qt tells the desktop the name of this file; the icon is found by the same."""
    application = (ROOT / "app/archivist/gui/application.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{FILE.stem}")' in application
    entry = entries()["Desktop Entry"]
    assert entry["Icon"] == FILE.stem
    assert (ROOT / "resources" / "icons" / f"{FILE.stem}.svg").is_file()
    assert entry["Terminal"] == "false"
