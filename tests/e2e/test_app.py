"""The tray application as a person's desktop sees it: its own process, a bus, a screen, a tray."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from archivist.machine.single import Instance
from helpers import session
from helpers.claude import chat, transcript
from helpers.program import Program, demo
from helpers.shared import ROOT

pytest.importorskip("PySide6.QtDBus", reason="the tray needs Qt's libraries", exc_type=ImportError)

from helpers.tray_host import NOTIFICATIONS, WATCHER, Item, Panel, panel, until

pytestmark = [pytest.mark.long, pytest.mark.gui, pytest.mark.tray]

PATIENCE = 30.0
QUICKLY = 3.0
"""Seconds in which the program ends, whatever it does."""


@pytest.fixture(scope="module", autouse=True)
def _desktop() -> Iterator[None]:
    session.need("gdbus")
    with session.desktop():
        yield


@pytest.fixture
def tray() -> Iterator[Panel]:
    """A panel with a tray."""
    with panel() as started:
        yield started


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program on an empty profile and a home with one short conversation."""
    writer, records = chat(1, ["Please use pytest, not unittest."])
    transcript(tmp_path / "home", writer, records)
    return Program(tmp_path / "profile", tmp_path / "home")


@contextmanager
def running(program: Program, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run it until the block ends; it must have been ended there, or is killed."""
    child = program.start(*(arguments or ("run", "--background")))
    try:
        until(lambda: child.poll() is not None or (program.profile / "app.sock").exists())
        if child.poll() is not None:
            pytest.fail(f"it ended at once: {child.communicate()}")
        yield child
    finally:
        child.kill()
        child.communicate()


def opens(*titles: str) -> None:
    """Wait until these windows are open and no other."""
    deadline = time.monotonic() + PATIENCE
    while (shown := set(session.windows())) != set(titles):
        assert time.monotonic() < deadline, f"open are {shown or 'none'}"
        time.sleep(0.05)


def logged(program: Program) -> str:
    log = program.profile / "archivist.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


def ends_cleanly(program: Program, child: "subprocess.Popen[str]", end: Callable[[], None]) -> None:
    """Let it end; it must do so soon, with code 0, and leave nothing behind."""
    children = psutil.Process(child.pid).children(recursive=True)
    began = time.monotonic()
    end()
    out, err = child.communicate(timeout=20)
    assert time.monotonic() - began < QUICKLY
    assert child.returncode == 0, err
    assert out == ""
    assert "Traceback" not in err
    assert [process for process in children if process.is_running()] == []
    left = {path.name for path in program.profile.iterdir()}
    assert not left & {"archive.db-wal", "archive.db-shm", "app.sock"}
    assert "bug" not in logged(program)
    assert "Traceback" not in logged(program)


def ask(program: Program, **message: str) -> Any:  # noqa: ANN401 - a JSON line
    """Ask the running program as a second start would."""
    paths = program.profile
    return asyncio.run(Instance(lock=paths / "app.lock", socket=paths / "app.sock").ask(message))


def turns(program: Program) -> int:
    answer = ask(program, do="status") or {}
    return int(answer.get("turns", 0))


# The tray.


def test_the_icon_registers_its_menu_is_read_and_a_click_opens_the_window(
    tray: Panel, program: Program
) -> None:
    with running(program) as child:
        item = tray.item()
        until(lambda: turns(program))
        until(lambda: "Up to date since" in item.property("ToolTip"))
        labels = item.labels()
        assert labels[0] == "Open segments"
        assert labels[-1] == "Quit"
        assert "Save clipboard now" in labels
        assert not [label for label in labels if label.startswith("Problems")]
        status = next(entry for entry in item.menu() if entry.label.startswith("Up to date"))
        assert not status.is_enabled
        assert session.windows() == {}
        item.activate()
        opens("Segments")
        ends_cleanly(program, child, lambda: item.choose("Quit"))


def test_a_pause_shows_in_icon_menu_and_command_line(tray: Panel, program: Program) -> None:
    with running(program) as child:
        item = tray.item()
        until(lambda: turns(program))
        item.choose("For 1 hour")
        until(lambda: "Resume" in item.labels())
        assert "Paused until" in item.property("ToolTip")
        assert program.ask("status")["paused"]
        item.choose("Resume")
        until(lambda: "Pause" in item.labels())
        assert not program.ask("status")["paused"]
        program.run("pause")
        until(lambda: "Paused until you resume it." in item.labels())
        ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))


def test_what_is_reviewed_elsewhere_shows_in_the_menu(tray: Panel, tmp_path: Path) -> None:
    program = demo(tmp_path)
    with running(program) as child:
        item = tray.item()
        until(lambda: any("Review lessons (" in label for label in item.labels()), seconds=30)
        ends_cleanly(program, child, lambda: item.choose("Quit"))


def test_a_tray_that_starts_later_gets_the_icon(program: Program) -> None:
    with running(program) as child:
        time.sleep(2)  # the session's panel is slower than its programs
        assert session.windows() == {}
        with panel() as late:
            item = late.item(seconds=15)
            assert item.labels()[0] == "Open segments"
            ends_cleanly(program, child, lambda: item.choose("Quit"))


def test_without_any_tray_the_window_opens_and_the_program_lives(program: Program) -> None:
    with running(program) as child:
        opens("Segments")
        assert child.poll() is None
        ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))


def test_a_real_tray_docks_the_icon_and_a_real_click_opens_the_window(program: Program) -> None:
    session.need("trayer", "xdotool")
    bar = ["trayer", "--edge", "bottom", "--width", "20", "--height", "32"]
    with subprocess.Popen(bar, stderr=subprocess.DEVNULL) as trayer:
        try:
            until(lambda: session.exists("panel"))
            with running(program) as child:
                x, y = until(session.docked)
                assert session.windows() == {}
                click = ["xdotool", "mousemove", str(x), str(y), "click", "1"]
                subprocess.run(click, check=True, timeout=20)
                opens("Segments")
                ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))
        finally:
            trayer.kill()


def test_a_notice_of_new_lessons_opens_the_review_and_a_foreign_click_nothing(
    tmp_path: Path,
) -> None:
    program = demo(tmp_path)
    with panel(WATCHER, NOTIFICATIONS) as desktop, running(program) as child:
        notice = desktop.wait("notify", seconds=30)
        assert notice["app"] == "Archivist"
        assert notice["summary"].endswith("for you")
        assert notice["actions"] == ["default", "Review", "review", "Review"]
        lessons = [lesson["text"] for lesson in program.ask("lessons", "list")]
        assert lessons
        assert not [text for text in lessons if text in f"{notice['summary']} {notice['body']}"]
        desktop.order("action 7 review")
        assert ask(program, do="status")["ok"]  # a turn of its loop later
        assert session.windows() == {}
        desktop.order("action 41 review")
        opens("Lessons")
        ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))
        assert len([event for event in desktop.events if "notify" in event]) == 1


def test_switched_off_no_notice_is_sent(tmp_path: Path) -> None:
    program = demo(tmp_path)
    program.run("settings", "set", "general.notifications", "none")
    with panel(WATCHER, NOTIFICATIONS) as desktop, running(program) as child:
        item = desktop.item()
        until(lambda: "to review" in item.property("ToolTip"), seconds=30)
        ends_cleanly(program, child, lambda: item.choose("Quit"))
        assert not [event for event in desktop.events if "notify" in event]


# One program for each profile.


def test_a_second_start_opens_the_window_of_the_first(tray: Panel, program: Program) -> None:
    with running(program) as child:
        tray.item()
        assert program.run("open", "problems") == ""
        opens("Problems")
        assert program.run() == ""
        opens("Problems", "Segments")
        assert [p.pid for p in archivists(program)] == [child.pid]
        ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))


def test_after_a_kill_the_next_start_is_the_first(tray: Panel, program: Program) -> None:
    with running(program) as child:
        tray.item()
        child.kill()
        child.wait()
    assert (program.profile / "app.sock").exists(), "the socket of the dead one stays behind"
    with running(program, "open", "problems") as child:
        opens("Problems")
        assert ask(program, do="status")["ok"]
        ends_cleanly(program, child, lambda: child.send_signal(signal.SIGTERM))


def archivists(program: Program) -> list[psutil.Process]:
    """Return the running programs of a profile."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(program.profile) in (process.info["cmdline"] or [])
    ]


