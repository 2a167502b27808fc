"""The command line in this process, and as a person sees it on a terminal. POSIX for the latter."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from archivist.__main__ import main
from helpers.claude import Writer, transcript
from helpers.program import environment


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Console:
    """Runs commands on one profile and one home folder. Nobody sits at it: nothing is approved.

    The profile is the user's own, below a folder of the test; `throw_away` takes it as another's.
    """

    capsys: pytest.CaptureFixture[str]
    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def profile(self) -> Path:
        return self.folder / "data" / "archivist"

    def run(self, *arguments: str) -> Ran:
        """Run a command on the user's own profile."""
        return self._run(["--home", str(self.home), *arguments])

    def throw_away(self, *arguments: str) -> Ran:
        """Run a command on a profile that approves by itself."""
        profile = self.folder / "profile"
        return self._run(["--profile-dir", str(profile), "--home", str(self.home), *arguments])

    def ask(self, *arguments: str) -> Any:  # noqa: ANN401 - any JSON
        """Return what a command on the throw-away profile answers with --json."""
        return json.loads(self.throw_away(*arguments, "--json").out)

    def _run(self, arguments: list[str]) -> Ran:
        self.capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        told = self.capsys.readouterr()
        return Ran(code, told.out, told.err)

    def say(self, *prompts: str, session: int = 1) -> Path:
        """Write a session in which a person says this."""
        writer = Writer(session)
        records = []
        for prompt in prompts:
            records += [writer.user(prompt), writer.assistant(text="Right.")]
        return transcript(self.home, writer, records)

    def learn(self, *prompts: str) -> None:
        """Write a session, read it and find its lessons, in both profiles."""
        self.say(*prompts)
        for run in (self.run, self.throw_away):
            assert run("import").code == 0
            assert run("archive", "--wait").code == 0

    def on_a_terminal(self, *arguments: str, typed: bytes) -> tuple[int, str]:
        """Run a command on the user's own profile in a terminal; type when it asks."""
        command = [sys.executable, "-m", "archivist", "--home", str(self.home), *arguments]
        return typed_at(command, typed, environment(XDG_DATA_HOME=str(self.folder / "data")))


OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def typed_at(command: Sequence[str], typed: bytes, own: dict[str, str]) -> tuple[int, str]:
    r"""Run a command in a new terminal whose keys, Ctrl+C too, reach it; give its code and screen.

    "\x03" is Ctrl+C, "\x04" is Ctrl+D.
    """
    pty = pytest.importorskip("pty")
    terminal, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *command],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
        env=own,
    )
    os.close(child)
    shown = b""
    try:
        while data := os.read(terminal, 4096):
            shown += data
            if b"[y/N]" in shown and typed:
                os.write(terminal, typed)
                typed = b""
    except OSError:  # the program has ended
        pass
    os.close(terminal)
    return process.wait(timeout=60), shown.decode("utf-8", "replace")
