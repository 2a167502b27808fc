"""Every window, filled and empty, in light and dark: for pictures, and for checks of all windows.

The process must be started for a scale: Qt reads QT_SCALE_FACTOR once.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import product
from pathlib import Path
from typing import Final, Self
from unittest.mock import patch

from PySide6.QtCore import QSize

from archivist import compose
from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.problems import Problem
from archivist.gui.application import Application
from archivist.gui.places import Place, Room, Thing
from archivist.gui.room import RoomWindow
from archivist.services.facade import Services
from helpers import windows
from helpers.palettes import PALETTES, palette
from helpers.shared import ROOT

PROJECT: Final = "/home/demo/code/orders-api"
MEMORY: Final = ("code", "orders-api", "MEMORY.md")
STATES: Final = ("filled", "empty")
SHOTS: Final = ROOT / "tests" / "gui" / "shots.py"
SCREEN: Final = (3200, 2400)

# Lessons of the demo home: one that is in the memory file and was edited since, two that were kept
# after that, and one to look at.
_WRITTEN: Final = "Always run the migrations with --dry-run first."
_EDITED: Final = "Always run the migrations with --dry-run first and show the plan."
_KEPT: Final = (
    "The gateway listens on 8443, not 8080.",
    "We decided to keep all amounts in integer cents, in the database and in the API.",
)
_LOOKED_AT: Final = "Never commit directly to main."
_QUIET_TURNS: Final = 5
_NOW: Final = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
"""A Monday, three days after the last conversation of the demo home."""


class _Standing(datetime):
    """A clock that stands still, so that "Friday" is Friday in every picture."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(_NOW.timestamp(), tz)


@dataclass(frozen=True, slots=True)
class Shown:
    """A window as it is shown now."""

    name: str
    window: RoomWindow


def make_profiles(folder: Path) -> None:
    """Make the two profiles of all pictures: the demo, reviewed a little, and an empty one."""
    windows.archived_demo(folder / "filled")
    (folder / "empty" / "home").mkdir(parents=True)
    standing = int(_NOW.timestamp() * 1000)
    with patch.object(compose, "now_ms", lambda: standing):
        asyncio.run(_review(profile(folder, "filled")))


def profile(folder: Path, state: str) -> windows.Profile:
    """Return one of the two profiles."""
    return windows.Profile(folder / state / "profile", folder / state / "home")


async def _review(here: windows.Profile) -> None:
    async with compose.opened(here.folder, here.home) as services:
        await services.proposals.enable(here.home.joinpath(*MEMORY), project=PROJECT)
        await services.review.keep([await _lesson(services, _WRITTEN)])
        for proposal in (await services.proposals.propose()).proposals:
            await services.proposals.apply(proposal.id, [hunk.id for hunk in proposal.hunks])
        await services.review.edit(await _lesson(services, _WRITTEN), _EDITED)
        await services.review.keep([await _lesson(services, text) for text in _KEPT])
        await services.proposals.propose()
        for problem in _problems():
            await services.browse.report(problem)


async def _lesson(services: Services, text: str) -> LessonId:
    return next(each.id for each in await services.review.lessons() if each.text == text)


def _problems() -> tuple[Problem, ...]:
    return (
        Problem(
            "The model stopped twice.",
            advice="Archiving goes on with rules. `archivist doctor` shows what is installed.",
            key="model-stopped",
        ),
        Problem(
            "One line of a transcript could not be read (line 214).",
            advice="Nothing is to be done: the rest of the file was read.",
            key="transcript-line",
        ),
    )


@contextmanager
def standing_clock() -> Iterator[Callable[[], None]]:
    """Let the program see one time for as long as this lasts.

    Call what it gives once the modules are there that are to see it.
    """
    try:
        yield lambda: _set_clock(datetime, _Standing)
    finally:
        _set_clock(_Standing, datetime)


def _set_clock(before: type[datetime], now: type[datetime]) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("archivist.") and getattr(module, "datetime", None) is before:
            setattr(module, "datetime", now)  # noqa: B010 - mypy knows it as a class


def at_scale(
    scale: str, folder: Path, words: Sequence[str], screen: tuple[int, int] = SCREEN
) -> "subprocess.CompletedProcess[str]":
    """Run this script again in a process whose Qt is scaled, on a screen of so many pixels."""
    config = folder / "screen.json"
    size = {"width": screen[0], "height": screen[1]}
    config.write_text(json.dumps({"screens": [{"name": "s", "x": 0, "y": 0, **size}]}))
    environment = os.environ | {
        "QT_QPA_PLATFORM": f"offscreen:configfile={config}",
        "QT_SCALE_FACTOR": scale,
        "TZ": "UTC",
    }
    command = [sys.executable, str(SHOTS), "--profiles", str(folder), *words]
    out = subprocess.PIPE if "--audit" in words else None
    return subprocess.run(command, env=environment, stdout=out, text=True, check=False)


async def every_window(
    app: Application,
    folder: Path,
    wanted: Callable[[str], bool] = lambda _: True,
    *,
    size: QSize | None = None,
) -> AsyncIterator[Shown]:
    """Show each window in each state and theme, one after the other, once it is at rest."""
    with standing_clock() as stop_the_clock:
        for state, theme in product(STATES, PALETTES):
            app.setPalette(palette(theme))
            async with windows.opened(profile(folder, state)) as opened:
                for room in (room for room in Room if wanted(f"{room}-{state}-{theme}")):
                    window = opened.rooms.window(room)
                    stop_the_clock()
                    if size is not None:
                        window.resize(size)
                    opened.rooms.go(room, await _thing(room, opened.services))
                    await at_rest(opened)
                    yield Shown(f"{room}-{state}-{theme}", window)
                    window.hide()


async def at_rest(opened: windows.Opened) -> None:
    """Wait until no window has work to do."""
    live = opened.rooms.desk.supervisor._live
    quiet = 0
    while quiet < _QUIET_TURNS:
        await windows.until(lambda: not live)
        await asyncio.sleep(0)
        quiet = 0 if live else quiet + 1


async def _thing(room: Room, services: Services) -> Thing:
    """Return what a window shows in its picture; None where there is nothing."""
    known = [
        each for each in await services.review.lessons() if each.text in (_LOOKED_AT, _KEPT[0])
    ]
    found = {each.text: each for each in known}
    if not found:
        return None
    match room:
        case Room.LESSONS:
            return found[_LOOKED_AT].id
        case Room.SEGMENTS:
            return await _place(services, found[_KEPT[0]])
        case _:
            return None


async def _place(services: Services, lesson: Lesson) -> Place | None:
    """Return the segment that a lesson was learnt from."""
    turn = lesson.evidence[0].turn
    for row in await services.browse.segments():
        _, turns = await services.browse.segment(row.id)
        if turn in [each.id for each in turns]:
            return Place(row.id)
    return None
