"""Print results: one JSON document with --json, else lines for people."""

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from archivist.domain.problems import Problem


def prepare() -> None:
    """Write UTF-8 whatever the console's code page; what cannot be shown is replaced."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def show(value: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print the value as JSON, or the lines."""
    if as_json:
        print(json.dumps(value, ensure_ascii=False, indent=None))
        return
    for line in lines:
        print(line)


def fail(problem: Problem, *, as_json: bool) -> None:
    """Print what went wrong and what to do: to stderr, and as JSON where JSON is expected."""
    if as_json:
        error = {"message": problem.message, "advice": problem.advice, "key": problem.key}
        print(json.dumps({"error": error}, ensure_ascii=False))
    print(f"{problem.message}\n  {problem.advice}", file=sys.stderr)


def note(line: str) -> None:
    """Print a line of progress or a warning to stderr, so that JSON on stdout stays whole."""
    print(line, file=sys.stderr)


def iso(at: int | None) -> str | None:
    """Return UTC milliseconds as ISO 8601 with a Z, None when there is no time."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(at: int | None) -> str:
    """Return UTC milliseconds as a short local time for people."""
    if at is None:
        return "no time"
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def one_line(text: str, most: int = 100) -> str:
    """Return a text on one line, cut to at most so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
