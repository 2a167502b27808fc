"""A real app beside a real program that holds the clipboard, and the command between them."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from helpers import session
from helpers.program import Program, environment, holding
from helpers.tray_host import until

pytestmark = [pytest.mark.gui, pytest.mark.long]

CANARY = "canary-52d0-hunter2"
MARK = "x-kde-passwordManagerHint"

HOLDER = """
import sys
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
data = QMimeData()
data.setText(sys.argv[1])
for name in sys.argv[2:]:
    data.setData(name, b"secret")
QGuiApplication.clipboard().setMimeData(data)
app.processEvents()
print("holding", flush=True)
app.exec()
"""


@contextmanager
def copied(text: str, *marks: str) -> "Iterator[subprocess.Popen[str]]":
    """Let another program hold the clipboard."""
    command = [sys.executable, "-c", HOLDER, text, *marks]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "holding\n"
            yield holder
        finally:
            holder.kill()


@contextmanager
def running(program: Program) -> Iterator[subprocess.Popen[str]]:
    app = program.start("run", "--background")
    try:
        deadline = time.monotonic() + 60
        while not (program.profile / "app.sock").exists():
            assert app.poll() is None, app.communicate()
            assert time.monotonic() < deadline, "the app did not begin to listen"
            time.sleep(0.05)
        yield app
    finally:
        app.kill()
        app.communicate()


def test_the_app_saves_what_another_program_copied_unless_it_is_marked(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    program = Program(tmp_path / "profile", tmp_path / "home")
    program.run("settings", "set", "clipboard.allowed", "true")
    with session.desktop(), running(program) as app:
        with copied("你说：\n缓存在哪里？\nChatGPT 说：\n在内存里。"):
            saved = program.ask("capture-clipboard")
            assert (saved["kind"], saved["turns"], saved["known"]) == ("chat", 2, False)
            assert program.ask("capture-clipboard")["known"] is True
        with copied(CANARY, MARK):
            error = program.ask("capture-clipboard", code=1)["error"]
            assert MARK in error["message"]
            assert CANARY not in str(error)
        assert len(program.ask("search", "缓存")["hits"]) == 1
        app.terminate()
        assert app.wait(timeout=20) == 0
    assert holding(program.profile, [CANARY.encode()]) == []


def reading(app: "subprocess.Popen[str]") -> bool:
    """Whether the app has a process that looks at the clipboard."""
    return any("clipboard" in child.cmdline() for child in psutil.Process(app.pid).children())


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")
def test_a_program_that_hangs_with_the_clipboard_holds_neither_answers_nor_the_end(
    tmp_path: Path,
) -> None:
    (tmp_path / "home").mkdir()
    program = Program(tmp_path / "profile", tmp_path / "home")
    program.run("settings", "set", "clipboard.allowed", "true")
    with session.desktop(), running(program) as app, copied("User: a") as holder:
        holder.send_signal(signal.SIGSTOP)
        with program.start("capture-clipboard", "--json") as asked:
            until(lambda: reading(app))
            program.run("open", "problems")
            assert reading(app), "a window was opened only after the other had been answered"
            answer, _ = asked.communicate(timeout=30)
        assert "does not answer" in json.loads(answer)["error"]["message"]
        with program.start("capture-clipboard") as asked:
            until(lambda: reading(app))
            began = time.monotonic()
            app.terminate()
            assert app.wait(timeout=20) == 0
            assert time.monotonic() - began < 3.0
            asked.communicate(timeout=30)
