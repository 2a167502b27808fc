import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from archivist.cli.main import main
from helpers.console import Console
from helpers.program import environment

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a shell and /dev/full")


def test_a_folder_that_cannot_be_the_profile_is_told(console: Console, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place in ("file", "file/below"):
        ran = console.run("--profile-dir", str(tmp_path / place), "status")
        assert ran.code == 1
        assert "a file is in the way" in ran.err
        assert "--profile-dir" in ran.err


@posix_only
@pytest.mark.parametrize("where", ["> /dev/full", ">&-", "> /dev/full 2>&1", ">&- 2>&-"])
@pytest.mark.parametrize("verb", ["status", "status --json", "--help", "settings get x.y --json"])
def test_an_output_that_takes_nothing_is_told_in_a_sentence(
    tmp_path: Path, where: str, verb: str
) -> None:
    program = f"'{sys.executable}' -m archivist --profile-dir '{tmp_path}/p' --home '{tmp_path}'"
    ran = subprocess.run(
        ["sh", "-c", f"{program} {verb} {where}"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        check=False,
    )
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
    if "--help" not in verb or ">&-" not in where:  # argparse takes stderr where stdout is closed
        assert ran.returncode == 1
    if "2>" not in where and "get" not in verb and ran.returncode:
        assert "The output cannot be written" in ran.stderr


@posix_only
def test_a_reader_that_has_seen_enough_is_no_fault(tmp_path: Path) -> None:
    program = f"'{sys.executable}' -m archivist --profile-dir '{tmp_path}/p' --home '{tmp_path}'"
    ran = subprocess.run(
        ["sh", "-c", f"({program} settings list; echo $? >&2) | true"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.stderr.strip() in {"0", "1"}, "0: the reader was still there"


INTERRUPT = """
import os, signal, sys
class Hook:
    def find_spec(self, name, *more):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Hook())
from archivist.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@posix_only
@pytest.mark.parametrize(
    "module", ["multiprocessing", "argparse", "archivist.cli", "tomlkit", "archivist.compose"]
)
def test_ctrl_c_while_modules_are_loaded_ends_quietly(tmp_path: Path, module: str) -> None:
    verb = ["--profile-dir", str(tmp_path / "p"), "--home", str(tmp_path), "status"]
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPT, module, *verb],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 130, ran.stderr
    assert ran.stderr == ""


def test_the_system_s_own_refusal_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def opened(_options: object) -> object:
        raise OSError(24, "Too many open files", "/t/archive.db")

    assert main(["status"], opened) == 1  # type: ignore[arg-type]  # it never returns
    assert "/t/archive.db cannot be used (Too many open files)." in capsys.readouterr().err


def test_our_own_mistakes_keep_their_traceback() -> None:
    def opened(_options: object) -> object:
        raise OSError("made by hand")

    with pytest.raises(OSError, match="made by hand"):
        main(["status"], opened)  # type: ignore[arg-type]  # it never returns


def test_interrupted_is_the_shell_s_number() -> None:
    assert 128 + signal.SIGINT == 130
