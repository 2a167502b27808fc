"""How fast the tray application starts and ends, and how smooth it runs. Prints one JSON object.

`start_ms`, `bare_start_ms`: from the start of the process until its icon is on the session bus,
for the application and for a PySide6 program that is nothing but an icon; the best of some starts
that take turns. `start_ratio`: ours over bare. `ready_ms`: until the archive is open and windows
can be. `rss_mb`: memory at rest, the demo home archived, no model running. `idle_cpu_percent`: of
one processor, at rest; `idle_wakeups_per_s`: of all its threads. `quit_ms`: from SIGTERM to the
end, at rest; `quit_busy_ms`: in the other states. `lag_ms`: how late a timer on the loop comes, at
rest with an open window, while generated turns are imported, and while models work on them;
`turns`, `recaps`, `recaps_by_model`: how many there were meanwhile.

Runs itself under Xvfb and a session bus of its own, with a panel that only registers icons.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

import psutil  # noqa: E402

from helpers import big_home, tray_host  # noqa: E402
from helpers.measured_app import Plan  # noqa: E402
from helpers.program import Program, demo, environment  # noqa: E402

STARTS: Final = 5
TURNS: Final = 20_000
MODEL_TURNS: Final = 400
REST_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 20.0
LAG_SECONDS: Final = 60.0
START_SECONDS: Final = 30.0
PATIENCE: Final = 600.0
INSIDE: Final = "ARCHIVIST_BENCH_INSIDE"
SESSION: Final = (
    *("xvfb-run", "-a", "-s", "-screen 0 1600x1200x24 -nolisten tcp"),
    *("dbus-run-session", "--"),
)
BARE: Final = """
import sys
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
app = QApplication(sys.argv)
picture = QPixmap(22, 22)
picture.fill()
tray = QSystemTrayIcon(QIcon(picture))
tray.show()
app.exec()
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when there is no display to be had."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS, help="turns of the big import")
    parser.add_argument("--starts", type=int, default=STARTS, help="starts of each program")
    parser.add_argument("--only", choices=list(PARTS), help="measure one part alone")
    parser.add_argument("--out", type=Path, help="also write the JSON object to this file")
    options = parser.parse_args(argv)
    if INSIDE not in os.environ:
        return inside_a_session(sys.argv[1:] if argv is None else argv)
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for part, measure in PARTS.items():
            if options.only in {None, part}:
                print(f"measuring: {part}", file=sys.stderr)
                (folder / part).mkdir()
                merge(figures, measure(folder / part, options))
    line = json.dumps(figures)
    if options.out is not None:
        options.out.write_text(line + "\n", encoding="utf-8")
    print(line)
    return 0


def inside_a_session(argv: Sequence[str]) -> int:
    """Run this again with a display and a session bus of its own."""
    missing = [name for name in ("xvfb-run", "dbus-run-session") if shutil.which(name) is None]
    if missing:
        print(f"{' and '.join(missing)} must be installed to measure windows", file=sys.stderr)
        return 1
    command = [*SESSION, sys.executable, __file__, *argv]
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    return subprocess.run(command, env=kept | {INSIDE: "1"}, check=False).returncode


