"""Print results: one JSON document with --json, else lines for people.

All that people see passes `plain`: what a transcript holds can neither steer the terminal nor hide.
"""

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from archivist.domain.hidden import visible
from archivist.domain.problems import Problem, Stopped
from archivist.texts import tr


class ReaderGone(Exception):  # noqa: N818 - no fault: `| head` has seen enough
    """Whoever read our output has closed it; nobody is left to be told anything."""


def prepare() -> None:
    """Write UTF-8 whatever the console's code page; what cannot be shown or read is replaced."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def plain(text: str) -> str:
    """Return a text as a terminal may show it: new lines and tabs stay, the rest is spelt out."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(visible(line) for line in lines)


def show(value: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print the value as JSON, or the lines.

    Raises Problem when stdout cannot be written, ReaderGone when nobody reads it any more.
    """
    if as_json:
        _print(json.dumps(value, ensure_ascii=False, indent=None))
        return
    whole = list(lines)
    if whole:
        _print(plain("\n".join(whole)))


def fail(problem: Problem, *, as_json: bool) -> None:
    """Print what went wrong and what to do: to stderr, and as JSON where JSON is expected."""
    done = problem.done if isinstance(problem, Stopped) else ()
    if as_json:
        error: dict[str, object] = {
            "message": problem.message,
            "advice": problem.advice,
            "key": problem.key,
        }
        if done:
            error["done"] = list(done)
        with suppress(Problem):  # stderr is told all the same
            _print(json.dumps({"error": error}, ensure_ascii=False))
    if done:
        note("\n".join([tr("Done before it stopped:"), *(f"  - {visible(d)}" for d in done)]))
    note(f"{problem.message}\n  {problem.advice}")


def note(text: str) -> None:
    """Print progress or a warning to stderr, so that JSON on stdout stays whole."""
    _tell(f"{plain(text)}\n")


def ask(question: str) -> None:
    """Print a question to stderr and leave the cursor behind it."""
    _tell(plain(question))


def output_is_watched() -> bool:
    """Whether a person reads what is printed, on a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def flush() -> None:
    """Write out what argparse has printed. Raises Problem and ReaderGone like `show`."""
    if sys.stdout is not None:
        _print("", end="")


def _print(text: str, end: str = "\n") -> None:
    """Write to stdout at once, while there is still somebody to tell that it failed."""
    if sys.stdout is None:
        raise _unwritten(tr("it is closed"))
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError as error:
        _silence(sys.stdout)
        raise ReaderGone from error
    except OSError as error:
        _silence(sys.stdout)
        raise _unwritten(str(error.strerror)) from error


def _unwritten(why: str) -> Problem:
    return Problem(
        tr("The output cannot be written ({why}).", why=why),
        advice=tr("Send it to another place; what the command did stays done."),
        key="output",
    )


def _tell(text: str) -> None:
    if sys.stderr is None:  # `print` would take stdout instead
        return
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let what is left in a stream's buffer go nowhere: the interpreter flushes it at its end."""
    with suppress(OSError, ValueError):  # a stream without a descriptor
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def iso(at: int | None) -> str | None:
    """Return UTC milliseconds as ISO 8601 with a Z, None when there is no time."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(at: int | None) -> str:
    """Return UTC milliseconds as a short local time for people."""
    if at is None:
        return tr("no time")
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def one_line(text: str, most: int = 100) -> str:
    """Return a text on one line, cut to at most so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
