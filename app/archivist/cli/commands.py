"""What a command group gives to the command line: its arguments, and what runs them."""

import argparse
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from archivist.services.facade import Services
from archivist.texts import tr

Run: TypeAlias = Callable[[Services, argparse.Namespace], Awaitable[int]]
Groups: TypeAlias = "argparse._SubParsersAction[Any]"  # noqa: SLF001 - it has no public name

_HIGHEST: Final = 2**63 - 1
"""The largest number that a row of the archive can have."""
_DIGITS: Final = 19


def add_command(
    groups: Groups, name: str, help_text: str, run: Run, *, approves: bool = False
) -> argparse.ArgumentParser:
    """Add a verb with `--json`; `approves` marks verbs that need the person's consent."""
    parser: argparse.ArgumentParser = groups.add_parser(name, help=help_text, description=help_text)
    parser.add_argument("--json", action="store_true", help=tr("print one JSON document"))
    parser.set_defaults(run=run, approves=approves)
    return parser


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return what reads a whole number between two bounds from the command line."""

    def parse(text: str) -> int:
        number = _number(text)
        if number is None or not low <= number <= high:
            raise argparse.ArgumentTypeError(
                tr("write a whole number from {low} to {high}", low=low, high=high)
            )
        return number

    return parse


def listed(text: str) -> int:
    """Read the number under which a list shows a thing."""
    number = _number(text)
    if number is None or not 1 <= number <= _HIGHEST:
        raise argparse.ArgumentTypeError(tr("write a number as the lists show it"))
    return number


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if is_number else None
