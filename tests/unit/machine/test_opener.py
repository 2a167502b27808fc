"""Opening with the system's program: what it is given, and what happens when there is none."""

import asyncio
import sys
from pathlib import Path

import pytest

from archivist.domain.problems import FileProblem
from archivist.machine.opener import SystemOpener, environment_for_others

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows opens files by its shell")


def program(folder: Path, body: str) -> list[str]:
    """Return a command that runs a Python text as the system's opener would run."""
    path = folder / "opener.py"
    path.write_text(body)
    return [sys.executable, str(path)]


def test_a_frozen_program_gives_others_their_own_libraries_back() -> None:
    ours = {
        "LD_LIBRARY_PATH": "/app/_internal",
        "LD_LIBRARY_PATH_ORIG": "/opt/lib",
        "DYLD_LIBRARY_PATH": "/app/_internal",
        "QT_PLUGIN_PATH": "/app/plugins",
        "HOME": "/home/x",
    }
    assert environment_for_others(ours, is_frozen=True) == {
        "LD_LIBRARY_PATH": "/opt/lib",
        "HOME": "/home/x",
    }


def test_a_program_that_is_not_frozen_passes_its_environment_on() -> None:
    ours = {"LD_LIBRARY_PATH": "/opt/lib", "QT_PLUGIN_PATH": "/usr/plugins"}
    assert environment_for_others(ours, is_frozen=False) == ours


async def test_the_program_gets_the_path_and_the_cleaned_environment(tmp_path: Path) -> None:
    seen, target = tmp_path / "seen", tmp_path / "a file.jsonl"
    command = program(
        tmp_path,
        "import os, sys, pathlib\n"
        f"pathlib.Path({str(seen)!r}).write_text("
        "sys.argv[1] + '|' + os.environ.get('LD_LIBRARY_PATH', '-'))\n",
    )
    frozen = {"LD_LIBRARY_PATH": "/app", "LD_LIBRARY_PATH_ORIG": "/opt/lib"}
    await SystemOpener(frozen, command=command, is_frozen=True).open(target)
    assert seen.read_text() == f"{target}|/opt/lib"


async def test_a_program_that_gives_up_is_a_problem(tmp_path: Path) -> None:
    opener = SystemOpener({}, command=program(tmp_path, "raise SystemExit(3)"))
    with pytest.raises(FileProblem, match=r"No program opens .*x\.jsonl"):
        await opener.open(tmp_path / "x.jsonl")


async def test_a_system_without_such_a_program_is_a_problem(tmp_path: Path) -> None:
    opener = SystemOpener({}, command=[str(tmp_path / "nothing-here")])
    with pytest.raises(FileProblem, match="No such file"):
        await opener.open(tmp_path / "x.jsonl")


async def test_a_program_that_stays_is_left_alone(tmp_path: Path) -> None:
    """An editor goes on; nobody waits for it for long."""
    until = tmp_path / "until"
    body = f"import os, time\nwhile not os.path.exists({str(until)!r}): time.sleep(0.01)"
    opener = SystemOpener({}, command=program(tmp_path, body))
    await asyncio.wait_for(opener.open(tmp_path / "x.jsonl"), 10)
    (child,) = opener._running
    assert child.poll() is None
    until.touch()
    assert child.wait(10) == 0
