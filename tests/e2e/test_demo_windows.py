"""On a terminal with a screen the demo ends with its windows."""

import asyncio
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path

import pytest

from archivist.machine.single import Instance
from archivist.paths import Paths
from helpers.program import environment

pytest.importorskip("PySide6.QtWidgets", reason="windows need Qt's libraries", exc_type=ImportError)
pty = pytest.importorskip("pty", reason="a terminal of POSIX")

pytestmark = [pytest.mark.gui, pytest.mark.long]


def test_the_windows_open_and_the_demo_ends_with_them(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "kept" / "profile")
    app = Instance(lock=paths.lock, socket=paths.socket)
    ours, theirs = pty.openpty()
    demo = subprocess.Popen(
        [sys.executable, "-m", "archivist", "demo", "--keep", str(tmp_path / "kept")],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment(QT_QPA_PLATFORM="offscreen"),
    )
    os.close(theirs)
    try:
        _read_until_windows(ours, app, end=time.monotonic() + 120)
        assert asyncio.run(app.ask({"do": "quit"})) == {"ok": True}
        assert demo.wait(20) == 0
        assert not (paths.data / "archive.db-wal").exists()
    finally:
        demo.kill()
        demo.wait()
        os.close(ours)


def _read_until_windows(terminal: int, app: Instance, *, end: float) -> None:
    """Read what the demo prints until its windows answer: a full terminal would hold it."""
    with selectors.DefaultSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        while time.monotonic() < end:
            for key, _ in selector.select(timeout=0.1):
                os.read(key.fd, 65_536)
            if asyncio.run(app.ask({"do": "show"})) == {"ok": True, "window": True}:
                return
    raise AssertionError("no window opened")
