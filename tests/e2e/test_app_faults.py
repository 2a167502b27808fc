"""The tray application on bad days of the desktop: a screen that goes, a profile it cannot use."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from helpers import session
from helpers.claude import chat, transcript
from helpers.program import Program, demo, environment

pytest.importorskip("PySide6.QtWidgets", reason="windows need Qt's libraries", exc_type=ImportError)

pytestmark = [pytest.mark.long, pytest.mark.gui]

QUICKLY = 3.0
LEFT = {"archive.db-wal", "archive.db-shm", "app.sock"}


@pytest.fixture
def desktop() -> Iterator[None]:
    """A desktop of the test's own, without a tray: that is one window more."""
    with session.desktop():
        yield


@pytest.fixture
def program(tmp_path: Path) -> Program:
    writer, records = chat(1, ["Please use pytest, not unittest."])
    transcript(tmp_path / "home", writer, records)
    return Program(tmp_path / "profile", tmp_path / "home")


@contextmanager
def started(program: Program, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    child = program.start(*arguments)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


@contextmanager
def running(program: Program) -> Iterator["subprocess.Popen[str]"]:
    """Run it with its window open."""
    with started(program, "run") as child:
        until(session.windows, child)
        yield child


def until(
    holds: Callable[[], object], child: "subprocess.Popen[str]", *, seconds: float = 30
) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert child.poll() is None, f"it ended: {child.communicate()}"
        assert time.monotonic() < deadline, "did not come to hold"
        time.sleep(0.02)


def ended(program: Program, child: "subprocess.Popen[str]", *, within: float = QUICKLY) -> str:
    """Wait for its end, which must come soon and leave no process; return what it wrote."""
    began = time.monotonic()
    children = psutil.Process(child.pid).children(recursive=True)
    out, err = child.communicate(timeout=20)
    assert time.monotonic() - began < within
    assert out == ""
    assert "Traceback" not in err
    assert "Fatal" not in err
    _, alive = psutil.wait_procs(children, timeout=1)
    # Where nobody reaps the orphans of a container they stay as zombies.
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
    return err


def names(program: Program) -> set[str]:
    return {path.name for path in program.profile.iterdir()}


def crash_log(program: Program) -> str:
    return (program.profile / "crash.log").read_text(encoding="utf-8")


# The screen.


def test_it_ends_with_its_screen_and_saves_what_is_there(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.need("Xvfb", "xwininfo")
    command = (
        "Xvfb",
        "-displayfd",
        "1",
        "-screen",
        "0",
        "800x600x24",
        "-nolisten",
        "tcp",
        "-noreset",
    )
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as screen:
        try:
            assert screen.stdout is not None
            monkeypatch.setenv("DISPLAY", f":{screen.stdout.readline().decode().strip()}")
            monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
            monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
            monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
            with running(program) as child:
                until(lambda: turns(program), child)
                screen.kill()
                ended(program, child)
                assert child.returncode > 0
        finally:
            screen.kill()
    side = program.profile / "archive.db-wal"
    assert not side.exists() or side.stat().st_size == 0
    assert crash_log(program) == ""


def turns(program: Program) -> int:
    with sqlite3.connect(f"file:{program.profile / 'archive.db'}?mode=ro", uri=True) as connection:
        (count,) = connection.execute("select count(*) from episode").fetchone()
    connection.close()
    return int(count)


def without_a_screen(program: Program, *arguments: str, **more: str) -> tuple[int, str, str]:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {key: value for key, value in environment(**more).items() if key not in names or more}
    ran = subprocess.run(
        program.command(*arguments), capture_output=True, text=True, env=kept, check=False
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="screens of Linux")
def test_without_a_screen_it_says_so_and_without_a_wish_it_helps(program: Program) -> None:
    code, out, err = without_a_screen(program)
    assert (code, err) == (0, "")
    assert "usage: archivist" in out
    for verb in (("run",), ("run", "--background")):
        code, out, err = without_a_screen(program, *verb)
        assert (code, out) == (1, "")
        assert "There is no screen to show windows on." in err
        assert "archivist run --no-gui" in err
    assert not program.profile.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="screens of Linux")
def test_a_screen_that_does_not_answer_is_a_sentence_and_no_crash(program: Program) -> None:
    dead = {"DISPLAY": ":7077", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    for verb in ((), ("run", "--background")):
        code, out, err = without_a_screen(program, *verb, **dead)
        assert (code, out) == (1, "")
        assert "The screen :7077 does not answer." in err


def test_a_qt_that_lacks_a_library_is_a_sentence(program: Program, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "PySide6"
    broken.mkdir(parents=True)
    text = 'raise ImportError("libEGL.so.1: cannot open shared object file: No such file")'
    (broken / "__init__.py").write_text(text, encoding="utf-8")
    path = os.pathsep.join([str(broken.parent), environment()["PYTHONPATH"]])
    code, out, err = without_a_screen(program, QT_QPA_PLATFORM="offscreen", PYTHONPATH=path)
    assert (code, out) == (1, "")
    assert "Windows need the library libEGL.so.1" in err
    assert "Traceback" not in err


# A profile that cannot be used, and a log that cannot be written.


@pytest.mark.parametrize("name", ["", "app.lock", "app.sock"])
def test_what_is_in_the_way_is_told_in_a_dialog(desktop: None, program: Program, name: str) -> None:
    """Whoever starts it from a menu reads no terminal."""
    if name:
        (program.profile / name).mkdir(parents=True)
    else:
        program.profile.write_text("no folder", encoding="utf-8")
    with started(program, "run") as child:
        until(lambda: session.dialog("Archivist"), child)
        child.send_signal(signal.SIGTERM)
        ended(program, child)
        assert child.returncode == 1


def test_without_logs_it_goes_on_and_lists_why(desktop: None, program: Program) -> None:
    for name in ("archivist.log", "crash.log"):
        (program.profile / name).mkdir(parents=True)
    with running(program) as child:
        until(lambda: len(program.ask("problems", "list")) == 2, child)
        child.send_signal(signal.SIGTERM)
        ended(program, child)
        assert child.returncode == 0
    for name in ("archivist.log", "crash.log"):
        (program.profile / name).rmdir()
    with running(program) as child:
        until(lambda: not program.ask("problems", "list"), child)
        child.send_signal(signal.SIGTERM)
        ended(program, child)


# The end.


SIGNAL = """
import os, sys
class Hook:
    def find_spec(self, name, *more):
        if name == sys.argv[1]:
            os.kill(os.getpid(), int(sys.argv[2]))
sys.meta_path.insert(0, Hook())
from archivist.__main__ import main
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.parametrize(
    "module", ["PySide6", "archivist.gui.tray", "qasync", "archivist.gui.program", "aiosqlite"]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_starts_ends_it_cleanly(
    program: Program, module: str, number: signal.Signals
) -> None:
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-c", SIGNAL, module, str(int(number)), *program.command("run")[3:]],
        capture_output=True,
        text=True,
        env=environment(QT_QPA_PLATFORM="offscreen"),
        timeout=20,
        check=False,
    )
    assert time.monotonic() - began < QUICKLY
    assert ran.returncode in ({0, 130} if number == signal.SIGINT else {0}), ran.stderr
    assert "Traceback" not in ran.stderr
    assert not program.profile.exists() or not names(program) & LEFT


def test_a_lock_of_another_program_does_not_keep_it(desktop: None, tmp_path: Path) -> None:
    program = demo(tmp_path)
    with running(program) as child:
        until(lambda: turns(program) > 300, child)
        other = sqlite3.connect(program.profile / "archive.db", isolation_level=None, timeout=20)
        try:
            other.execute("begin exclusive")
            child.send_signal(signal.SIGTERM)
            ended(program, child)
        finally:
            other.close()
        assert child.returncode == 0
    assert crash_log(program) == ""


def test_an_archive_that_stays_locked_while_it_starts_does_not_keep_it(
    desktop: None, program: Program
) -> None:
    """And whoever starts it again meanwhile is answered, at once and as long as it takes."""
    program.run("import")
    other = sqlite3.connect(program.profile / "archive.db", isolation_level=None)
    other.execute("drop index segment_list")
    other.execute("drop index evidence_episode")
    other.execute("pragma user_version = 1")
    other.execute("begin immediate")
    try:
        with started(program, "run", "--background") as child:
            until((program.profile / "app.lock").exists, child)
            assert program.run("open", "lessons") == ""
            child.send_signal(signal.SIGTERM)
            ended(program, child)
            assert child.returncode == 0
        assert crash_log(program) == ""
        with started(program, "run", "--background") as child:
            until((program.profile / "app.sock").exists, child)
            assert program.run("open", "lessons") == ""
            assert session.windows() == {}
            other.execute("rollback")
            other.close()
            until(lambda: "Lessons" in session.windows(), child)
            assert program.run("run", "--background") == ""
            assert "Segments" not in session.windows()
            child.send_signal(signal.SIGTERM)
            ended(program, child)
            assert child.returncode == 0
    finally:
        other.close()
    assert not names(program) & LEFT


def test_who_talks_to_it_and_says_nothing_does_not_keep_it(desktop: None, program: Program) -> None:
    with running(program) as child, socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(program.profile / "app.sock"))
        child.send_signal(signal.SIGTERM)
        ended(program, child)
        assert child.returncode == 0
    assert not names(program) & LEFT
