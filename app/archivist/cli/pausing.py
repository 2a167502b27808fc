"""Commands that pause the background work and let it go on, in this or the running app."""

import argparse

from archivist.cli.commands import Groups, add_command, whole
from archivist.cli.output import iso, show
from archivist.domain.pause import Paused
from archivist.services.activity import describe
from archivist.services.facade import Services
from archivist.texts import tr

_DAY_MINUTES = 1_440


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Read and archive nothing by itself for a time, or until resumed.")
    parser = add_command(groups, "pause", text, _pause)
    how_long = parser.add_mutually_exclusive_group()
    text = tr("for so many minutes, a day at most")
    how_long.add_argument("--minutes", type=whole(1, _DAY_MINUTES), metavar="N", help=text)
    text = tr("until the next midnight")
    how_long.add_argument("--until-tomorrow", action="store_true", help=text)
    add_command(groups, "resume", tr("End the pause."), _resume)


async def _pause(services: Services, args: argparse.Namespace) -> int:
    if args.minutes is not None:
        paused = await services.pause.pause_for(args.minutes)
    elif args.until_tomorrow:
        paused = await services.pause.until_tomorrow()
    else:
        paused = await services.pause.until_resumed()
    return await _told(services, paused, args)


async def _resume(services: Services, args: argparse.Namespace) -> int:
    return await _told(services, await services.pause.resume(), args)


async def _told(services: Services, paused: Paused | None, args: argparse.Namespace) -> int:
    """Have the running app look at once; without an answer it does so at its next poll."""
    is_running = await services.instance.ask({"do": "refresh"}) is not None
    show(state(paused) | {"running": is_running}, [line(paused)], as_json=args.json)
    return 0


def state(paused: Paused | None) -> dict[str, object]:
    """Return the keys of a pause."""
    until = None if paused is None else paused.until
    return {"paused": paused is not None, "paused_until": iso(until)}


def line(paused: Paused | None) -> str:
    """Say whether the archivist rests."""
    return tr("Not paused.") if paused is None else describe(paused)
