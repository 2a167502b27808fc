"""Windows for tests: a loop over Qt, profiles to open them on, and waiting without sleeping."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from archivist import compose
from archivist.gui.application import Application
from archivist.gui.look import Look
from archivist.gui.rooms import Rooms
from archivist.services.archive import Done
from archivist.services.facade import Services
from archivist.services.supervise import Supervisor
from helpers.program import DEMO_HOME

_LIMIT = 30.0
_STEP = 0.01


def application() -> Application:
    """Return the one application object, made when it is first asked for."""
    found = QApplication.instance()
    made = found if isinstance(found, Application) else Application(["archivist"])
    made.setFont(made.font())
    return made


def run(app: Application, story: Coroutine[Any, Any, None], *, limit: float = _LIMIT) -> None:
    """Run a coroutine on a fresh loop over Qt, not for ever."""
    from qasync import QEventLoop

    async def bounded() -> None:
        async with asyncio.timeout(limit):
            await story

    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(bounded())


async def until(holds: Callable[[], object], *, seconds: float = 10.0) -> None:
    """Let the loop turn until something holds; fail when it does not in time."""
    try:
        async with asyncio.timeout(seconds):
            while not holds():
                await asyncio.sleep(_STEP)
    except TimeoutError:
        raise AssertionError(f"did not come to hold within {seconds} s") from None


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the services are opened."""

    folder: Path
    home: Path


def archived_demo(folder: Path) -> Path:
    """Make a demo home and a profile in which all of it is archived by rules."""
    shutil.copytree(DEMO_HOME, folder / "home")
    asyncio.run(_archive(Profile(folder / "profile", folder / "home")))
    return folder


def copied(folder: Path, to: Path) -> Profile:
    """Copy a home and its profile."""
    shutil.copytree(folder, to)
    return Profile(to / "profile", to / "home")


async def _archive(profile: Profile) -> None:
    async with compose.opened(profile.folder, profile.home) as services:
        async for _ in services.ingest.import_home(services.profile.home):
            pass
        await services.archive.finish(Done(), pause=lambda: asyncio.sleep(_STEP))


@dataclass(slots=True)
class Idle:
    """A background loop that only notes what it is asked."""

    asked: list[str] = field(default_factory=list)

    def read_now(self) -> None:
        self.asked.append("read")

    def cancel_import(self) -> None:
        self.asked.append("cancel")

    def archive_now(self) -> None:
        self.asked.append("archive")


@dataclass(slots=True)
class Copied:
    """A clipboard that keeps what was copied."""

    texts: list[str] = field(default_factory=list)

    def put(self, text: str) -> None:
        self.texts.append(text)


@dataclass(slots=True)
class Opened:
    """The windows on one open profile."""

    services: Services
    rooms: Rooms
    running: Idle
    clipboard: Copied
    stopped: list[bool]


@asynccontextmanager
async def opened(profile: Profile, *, asked_by: str | None = None) -> AsyncIterator[Opened]:
    """Open a profile with its windows, without tray and background loop."""
    stopped: list[bool] = []
    running, clipboard = Idle(), Copied()
    async with (
        compose.opened(profile.folder, profile.home, asked_by=asked_by) as services,
        Supervisor(services.browse.report) as supervisor,
    ):
        look = Look(application().palette())
        rooms = Rooms(
            services,
            supervisor,
            look,
            running=running,
            clipboard=clipboard,
            save_clipboard=lambda: clipboard.texts.append("saved"),
            stop=lambda: stopped.append(True),
        )
        yield Opened(services, rooms, running, clipboard, stopped)
        rooms.end()
        await rooms.at_rest()
