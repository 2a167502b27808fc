"""The commands of dev.py. Each takes the checkout and the remaining words, and returns a status."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.console import Halt, hand_over, say
from devtools.desktop import desktop
from devtools.environment import Checkout, prepare
from devtools.gates import gates, pass_all

MISUSED = 2


@dataclass(frozen=True, slots=True)
class Command:
    """One word of the command line. `needs` is a file without which it cannot work yet."""

    help: str
    run: Callable[[Checkout, list[str]], int]
    needs: str = ""


def main(arguments: Sequence[str], root: Path | None = None) -> int:
    """Prepare the environment, then do what the first word says."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a Windows console cannot show all of a log
    checkout = Checkout(root or Path(__file__).resolve().parents[2])
    name, rest = (arguments[0], list(arguments[1:])) if arguments else ("help", [])
    if name in {"help", "-h", "--help"}:
        say(usage())
        return 0
    command = COMMANDS.get(name)
    if command is None:
        say(f"There is no command {name!r}.\n{usage()}")
        return MISUSED
    if command.needs and not (checkout.root / command.needs).exists():
        say(f"`{name}` needs {command.needs}, which is not in this checkout yet.")
        return MISUSED
    try:
        prepare(checkout)
        return command.run(checkout, rest)
    except Halt as halt:
        say(str(halt))
        return 1
    except KeyboardInterrupt:
        return 130


def usage() -> str:
    """Return the list of commands."""
    lines = [f"  {name:<8} {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(["python3 packaging/dev.py COMMAND", "", *lines])


def _archivist(verb: str) -> Callable[[Checkout, list[str]], int]:
    """Return a command that passes its words on to a verb of the program itself."""

    def run(checkout: Checkout, rest: list[str]) -> int:
        return hand_over([checkout.python, "-m", "archivist", verb, *rest])

    return run


def pytest_command(
    checkout: Checkout, rest: Sequence[str], *, leaving_out: Sequence[str], cover: bool = False
) -> list[str]:
    """Return the command of a test run and say what this machine makes it leave out.

    `leaving_out` are the marks of tests that take too long for this run.
    """
    around = desktop(sys.platform, os.environ, shutil.which)
    for remark in around.remarks:
        say(remark)
    without = [*around.without, *leaving_out]
    marks = ["-m", " and ".join(f"not {mark}" for mark in without)] if without else []
    run = ["-m", "coverage", "run", "-m", "pytest"] if cover else ["-m", "pytest"]
    return [*around.prefix, str(checkout.python), *run, *marks, *rest]


def _test(checkout: Checkout, rest: list[str]) -> int:
    leaving_out, cover = [] if "--slow" in rest else ["slow"], "--cover" in rest
    others = [word for word in rest if word not in {"--slow", "--cover", "--"}]
    command = pytest_command(checkout, others, leaving_out=leaving_out, cover=cover)
    status = subprocess.call(command, cwd=checkout.root)
    if status or not cover:
        return status
    return subprocess.call([checkout.python, "-m", "coverage", "report"], cwd=checkout.root)


def _check(checkout: Checkout, rest: list[str]) -> int:
    tests = pytest_command(checkout, rest, leaving_out=["slow", "long"])
    return 0 if pass_all(gates(checkout.python, tests), checkout.root) else 1


def benchmarks(root: Path) -> list[str]:
    """Return the names of the benchmarks: each is a file of its own."""
    files = (root / "tests" / "bench").glob("[!_]*.py")
    return sorted(file.stem for file in files if "def main(" in file.read_text(encoding="utf-8"))


def _bench(checkout: Checkout, rest: list[str]) -> int:
    known = benchmarks(checkout.root)
    if not rest or rest[0] not in known:
        say(f"bench NAME [--data PATH] [--out FILE], where NAME is one of: {' '.join(known)}")
        return MISUSED
    return hand_over([checkout.python, checkout.root / "tests/bench" / f"{rest[0]}.py", *rest[1:]])


def _shots(checkout: Checkout, rest: list[str]) -> int:
    around = desktop(sys.platform, os.environ, shutil.which)
    for remark in around.remarks:
        say(remark)
    script = str(checkout.root / "tests" / "gui" / "shots.py")
    command = [*around.prefix, str(checkout.python), script, *rest]
    return subprocess.call(command, cwd=checkout.root)


def _build(checkout: Checkout, rest: list[str]) -> int:
    command = [str(checkout.python), "-m", "PyInstaller", "--noconfirm", "build.spec", *rest]
    return subprocess.call(command, cwd=checkout.root)


COMMANDS = {
    "demo": Command(
        "show the main job on a small home folder, in a throw-away profile", _archivist("demo")
    ),
    "run": Command("start Archivist from this checkout", _archivist("run")),
    "test": Command(
        "run the tests; --slow adds the long ones, --cover counts lines, the rest goes to pytest",
        _test,
    ),
    "check": Command("run all gates: ruff, mypy, import-linter, vulture, quick tests", _check),
    "bench": Command(
        "print the figures of a benchmark: bench NAME [--data PATH] [--out FILE]", _bench
    ),
    "shots": Command("take a picture of each window", _shots, needs="tests/gui/shots.py"),
    "build": Command("make the bundle for this system", _build, needs="build.spec"),
    "doctor": Command("look for what is wrong with this installation", _archivist("doctor")),
}
