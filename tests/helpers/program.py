"""Run the real program as a child process, in a throw-away profile."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers.shared import ROOT

DEMO_HOME = ROOT / "resources" / "demo" / "home"


def environment(**more: str) -> dict[str, str]:
    """Return this environment with the source tree importable and no setting of the developer's."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ARCHIVIST_")}
    return kept | {"PYTHONPATH": str(ROOT / "app"), "PYTHONWARNINGS": "error"} | more


@dataclass(frozen=True, slots=True)
class Program:
    """The command line on one profile and one home folder."""

    profile: Path
    home: Path

    def command(self, *arguments: str) -> list[str]:
        """Return the whole command line."""
        options = ["--profile-dir", str(self.profile), "--home", str(self.home)]
        return [sys.executable, "-m", "archivist", *options, *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command; the caller ends it."""
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment(),
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command to its end; fail with what it printed unless it ends with `code`."""
        ran = subprocess.run(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment(),
            timeout=300,
            check=False,
        )
        assert ran.returncode == code, f"{arguments}: {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout

    def ask(self, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON
        """Run a command with --json and return what it answers."""
        return json.loads(self.run(*arguments, "--json", code=code))


def demo(folder: Path) -> Program:
    """Return the program on a copy of the demo home and an empty profile."""
    home = folder / "home"
    shutil.copytree(DEMO_HOME, home)
    return Program(folder / "profile", home)


def holding(folder: Path, needles: Sequence[bytes]) -> list[str]:
    """Return the files below a folder that hold any of the byte strings."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        path.relative_to(folder).as_posix()
        for path in files
        if any(needle in path.read_bytes() for needle in needles)
    ]
