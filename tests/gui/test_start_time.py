"""How soon the icon is in the tray, beside a program that is nothing but an icon."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.program import environment

BENCH = Path(__file__).resolve().parents[1] / "bench" / "app.py"
NEEDED = ("xvfb-run", "dbus-run-session")

pytestmark = [pytest.mark.gui, pytest.mark.tray, pytest.mark.long]


def test_the_icon_comes_within_a_second_and_three_times_the_least(tmp_path: Path) -> None:
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"not installed: {' '.join(missing)}")
    out = tmp_path / "figures.json"
    ran = subprocess.run(
        [sys.executable, str(BENCH), "--only", "starts", "--starts", "4", "--out", str(out)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["start_ms"] < 1_000
    assert figures["start_ratio"] < 3
