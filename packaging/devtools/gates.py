"""The checks that must hold before a change is done: each one a program and one line of result."""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.console import say


@dataclass(frozen=True, slots=True)
class Gate:
    """A check: green when the command ends with 0."""

    name: str
    command: tuple[str, ...]


def gates(python: Path, tests: Sequence[str | Path]) -> list[Gate]:
    """Return all gates, the quick ones first; `tests` is the command of the quick tests."""
    run = str(python)
    # import-linter is a program without a module to run, hence the call.
    linter = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
    return [
        Gate("ruff check", (run, "-m", "ruff", "check", ".")),
        Gate("ruff format", (run, "-m", "ruff", "format", "--check", ".")),
        Gate("mypy", (run, "-m", "mypy")),
        Gate("import-linter", (run, "-c", linter)),
        Gate("vulture", (run, "-m", "vulture")),
        Gate("tests", tuple(map(str, tests))),
    ]


def pass_all(wanted: Sequence[Gate], folder: Path) -> bool:
    """Run every gate, also after a failure; show the output of those that failed."""
    failed = [gate.name for gate in wanted if not _passes(gate, folder)]
    say(f"failed: {', '.join(failed)}" if failed else "all gates passed")
    return not failed


def _passes(gate: Gate, folder: Path) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        gate.command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    passed = done.returncode == 0
    verdict = "ok" if passed else "FAILED"
    say(f"{gate.name:<14} {verdict:<6} {time.monotonic() - started:6.1f} s")
    if not passed:
        say(done.stdout.rstrip())
    return passed
