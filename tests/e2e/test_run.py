"""The background loop as its own process: it follows, it is one, it ends cleanly."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from helpers.claude import chat, lines, transcript
from helpers.program import Program

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]


@contextmanager
def running(program: Program) -> Iterator[subprocess.Popen[str]]:
    child = program.start("run", "--no-gui")
    try:
        wait(lambda: child.poll() is not None or (program.profile / "app.sock").exists())
        if child.poll() is not None:
            pytest.fail(f"it ended at once: {child.communicate()}")
        yield child
    finally:
        child.kill()
        child.communicate()


def wait(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)


def prompts(program: Program) -> list[str]:
    connection = sqlite3.connect(f"file:{program.profile / 'archive.db'}?mode=ro", uri=True)
    try:
        rows = connection.execute("select text from episode where role = 'user' order by id")
        return [row[0] for row in rows]
    finally:
        connection.close()


def test_it_follows_while_the_command_line_reads_and_ends_without_a_trace(tmp_path: Path) -> None:
    writer, records = chat(1, ["first", "second"])
    path = transcript(tmp_path / "home", writer, records[:2])
    program = Program(tmp_path / "profile", tmp_path / "home")
    with running(program) as child:
        wait(lambda: prompts(program) == ["first"])
        data = lines(records[2:])
        with path.open("ab") as file:
            file.write(data[:50])
            file.flush()
            time.sleep(0.6)
            file.write(data[50:])
        wait(lambda: prompts(program) == ["first", "second"])
        assert program.ask("status")["turns"] == 4
        assert program.ask("import")["new_turns"] == 0
        second = json.loads(program.run("run", "--no-gui", "--json"))
        assert second["running"]
        assert second["answer"]["ok"]
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=10) == 0
        assert time.monotonic() - began < 3
    left = sorted(p.name for p in program.profile.iterdir())
    assert left == ["app.lock", "archive.db", "archivist.log"]
    assert psutil.Process().children(recursive=True) == []
    assert "first" not in (program.profile / "archivist.log").read_text()
    assert {row["reason"] for row in program.ask("segments", "list")} <= {"exit", "idle"}


def test_killed_it_leaves_no_lock_and_the_next_start_goes_on(tmp_path: Path) -> None:
    writer, records = chat(1, ["first"])
    path = transcript(tmp_path / "home", writer, records)
    program = Program(tmp_path / "profile", tmp_path / "home")
    with running(program) as child:
        wait(lambda: prompts(program) == ["first"])
        child.kill()
        child.wait()
        (program.profile / "app.sock").unlink(missing_ok=True)
    with path.open("ab") as file:
        file.write(lines([writer.user("later")]))
    with running(program):
        wait(lambda: prompts(program) == ["first", "later"])


def test_idle_it_hardly_uses_the_machine(tmp_path: Path) -> None:
    writer, records = chat(1, ["first"])
    transcript(tmp_path / "home", writer, records)
    program = Program(tmp_path / "profile", tmp_path / "home")
    with running(program) as child:
        wait(lambda: prompts(program) == ["first"])
        time.sleep(2)
        process = psutil.Process(child.pid)
        before = sum(process.cpu_times()[:2])
        time.sleep(4)
        used = sum(process.cpu_times()[:2]) - before
        assert used / 4 < 0.02, "more than two in a hundred of one core while nothing happens"
