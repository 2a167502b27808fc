"""What the developer sees: one line for each long step, and no output of children."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


class Halt(Exception):  # noqa: N818 - it ends the run with a sentence, as asked
    """The command cannot go on; the sentence says why and what to do."""


def say(text: str) -> None:
    """Print a line at once: the next step may take minutes."""
    print(text, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Print what begins now, and on the same line how long it took."""
    print(f"{text} ...", end="", flush=True)
    started = time.monotonic()
    try:
        yield
    finally:
        say(f" {time.monotonic() - started:.0f} s")


def quietly(
    command: Sequence[str | Path],
    log: Path,
    *,
    more: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> int:
    """Run a child without input, its output appended to `log`; return its exit status."""
    with log.open("ab") as file:
        file.write(f"\n$ {' '.join(map(str, command))}\n".encode())
        file.flush()
        try:
            return subprocess.run(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(more or {})},
                timeout=timeout,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            file.write(f"ended after {timeout} s\n".encode())
            return 124


def tail(log: Path, lines: int = 25) -> str:
    """Return the end of a log, for the sentence that tells of a failure."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def hand_over(command: Sequence[str | Path]) -> int:
    """Become the command where the system allows it, so that Ctrl-C and signals reach it alone."""
    sys.stdout.flush()
    parts = [str(part) for part in command]
    if os.name == "posix":
        os.execv(parts[0], parts)
    return subprocess.call(parts)
