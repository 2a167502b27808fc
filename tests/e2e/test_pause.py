"""A pause from the command line reaches the running app, and outlives it."""

import json
import os
from pathlib import Path

import pytest

from e2e.test_run import prompts, running, wait
from helpers.claude import chat, lines, transcript
from helpers.program import Program

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]


def test_the_running_app_rests_until_it_is_resumed_also_over_a_restart(tmp_path: Path) -> None:
    writer, records = chat(1, ["first", "second", "third"])
    path = transcript(tmp_path / "home", writer, records[:2])
    program = Program(tmp_path / "profile", tmp_path / "home")
    with running(program) as child:
        wait(lambda: prompts(program) == ["first"])
        assert program.ask("pause")["running"] is True
        with path.open("ab") as file:
            file.write(lines(records[2:4]))
        assert program.ask("status")["paused"] is True
        child.terminate()
        assert child.wait(timeout=10) == 0
    assert prompts(program) == ["first"]
    with running(program):
        with path.open("ab") as file:
            file.write(lines(records[4:]))
        logged = program.profile / "archivist.log"
        wait(lambda: "pause until=None" in logged.read_text())
        assert prompts(program) == ["first"]
        resumed = json.loads(program.run("resume", "--json"))
        assert resumed == {"paused": False, "paused_until": None, "running": True}
        wait(lambda: prompts(program) == ["first", "second", "third"], seconds=5)
