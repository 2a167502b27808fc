"""What a command group gives to the command line: its arguments, and what runs them."""

import argparse
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from archivist.services.facade import Services

Run: TypeAlias = Callable[[Services, argparse.Namespace], Awaitable[int]]
Groups: TypeAlias = "argparse._SubParsersAction[Any]"  # noqa: SLF001 - it has no public name


def add_command(
    groups: Groups, name: str, help_text: str, run: Run, *, approves: bool = False
) -> argparse.ArgumentParser:
    """Add a verb with `--json`; `approves` marks verbs that need the person's consent."""
    parser: argparse.ArgumentParser = groups.add_parser(name, help=help_text, description=help_text)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run, approves=approves)
    return parser