# The end.


def quit_in_menu(program: Program, child: "subprocess.Popen[str]", item: Item) -> None:
    item.choose("Quit")


def terminate(program: Program, child: "subprocess.Popen[str]", item: Item) -> None:
    child.send_signal(signal.SIGTERM)


def interrupt(program: Program, child: "subprocess.Popen[str]", item: Item) -> None:
    child.send_signal(signal.SIGINT)


def tell(program: Program, child: "subprocess.Popen[str]", item: Item) -> None:
    assert ask(program, do="quit") == {"ok": True}


ENDS = [quit_in_menu, terminate, interrupt, tell]
End = Callable[[Program, "subprocess.Popen[str]", Item], None]


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_when_idle(tray: Panel, program: Program, end: End) -> None:
    with running(program) as child:
        item = tray.item()
        until(lambda: turns(program))
        ends_cleanly(program, child, lambda: end(program, child, item))


@pytest.mark.parametrize("end", [quit_in_menu, terminate])
def test_it_ends_while_it_starts(tray: Panel, program: Program, end: End) -> None:
    child = program.start("run", "--background")
    try:
        item = tray.item()
        item.menu()
        end(program, child, item)
        assert child.wait(timeout=QUICKLY + 2) == 0
        assert "Traceback" not in child.communicate()[1]
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("end", [quit_in_menu, terminate])
def test_it_ends_in_the_midst_of_a_big_import(tray: Panel, tmp_path: Path, end: End) -> None:
    program = Program(tmp_path / "profile", tmp_path / "home")
    writer, records = chat(
        1, [f"Prompt {n}: " + "words and more words " * 200 for n in range(4000)]
    )
    transcript(program.home, writer, records)
    with running(program) as child:
        item = tray.item()
        until(lambda: turns(program) > 50, seconds=30)
        ends_cleanly(program, child, lambda: end(program, child, item))
    stored = program.ask("status")["turns"]
    assert 0 < stored < 8000, "it was not in the midst of it"


