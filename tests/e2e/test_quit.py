"""Whatever the background loop is at, it ends at once, cleanly, and the next start goes on."""

import os
import random
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from archivist.models import installed
from e2e.test_run import running, wait
from helpers.claude import Writer, call, transcript
from helpers.program import Program
from helpers.shared import ROOT

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]

QUIT_SECONDS = 2.0
WORDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split()


def session(home: Path, number: int, *, exchanges: int, output: int) -> Path:
    """Write a session with tool calls whose output has so many words."""
    chance, writer = random.Random(number), Writer(number)
    records = []

    def text(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words))

    for turn in range(exchanges):
        ident = f"t{number}-{turn}"
        records.append(writer.user(f"{text(30)} please"))
        records.append(writer.assistant(call(ident, "Bash", command="ls"), text=text(60)))
        records.append(writer.result(ident, text(output)))
        records.append(writer.assistant(text=text(120)))
    return transcript(home, writer, records)


def one(program: Program, query: str) -> Any:  # noqa: ANN401 - any value
    connection = sqlite3.connect(f"file:{program.profile / 'archive.db'}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchone()[0]
    finally:
        connection.close()


def works(pid: int, kind: str) -> bool:
    """Whether a model worker of that kind has done some work."""
    workers = [p for p in psutil.Process(pid).children() if p.cmdline()[-1:] == [kind]]
    return any(worker.cpu_times().user > 1.0 for worker in workers)


def quit_when(program: Program, query: str, *, worker: str = "") -> None:
    """Start the loop, ask it to end as soon as the archive says so, and check how it ended.

    With `worker` also such a model worker must be there.
    """
    with running(program) as child:
        wait(lambda: bool(one(program, query)), seconds=60)
        wait(lambda: not worker or works(child.pid, worker), seconds=60)
        children = psutil.Process(child.pid).children(recursive=True)
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=30) == 0
        assert time.monotonic() - began < QUIT_SECONDS
    assert not [one for one in children if one.is_running()]
    left = {path.name for path in program.profile.iterdir()} - {"settings.toml"}
    assert left == {"app.lock", "archive.db", "archivist.log"}
    assert "bug" not in (program.profile / "archivist.log").read_text()
    assert one(program, "select count(*) from job where state = 'running'") == 0


def test_in_the_middle_of_a_large_file_it_stops_and_goes_on_from_there(tmp_path: Path) -> None:
    program = Program(tmp_path / "profile", tmp_path / "home")
    path = session(program.home, 1, exchanges=800, output=9_000)
    assert path.stat().st_size > 40_000_000
    quit_when(program, "select count(*) > 300 from episode")
    read = one(program, "select count(*) from episode")
    assert read < 2_400
    assert one(program, "select unfinished from source_file") == 1
    new = program.ask("import")["new_turns"]
    assert read + new == one(program, "select count(*) from episode") == 2_400


def test_while_archiving_by_rules_it_stops_after_the_step_in_hand(tmp_path: Path) -> None:
    program = Program(tmp_path / "profile", tmp_path / "home")
    for number in range(1, 60):
        session(program.home, number, exchanges=25, output=100)
    quit_when(program, "select count(*) > 5 from job where state = 'done'")
    assert one(program, "select count(*) > 50 from job where state = 'waiting'") == 1
    assert one(program, "select max(attempts) from job where state = 'waiting'") == 0


def test_while_a_model_writes_it_stops_the_model(tmp_path: Path) -> None:
    if not isinstance(installed.find().text, installed.TextModel):
        pytest.skip("no text model is installed")
    program = Program(tmp_path / "profile", tmp_path / "home")
    session(program.home, 1, exchanges=25, output=100)
    program.run("settings", "set", "models.summarise", "smollm2")
    quit_when(
        program,
        "select count(*) > 0 from job where state = 'running' and stage = 'recap'",
        worker="text",
    )
    assert one(program, "select count(*) from recap") == 0
