"""The command line: global options, then one verb on the services of a profile."""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from archivist import __version__
from archivist.cli import (
    archive,
    clipboard,
    demo,
    lessons,
    memory,
    output,
    pausing,
    segments,
    system,
    understanding,
    window,
)
from archivist.domain.hidden import visible
from archivist.domain.problems import Problem
from archivist.services.facade import Services
from archivist.texts import tr

_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Options:
    """The global options."""

    profile: Path | None
    home: Path | None


Opened = Callable[[Options], AbstractAsyncContextManager[Services]]


class _Parser(argparse.ArgumentParser):
    """argparse, except that what it was given cannot steer the terminal."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command."""
    parser = _Parser(
        prog="archivist",
        description=tr("Keeps, finds and understands your conversations with AI assistants."),
    )
    parser.add_argument("--version", action="version", version=f"archivist {__version__}")
    text = tr("use a throw-away profile in this folder")
    parser.add_argument("--profile-dir", type=Path, metavar="DIR", help=text)
    text = tr("look for transcripts below this home folder")
    parser.add_argument("--home", type=Path, metavar="DIR", help=text)
    groups = parser.add_subparsers(required=True, metavar="COMMAND")
    reading = (archive, pausing, clipboard, segments, understanding)
    for module in (*reading, lessons, memory, system, window, demo):
        module.add(groups)
    return parser


def main(argv: Sequence[str], opened: Opened) -> int:
    """Run one command; return its exit code. Problems are told, bugs raise."""
    output.prepare()
    as_json = False
    try:
        args = _parsed(argv)
        as_json = getattr(args, "json", False)
        options = Options(args.profile_dir, args.home)
        return asyncio.run(_run(args, options, opened))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except output.ReaderGone:
        return 1
    except Problem as problem:
        return _failed(problem, as_json=as_json)
    except OSError as error:
        if error.errno is None:  # made by our own code, not by the system
            raise
        return _failed(_refused_by_system(error), as_json=as_json)


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    try:
        return build_parser().parse_args(argv)
    except SystemExit:  # after --help, --version or a misuse
        output.flush()
        raise


async def _run(args: argparse.Namespace, options: Options, opened: Opened) -> int:
    if getattr(args, "without_services", False):
        return int(await args.run(opened, args))
    async with opened(options) as services:
        return int(await args.run(services, args))


def _failed(problem: Problem, *, as_json: bool) -> int:
    with suppress(output.ReaderGone):
        output.fail(problem, as_json=as_json)
    return 1


def _refused_by_system(error: OSError) -> Problem:
    """What no part has foreseen: a rotten disk, no descriptors left, a folder that is gone."""
    why = error.strerror
    sentence = (
        tr("{path} cannot be used ({why}).", path=error.filename, why=why)
        if error.filename
        else tr("The system does not let the program go on ({why}).", why=why)
    )
    advice = tr("Check the rights and the free space, then try again.")
    return Problem(sentence, advice=advice, key="system")