@pytest.mark.parametrize("end", [quit_in_menu, terminate])
def test_it_ends_while_it_archives(tray: Panel, tmp_path: Path, end: End) -> None:
    program = Program(tmp_path / "profile", tmp_path / "home")
    for number in range(120):
        prompts = [f"Topic {number}, prompt {n}: please use pytest {n}." for n in range(12)]
        writer, records = chat(number, prompts)
        transcript(program.home, writer, records)
    with running(program) as child:
        item = tray.item()
        until(lambda: "Archiving, step" in item.property("ToolTip"), seconds=60)
        ends_cleanly(program, child, lambda: end(program, child, item))


@pytest.mark.parametrize("end", [quit_in_menu, terminate])
def test_it_ends_while_a_model_works(tray: Panel, program: Program, end: End) -> None:
    if None in [model["name"] for model in program.ask("models", "list")]:
        pytest.skip("the local models are not installed")
    program.run("settings", "set", "models.summarise", "smollm2")
    program.run("settings", "set", "archive.max_exchanges", "1")
    writer, records = chat(2, [f"Prompt {n}: why is the cache stale?" for n in range(8)])
    transcript(program.home, writer, records)
    with running(program) as child:
        item = tray.item()
        until(lambda: "a recap by SmolLM2" in item.property("ToolTip"), seconds=60)
        until(lambda: psutil.Process(child.pid).children(), seconds=30)
        ends_cleanly(program, child, lambda: end(program, child, item))


@pytest.mark.parametrize("end", [quit_in_menu, terminate, tell])
def test_it_ends_with_a_window_open(tray: Panel, program: Program, end: End) -> None:
    with running(program, "open", "problems") as child:
        item = tray.item()
        until(session.windows)
        ends_cleanly(program, child, lambda: end(program, child, item))


@pytest.mark.parametrize("end", [quit_in_menu, terminate])
def test_it_ends_with_a_dialog_open(tray: Panel, program: Program, end: End) -> None:
    session.need("xdotool")
    with running(program, "open", "problems") as child:
        item = tray.item()
        number = until(lambda: session.windows().get("Problems"))
        subprocess.run(["xdotool", "windowfocus", "--sync", number, "key", "F1"], check=True)
        until(lambda: session.dialog("Keys"))
        ends_cleanly(program, child, lambda: end(program, child, item))


def test_two_ends_at_once_are_one(tray: Panel, program: Program) -> None:
    with running(program) as child:
        tray.item()

        def both() -> None:
            for _ in range(3):
                child.send_signal(signal.SIGTERM)

        ends_cleanly(program, child, both)


def test_a_profile_that_cannot_be_opened_says_so_and_ends(tray: Panel, program: Program) -> None:
    """The dialog stays until it was read, and gives way to the end of the session."""
    program.run("import")
    connection = sqlite3.connect(program.profile / "archive.db")
    connection.execute("pragma user_version = 999")
    connection.close()
    child = program.start("run")
    try:
        until(lambda: session.dialog("Archivist"))
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=QUICKLY) == 1
    finally:
        child.kill()
        child.communicate()


# Another Qt binding.


def test_another_binding_on_the_path_is_not_taken(tmp_path: Path) -> None:
    other = tmp_path / "PyQt6"
    other.mkdir()
    for name in ("__init__", "QtCore", "QtGui", "QtWidgets"):
        (other / f"{name}.py").write_text("raise RuntimeError('the wrong binding')\n")
    code = "from archivist.gui import shell; import qasync; print(qasync.QtCore.__name__)"
    path = os.pathsep.join([str(tmp_path), str(ROOT / "app")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "QT_API": "pyqt6"},
        timeout=60,
    )
    assert done.stdout.strip() == "PySide6.QtCore", done.stderr
