"""Commands that reach the windows of the running app: open."""

import argparse
import os
from typing import Final

from archivist.cli.commands import Groups, add_command
from archivist.cli.output import show
from archivist.domain.problems import Refused
from archivist.services.facade import Services
from archivist.texts import tr

ROOMS: Final = ("segments", "lessons", "memory", "problems")


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    parser = add_command(groups, "open", tr("Open a window of the running app."), _open)
    text = tr("which one; segments where left out")
    parser.add_argument("room", nargs="?", choices=ROOMS, default=ROOMS[0], help=text)


async def _open(services: Services, args: argparse.Namespace) -> int:
    token = os.environ.get("XDG_ACTIVATION_TOKEN") or os.environ.get("DESKTOP_STARTUP_ID", "")
    answer = await services.instance.ask({"do": "show", "room": args.room, "token": token})
    if answer is None:
        raise Refused(
            tr("Archivist does not run for this profile."),
            advice=tr("Start it: `archivist run`."),
            key="app-absent",
        )
    if not answer.get("window"):
        raise Refused(
            tr("The Archivist that runs for this profile has no windows."),
            advice=tr(
                "It was started with `archivist run --no-gui`: stop it there (Ctrl+C), "
                "then start it with `archivist run`."
            ),
            key="app-headless",
        )
    show({"opened": args.room}, [tr("Opened.")], as_json=args.json)
    return 0
