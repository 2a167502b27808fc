"""One way through the whole program with real keys and clicks, from a search to the end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.program import Program, environment
from helpers.shared import ROOT

pytest.importorskip("PySide6.QtWidgets", reason="windows need Qt's libraries", exc_type=ImportError)

from helpers import tour, windows

pytestmark = [pytest.mark.gui, pytest.mark.long]


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return windows.archived_demo(tmp_path_factory.mktemp("tour"))


def test_the_tour(archived: Path) -> None:
    program = Program(archived / "profile", archived / "home")
    memory = archived / "home" / "code" / "orders-api" / "MEMORY.md"
    before = memory.read_text()

    gone = subprocess.run(
        [sys.executable, "-m", "helpers.tour", str(program.profile), str(program.home)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT / "app"), str(ROOT / "tests")])),
        timeout=120,
        check=False,
    )

    assert gone.returncode == 0, f"{gone.returncode}\n{gone.stdout}\n{gone.stderr}"
    states = {lesson["text"]: lesson["state"] for lesson in program.ask("lessons", "list")}
    kept = [text for text, state in states.items() if state == "kept"]
    assert len(kept) == 2
    assert all(any(text.startswith(start) for text in kept) for start in tour.KEPT)
    assert states[tour.REWORDED] == "waiting"
    assert tour.EDITED not in states
    assert states[tour.REJECTED] == "rejected"
    added = [line for line in memory.read_text().splitlines() if line not in before.splitlines()]
    assert len([line for line in added if line.lstrip("- ") in kept]) == 1  # one of two stands
    assert tour.BY_HAND.strip() in added
    (proposal,) = program.ask("memory", "proposals")
    assert len(proposal["hunks"]) == 1  # what was taken back waits again
    assert not (program.profile / "archive.db-wal").exists()
