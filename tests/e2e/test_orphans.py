"""The program is killed while a model works: its worker does not outlive it."""

import os
from pathlib import Path

import psutil
import pytest

from archivist.models import installed
from e2e.test_quit import session, works
from e2e.test_run import running, wait
from helpers.program import Program

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]

SOON = 3.0


def test_a_worker_ends_with_the_program_also_in_the_midst_of_an_answer(
    tmp_path: Path,
) -> None:
    if not isinstance(installed.find().text, installed.TextModel):
        pytest.skip("no text model is installed")
    program = Program(tmp_path / "profile", tmp_path / "home")
    session(program.home, 1, exchanges=25, output=100)
    program.run("settings", "set", "models.summarise", "smollm2")
    with running(program) as child:
        wait(lambda: works(child.pid, "text"), seconds=60)
        workers = psutil.Process(child.pid).children(recursive=True)
        child.kill()
        child.wait()
        _, alive = psutil.wait_procs(workers, timeout=SOON)
        assert alive == []
