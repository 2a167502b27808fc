"""Save what was copied: the running app looks at the clipboard, or the text comes by stdin."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from archivist.cli.commands import Groups, add_command
from archivist.cli.output import show
from archivist.domain.problems import Problem
from archivist.services.capture import MOST_BYTES, answered, piped, too_long
from archivist.services.facade import Services
from archivist.texts import tr


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Save what is on the clipboard, through the running app.")
    parser = add_command(groups, "capture-clipboard", text, _capture)
    text = tr("save what comes on standard input instead; no app is needed")
    parser.add_argument("--stdin", action="store_true", help=text)


async def _capture(services: Services, args: argparse.Namespace) -> int:
    await services.capture.permit()
    if args.stdin:
        text = await asyncio.to_thread(_stdin)
        answer: Mapping[str, Any] = answered(await services.capture.save(text))
    else:
        answer = await _asked(services)
    value = {key: item for key, item in answer.items() if key not in ("ok", "message")}
    show(value, [str(answer.get("message", ""))], as_json=args.json)
    return 0


def _stdin() -> str:
    """Return what comes on standard input, whatever the code page. Raises Refused when long."""
    if sys.stdin is None:
        return ""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise too_long()
    return data.decode("utf-8-sig", "replace")


async def _asked(services: Services) -> Mapping[str, Any]:
    answer = await services.instance.ask({"do": "capture-clipboard"})
    if answer is None:
        raise Problem(
            tr("No Archivist that could look at the clipboard answers."),
            advice=tr("Start it, or run `{command}`.", command=piped()),
            key="clipboard-no-app",
        )
    if answer.get("ok") is True:
        return answer
    if "advice" in answer:
        raise Problem(str(answer.get("error")), advice=str(answer["advice"]), key="clipboard")
    raise Problem(
        tr("The running Archivist has no window, so it sees no clipboard."),
        advice=tr("Run `{command}`.", command=piped()),
        key="clipboard-no-window",
    )