def merge(figures: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add figures; tables of the same name are joined."""
    for key, value in more.items():
        if isinstance(value, dict):
            figures.setdefault(key, {}).update(value)
        else:
            figures[key] = value


# -- programs that are started and ended -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Started:
    """A program whose icon is on the bus; how long that took, and then until it was ready."""

    process: "subprocess.Popen[bytes]"
    icon_ms: float
    ready_ms: float


@contextmanager
def started(command: Sequence[str], is_ready: Callable[[], bool]) -> Iterator[Started]:
    """Run a program beside a panel; gives it when it is ready, and ends it."""
    with tray_host.panel() as panel:
        began = time.perf_counter()
        process = subprocess.Popen(command, env=environment())
        try:
            icon = wait_ms(
                began, lambda: any("item" in event for event in panel.events), START_SECONDS
            )
            yield Started(process, icon, wait_ms(began, is_ready, START_SECONDS))
        finally:
            process.kill()
            process.wait()


def wait_ms(began: float, holds: Callable[[], bool], seconds: float = PATIENCE) -> float:
    """Return the milliseconds from a moment until something holds. Raises TimeoutError."""
    while not holds():
        if time.perf_counter() - began > seconds:
            raise TimeoutError
        time.sleep(0.0005)
    return (time.perf_counter() - began) * 1000


def ended_ms(process: "subprocess.Popen[bytes]") -> float:
    """Ask a program to end; return how long it took. Raises when it ends badly."""
    began = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    code = process.wait(PATIENCE)
    if code != 0:
        raise RuntimeError(f"it ended with {code}")
    return (time.perf_counter() - began) * 1000


def application(program: Program) -> AbstractContextManager[Started]:
    """Run the application in the tray; its socket tells that it is ready."""
    socket = program.profile / "app.sock"
    return started(program.command("run", "--background"), socket.exists)


# -- what is measured ------------------------------------------------------------------------


def starts(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Start both programs in turns; the first start of each makes its bytecode."""
    program = archived(folder)
    ours, ready, bare = [], [], []
    for number in range(-1, options.starts):
        with application(program) as ran:
            ended_ms(ran.process)
        with started([sys.executable, "-c", BARE], lambda: True) as plain:
            pass
        if number >= 0:
            ours.append(ran.icon_ms)
            ready.append(ran.ready_ms)
            bare.append(plain.icon_ms)
    return {
        "start_ms": round(min(ours), 1),
        "bare_start_ms": round(min(bare), 1),
        "start_ratio": round(min(ours) / min(bare), 2),
        "ready_ms": round(min(ready), 1),
    }


def archived(folder: Path) -> Program:
    """Return the program on the demo home with everything done."""
    program = demo(folder)
    program.run("import")
    program.run("archive", "--wait")
    return program


def rest(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Let the application do nothing, with the demo home archived."""
    program = archived(folder)
    with application(program) as ran:
        time.sleep(REST_SECONDS)
        process = psutil.Process(ran.process.pid)
        before, woken = process.cpu_times(), wakeups(process.pid)
        time.sleep(IDLE_SECONDS)
        after, woken = process.cpu_times(), wakeups(process.pid) - woken
        spent = after.user + after.system - before.user - before.system
        memory = process.memory_info().rss
        if children := process.children(recursive=True):
            raise RuntimeError(f"not at rest: {children}")
        quit_ms = ended_ms(ran.process)
    return {
        "rss_mb": round(memory / 1e6, 1),
        "idle_cpu_percent": round(abs(spent) / IDLE_SECONDS * 100, 3),
        "idle_wakeups_per_s": round(woken / IDLE_SECONDS, 1),
        "quit_ms": round(quit_ms, 1),
    }


def wakeups(pid: int) -> int:
    """Return how often the threads of a process have woken up so far."""
    states = Path(f"/proc/{pid}/task").glob("*/status")
    texts = (state.read_text(encoding="utf-8") for state in states)
    return sum(int(text.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for text in texts)


def idle(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Let a window stand open with nothing to do."""
    return lag(archived(folder), "idle", seconds=REST_SECONDS)


def importing(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Import a home of many turns, by the loop that does it in the application."""
    program = Program(folder / "profile", folder / "home")
    big_home.fill(program.home, options.turns)
    figures = lag(program, "importing", seconds=PATIENCE)
    return figures | {"turns": program.ask("status")["turns"]}


def archiving(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Archive with the text model and the encoder at work."""
    program = demo(folder)
    big_home.fill(program.home, MODEL_TURNS)
    program.run("settings", "set", "models.summarise", "smollm2")
    figures = lag(program, "archiving", seconds=LAG_SECONDS)
    made = [row["maker"] for row in program.ask("segments", "list") if row["recap"]]
    by_model = sum(maker != "rules" for maker in made)
    if not by_model:
        raise RuntimeError("no model has worked")
    return figures | {"recaps": len(made), "recaps_by_model": by_model}


def lag(program: Program, phase: str, *, seconds: float) -> dict[str, Any]:
    """Return how late the loop's turns are in a phase, with the segments window open."""
    path = program.profile / "late.json"
    words = ("open", "segments")
    plan = Plan(str(program.profile), str(program.home), str(path), phase, seconds, words)
    command = [sys.executable, str(TESTS / "helpers" / "measured_app.py"), json.dumps(asdict(plan))]
    paths = os.pathsep.join((str(TESTS.parent / "app"), str(TESTS)))
    with tray_host.panel():
        process = subprocess.Popen(command, env=environment(PYTHONPATH=paths))
        wait_ms(time.perf_counter(), lambda: path.exists() or process.poll() is not None)
        quit_ms = wait_ms(time.perf_counter(), lambda: process.poll() is not None)
    if process.returncode != 0:
        raise RuntimeError(f"it ended with {process.returncode}")
    late = sorted(json.loads(path.read_text(encoding="utf-8"))["late"])
    figures = {f"p{share}": round(late[len(late) * share // 100], 2) for share in (50, 95, 99)}
    return {"lag_ms": {phase: figures}, "quit_busy_ms": {phase: round(quit_ms, 1)}}


PARTS: Final[dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]]] = {
    "starts": starts,
    "rest": rest,
    "idle": idle,
    "importing": importing,
    "archiving": archiving,
}


if __name__ == "__main__":
    sys.exit(main())
