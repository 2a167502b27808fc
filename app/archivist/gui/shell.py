"""The tray application: Qt and asyncio on one loop, from the lock of the profile to its release.

The tray icon is shown before the archive is opened and before most of the program is read, for
both take a while. The end comes by our own event alone: Qt's `quit` would end the loop under what
still awaits.
"""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import PySide6

from archivist.domain.problems import Problem, Refused
from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.gui.tray import Tray, TrayActions
from archivist.paths import Paths
from archivist.ports.machine import ENDING, Instance, Message
from archivist.services.pause import PauseFor
from archivist.services.tray_state import starting
from archivist.texts import tr

if TYPE_CHECKING:
    from archivist.gui.program import Program
    from archivist.services.facade import Services

os.environ["QT_API"] = "pyside6"  # else qasync takes another binding where one is installed

_log = logging.getLogger(__name__)

_LOSES_REFERENCES: Final = frozenset({"6.12.0"})
_PATIENCE: Final = 10.0
"""Seconds that a second start waits for an answer of the first, which may be slow to start."""

_REST: Final = 0.1
_SCREEN_GONE: Final = 1
_SWITCH_SECONDS: Final = 0.0005
"""How long a busy thread may keep the interpreter from the window: ten times less than usual."""

_IMMORTAL: Final = (3, 12)
"""From this Python on, None and True are not counted: losing references to them does no harm."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the program is started with. `room` is opened at once; None: only the tray icon.

    `logged` is the log of a program that has no services, for want of an archive.
    """

    opened: Callable[[], "AbstractAsyncContextManager[Services]"]
    instance: Instance
    data: Path
    room: Room | None = None
    logged: Callable[[], AbstractContextManager[object]] = nullcontext
    wished: Callable[[], int | None] = lambda: None
    """The exit code to end with, should a signal have come before the loop could take it."""


def run(start: Start) -> int:
    """Run the application until it is told to end; return the exit code.

    Raises Problem when it cannot start.
    """
    refuse_pair(PySide6.__version__, sys.version_info[:2])
    until = time.monotonic() + _PATIENCE
    while (code := start.wished()) is None:
        with start.instance.held() as is_first:
            if is_first:
                application = Application(["archivist"])
                door = _Door(start.room)
                tray = Tray(door.actions(), starting())
                tray.show()
                return _run_alone(application, start, tray, door)
        answer = asyncio.run(start.instance.ask(_request(start.room)))
        if answer is not None and answer != ENDING:
            return _handed_over(answer)
        if time.monotonic() > until:
            raise _silent()
        time.sleep(_REST)  # the other one starts, or ends
    return code


def _run_alone(application: Application, start: Start, tray: Tray, door: "_Door") -> int:
    from qasync import QEventLoop

    from archivist.gui.bugs import open_crash_log
    from archivist.gui.ending import LastResort, leave
    from archivist.gui.program import Program
    from archivist.gui.refusal import Refusing

    sys.setswitchinterval(_SWITCH_SECONDS)
    crash_log, fault = open_crash_log(start.data / "crash.log")
    last_resort = LastResort(crash_log)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(application)) as runner:
        refusing = Refusing(start.instance, Paths(start.data), start.logged)
        program = Program(
            application, start.opened, tray, last_resort, refusing, instance=start.instance
        )
        program.faults += [fault] if fault is not None else []
        door.lead_to(program)
        try:
            code = runner.run(_main(program, start.wished))
        except RuntimeError:
            last_resort.all_is_closed()
            if program.is_over:
                raise
            _log.error("the loop was ended from outside")  # by Qt: its screen is gone
            program.rescue()
            leave(_SCREEN_GONE)
        finally:
            last_resort.all_is_closed()  # the loop now waits for its threads
        if program.is_left:
            leave(code)
        return code


async def _main(program: "Program", wished: Callable[[], int | None]) -> int:
    from archivist.services.supervise import stop_on_signals

    stop_on_signals(program.stop)
    if wished() is not None:
        program.stop()
    return await program.main()


def tell(problem: Problem, data: Path) -> None:
    """Show why the program cannot start, to a person who started it from a menu."""
    from qasync import QEventLoop

    from archivist.gui.refusal import shown
    from archivist.services.supervise import stop_on_signals

    async def told() -> None:
        stopped = asyncio.Event()
        stop_on_signals(stopped.set)
        await shown(problem, Paths(data), stopped)

    application = Application(["archivist"])
    with asyncio.Runner(loop_factory=lambda: QEventLoop(application)) as runner:
        runner.run(told())


def refuse_pair(pyside: str, python: tuple[int, int]) -> None:
    """Raise Refused for the PySide6 that loses references, on a Python that counts them."""
    if pyside in _LOSES_REFERENCES and python < _IMMORTAL:
        raise Refused(
            tr("PySide6 {version} makes this Python end after some minutes.", version=pyside),
            advice=tr("Install another one: pip install 'pyside6-essentials>=6.8,<6.12'."),
            key="pyside",
        )


def _request(room: Room | None) -> Message:
    """Ask the app that runs already for its window, with our right to come to the front."""
    if room is None:
        return {"do": "ping"}
    token = os.environ.get("XDG_ACTIVATION_TOKEN") or os.environ.get("DESKTOP_STARTUP_ID", "")
    return {"do": "show", "room": room, "token": token}


def _handed_over(answer: Message) -> int:
    if answer.get("window") is False:
        raise Refused(
            tr("Archivist runs for this profile without windows."),
            advice=tr(
                "It was started with `archivist run --no-gui`: stop it there (Ctrl+C), "
                "then start Archivist again."
            ),
            key="app-headless",
        )
    return 0


def _silent() -> Problem:
    return Problem(
        tr("Archivist runs for this profile already, but does not answer."),
        advice=tr("Wait a moment and try again, or end that process."),
        key="app-silent",
    )


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
