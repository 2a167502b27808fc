"""The end of the program when something does not want to end."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from archivist.gui import ending
from helpers.claude import chat, transcript
from helpers.program import environment
from helpers.shared import ROOT

pytestmark = pytest.mark.gui

QUICKLY = 3.0
SOON = 2.0
"""Seconds; sooner, because everything is closed by then."""

HELD = """
import asyncio, sys, time
from contextlib import asynccontextmanager
from archivist import __main__ as program, compose

opened = compose.opened

@asynccontextmanager
async def held(profile, home, **more):
    async with opened(profile, home, **more) as services:
        job = asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)
        print("held", flush=True)
        yield services
        del job

compose.opened = held
sys.exit(program.main(sys.argv[1:]))
"""
"""The program with a job in a thread that nothing can stop."""


def test_the_times_of_the_parts_are_within_the_last_resort() -> None:
    before = ending.TYPED_SECONDS + ending.MODELS_SECONDS
    parts = before + ending.CAPTURE_SECONDS + ending.DATABASE_SECONDS
    assert parts < ending.LAST_SECONDS < QUICKLY


@pytest.mark.allow_logs
async def test_a_part_that_hangs_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    began = time.monotonic()
    async with asyncio.timeout(5):
        await ending.within(0.05, asyncio.Event().wait(), name="models")
    assert time.monotonic() - began < 1
    assert [record.getMessage() for record in caplog.records] == [
        "end cut off part=models after=0.1"
    ]


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_thread_that_cannot_be_stopped_does_not_keep_the_program(tmp_path: Path) -> None:
    profile, home = tmp_path / "profile", tmp_path / "home"
    writer, records = chat(1, ["Please use pytest, not unittest."])
    transcript(home, writer, records)
    folders = ["--profile-dir", str(profile), "--home", str(home)]
    child = subprocess.Popen(
        [sys.executable, "-c", HELD, *folders, "run", "--background"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(QT_QPA_PLATFORM="offscreen", PYTHONPATH=str(ROOT / "app")),
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=20)
        assert time.monotonic() - began < SOON
        assert not (profile / "archive.db-wal").exists()
        assert "Timeout" in (profile / "crash.log").read_text()  # with the thread that held it
    finally:
        child.kill()
        child.communicate()


def test_what_kills_the_interpreter_leaves_its_stacks(tmp_path: Path) -> None:
    code = (
        "import ctypes, sys; from pathlib import Path\n"
        "from archivist.gui.bugs import open_crash_log\n"
        "def broken():\n    ctypes.string_at(0)\n"
        "open_crash_log(Path(sys.argv[1]))\nbroken()"
    )
    log = tmp_path / "crash.log"
    ran = subprocess.run(
        [sys.executable, "-c", code, str(log)],
        env=environment(QT_QPA_PLATFORM="offscreen"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode != 0
    assert "in broken" in log.read_text()


def test_the_last_resort_never_comes_later_than_it_was_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It needs no `sys.stderr` either: a program started by a desktop may have none."""
    set_to: list[float] = []

    def note(seconds: float, *, exit: bool, file: int) -> None:  # noqa: A002 - its name
        assert (exit, file) == (True, 7)
        set_to.append(seconds)

    monkeypatch.setattr("faulthandler.dump_traceback_later", note)
    monkeypatch.setattr("sys.stderr", None)
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    last = ending.LastResort(7)
    last.begin()
    last.begin()
    now[0] = 2.5
    last.all_is_closed()
    assert set_to == [ending.LAST_SECONDS]
    early = ending.LastResort(7)
    early.begin()
    early.all_is_closed()
    assert set_to[1:] == [ending.LAST_SECONDS, ending.THREADS_SECONDS]
