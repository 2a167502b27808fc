"""The tray application: Qt and asyncio on one loop, from the lock of the profile to its release.

The tray icon is shown before the archive is opened and before most of the program is read, for
both take a while. The end comes by our own event alone: Qt's `quit` would end the loop under what
still awaits.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import PySide6

from archivist.domain.problems import Problem, Refused
from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.gui.tray import Tray, TrayActions
from archivist.ports.machine import Instance
from archivist.services.tray_state import PauseFor, starting
from archivist.texts import tr

if TYPE_CHECKING:
    from archivist.gui.program import Program
    from archivist.services.facade import Services

os.environ["QT_API"] = "pyside6"  # else qasync takes another binding where one is installed

_LOSES_REFERENCES: Final = frozenset({"6.12.0"})
_SWITCH_SECONDS: Final = 0.0005
"""How long a busy thread may keep the interpreter from the window: ten times less than usual."""

_IMMORTAL: Final = (3, 12)
"""From this Python on, None and True are not counted: losing references to them does no harm."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the program is started with. `room` is opened at once; None: only the tray icon."""

    opened: Callable[[], "AbstractAsyncContextManager[Services]"]
    instance: Instance
    data: Path
    room: Room | None = None


def run(start: Start) -> int:
    """Run the application until it is told to end; return the exit code.

    Raises Problem when it cannot start.
    """
    refuse_pair(PySide6.__version__, sys.version_info[:2])
    with start.instance.held() as is_first:
        if not is_first:
            return asyncio.run(_hand_over(start))
        application = Application(["archivist"])
        door = _Door(start.room)
        tray = Tray(door.actions(), starting())
        tray.show()
        return _run_alone(application, start, tray, door)


def _run_alone(application: Application, start: Start, tray: Tray, door: "_Door") -> int:
    from qasync import QEventLoop

    from archivist.gui.bugs import open_crash_log
    from archivist.gui.ending import LastResort
    from archivist.gui.program import Program

    sys.setswitchinterval(_SWITCH_SECONDS)
    last_resort = LastResort(open_crash_log(start.data / "crash.log"))
    with asyncio.Runner(loop_factory=lambda: QEventLoop(application)) as runner:
        program = Program(application, start.opened, tray, last_resort)
        door.lead_to(program)
        code = runner.run(program.main())
        last_resort.all_is_closed()  # the loop now waits for its threads
        return code


def refuse_pair(pyside: str, python: tuple[int, int]) -> None:
    """Raise Refused for the PySide6 that loses references, on a Python that counts them."""
    if pyside in _LOSES_REFERENCES and python < _IMMORTAL:
        raise Refused(
            tr("PySide6 {version} makes this Python end after some minutes.", version=pyside),
            advice=tr("Install another one: pip install 'pyside6-essentials>=6.8,<6.12'."),
            key="pyside",
        )


async def _hand_over(start: Start) -> int:
    """Let the app that runs already open its window, with our right to come to the front."""
    token = os.environ.get("XDG_ACTIVATION_TOKEN") or os.environ.get("DESKTOP_STARTUP_ID", "")
    room = start.room or Room.SEGMENTS
    answer = await start.instance.ask({"do": "show", "room": room, "token": token})
    if answer is None:
        raise Problem(
            tr("Archivist runs for this profile already, but does not answer."),
            advice=tr("Wait a moment and try again, or end that process."),
            key="app-silent",
        )
    if not answer.get("window"):
        raise Refused(
            tr("Archivist runs for this profile without windows."),
            advice=tr("End it (`archivist run --no-gui`), then start it again."),
            key="app-headless",
        )
    return 0


class _Door:
    """What the tray's menu calls. Before the program is read, what was asked for waits."""

    def __init__(self, room: Room | None) -> None:
        self._program: Program | None = None
        self._calls: list[Callable[[Program], None]] = []
        if room is not None:
            self._later(lambda program: program.go(room))

    def lead_to(self, program: "Program") -> None:
        """Hand everything to the program from now on; it keeps what comes before it is ready."""
        self._program = program
        for call in self._calls:
            call(program)

    def actions(self) -> TrayActions:
        """Return what the menu calls."""
        return TrayActions(
            segments=lambda: self._later(lambda program: program.go(Room.SEGMENTS)),
            lessons=lambda: self._later(lambda program: program.go(Room.LESSONS)),
            memory=lambda: self._later(lambda program: program.go(Room.MEMORY)),
            problems=lambda: self._later(lambda program: program.go(Room.PROBLEMS)),
            archive_now=lambda: self._later(lambda program: program.archive_now()),
            pause=self._pause,
            resume=lambda: self._later(lambda program: program.resume()),
            save_clipboard=lambda: self._later(lambda program: program.save_clipboard()),
            quit=lambda: self._later(lambda program: program.stop()),
            refresh=lambda: self._later(lambda program: program.look_again()),
        )

    def _pause(self, length: PauseFor) -> None:
        self._later(lambda program: program.pause(length))

    def _later(self, call: "Callable[[Program], None]") -> None:
        if self._program is None:
            self._calls.append(call)
        else:
            call(self._program)
