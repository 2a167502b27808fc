"""The command line: global options, then one verb on the services of a profile."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from archivist import __version__
from archivist.cli import archive, demo, lessons, memory, output, segments, system
from archivist.domain.problems import Problem
from archivist.services.facade import Services

_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Options:
    """The global options."""

    profile: Path | None
    home: Path | None


Opened = Callable[[Options], AbstractAsyncContextManager[Services]]


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command."""
    parser = argparse.ArgumentParser(
        prog="archivist",
        description="Keeps, finds and understands your conversations with AI assistants.",
    )
    parser.add_argument("--version", action="version", version=f"archivist {__version__}")
    parser.add_argument(
        "--profile-dir", type=Path, metavar="DIR", help="use a throw-away profile in this folder"
    )
    parser.add_argument(
        "--home", type=Path, metavar="DIR", help="look for transcripts below this home folder"
    )
    groups = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (archive, segments, lessons, memory, system, demo):
        module.add(groups)
    return parser


def main(argv: Sequence[str], opened: Opened) -> int:
    """Run one command; return its exit code. Problems are told, bugs raise."""
    output.prepare()
    args = build_parser().parse_args(argv)
    options = Options(args.profile_dir, args.home)
    try:
        return asyncio.run(_run(args, options, opened))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; nothing more can be said
        return 1


async def _run(args: argparse.Namespace, options: Options, opened: Opened) -> int:
    try:
        if getattr(args, "without_services", False):
            return int(await args.run(opened, args))
        async with opened(options) as services:
            return int(await args.run(services, args))
    except Problem as problem:
        output.fail(problem, as_json=getattr(args, "json", False))
        return 1
