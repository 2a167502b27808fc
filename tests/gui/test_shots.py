"""The pictures: one command makes them, and those of the README are there and small."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from helpers.gallery import SHOTS
from helpers.shared import ROOT

pytestmark = pytest.mark.gui

LARGEST = 200_000


@pytest.mark.long
def test_each_state_is_pictured_in_both_themes_and_sizes(tmp_path: Path) -> None:
    command = [sys.executable, str(SHOTS), "--only", "problems-empty", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    names = {
        f"problems-empty-{theme}-{size}x.png" for theme in ("light", "dark") for size in (1, 2)
    }
    assert {path.name for path in tmp_path.iterdir()} == names
    assert {Path(line.split("  ")[0]).name for line in done.stdout.splitlines()} == names
    small = QImage(str(tmp_path / "problems-empty-light-1x.png"))
    large = QImage(str(tmp_path / "problems-empty-light-2x.png"))
    assert large.size() == small.size() * 2
    dark = QImage(str(tmp_path / "problems-empty-dark-1x.png"))
    assert small.pixelColor(1, 1).lightness() > 200
    assert dark.pixelColor(1, 1).lightness() < 60


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"docs/pictures/[\w-]+\.png", readme))
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/pictures").glob("*.png")}
    assert shown == there
    assert len(there) == 3
    for name in there:
        assert (ROOT / name).stat().st_size <= LARGEST
        assert not QImage(str(ROOT / name)).isNull()
