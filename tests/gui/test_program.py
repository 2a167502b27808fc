"""The whole program in this process: what reaches it from outside, and the order of its end."""

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QSystemTrayIcon

from archivist import compose
from archivist.gui.application import Application
from archivist.gui.ending import LAST_SECONDS, LastResort
from archivist.gui.places import Room
from archivist.gui.program import Program
from archivist.gui.refusal import Refusing
from archivist.gui.tray import Tray, TrayActions
from archivist.machine.single import Instance
from archivist.paths import Paths, ensure
from archivist.services.facade import Services
from archivist.services.loop import Loop
from archivist.services.supervise import Supervisor
from archivist.services.tray_state import starting
from helpers.palettes import palette
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
Changed = Callable[[Services], Services]


@dataclass(slots=True)
class Running:
    """A program that runs, seen from inside."""

    program: Program
    tray: Tray
    services: Services
    ended: "asyncio.Task[int]"


def ignore(*_: object) -> None:
    """A menu that nobody uses."""


def tray_of_nobody() -> Tray:
    names = TrayActions.__dataclass_fields__
    return Tray(TrayActions(**dict.fromkeys(names, ignore)), starting())


def instance(profile: Profile) -> Instance:
    paths = Paths(profile.folder)
    ensure(paths)
    return Instance(lock=paths.lock, socket=paths.socket)


def refusing(profile: Profile) -> Refusing:
    paths = Paths(profile.folder)
    return Refusing(instance(profile), paths, nullcontext)


@pytest.fixture(autouse=True)
def last_resorts(monkeypatch: pytest.MonkeyPatch, qapp: Application) -> Iterator[list[float]]:
    """Else the last resort would end the tests, and ended programs would go on listening."""
    set_to: list[float] = []

    def note(seconds: float, **_: object) -> None:
        set_to.append(seconds)

    monkeypatch.setattr("faulthandler.dump_traceback_later", note)
    yield set_to
    for signal in (qapp.palette_changed, qapp.quit_asked, qapp.commitDataRequest):
        signal.connect(ignore)  # where the archive was not opened, nothing else is connected
        signal.disconnect()
    gc.unfreeze()


@asynccontextmanager
async def running(
    qapp: Application, profile: Profile, change: Changed = lambda services: services
) -> AsyncIterator[Running]:
    """Run the program until the block ends. `change` puts something else into its services."""
    opened: list[Services] = []

    @asynccontextmanager
    async def changed() -> AsyncIterator[Services]:
        async with compose.opened(profile.folder, profile.home) as services:
            opened.append(change(services))
            yield opened[0]

    tray = tray_of_nobody()
    program = Program(
        qapp, changed, tray, LastResort(0), refusing(profile), instance=instance(profile)
    )
    ended = asyncio.get_running_loop().create_task(program.main())
    await until(lambda: program._parts is not None or ended.done())
    try:
        yield Running(program, tray, opened[0], ended)
    finally:
        program.stop()
        await ended


# What the session and the system tell.


def test_the_end_of_the_session_is_answered_at_once(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    calls: list[str] = []

    def noting(services: Services) -> Services:
        return replace(services, at_once=lambda: calls.append("at once"))

    async def story() -> None:
        async with running(qapp, empty_profile, noting):
            qapp.commitDataRequest.emit(None)
            assert calls == ["at once"]  # nothing was awaited

    qrun(story())


def test_the_system_s_wish_to_quit_is_a_quit_in_order(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            qapp.quit_asked.emit()
            assert await it.ended == 0
        assert not (empty_profile.folder / "archive.db-wal").exists()

    qrun(story())


def test_closing_the_last_window_leaves_it_running(
    qrun: Run, qapp: Application, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)

    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            last: list[bool] = []
            qapp.lastWindowClosed.connect(lambda: last.append(True))
            it.program.go(Room.PROBLEMS)
            assert it.program._parts is not None
            it.program._parts.rooms.window(Room.PROBLEMS).close()
            await until(lambda: last)
            turned: list[bool] = []
            QTimer.singleShot(0, lambda: turned.append(True))  # behind what Qt does about it
            await until(lambda: turned)
            assert (await it.services.instance.ask({"do": "status"}) or {})["ok"]
            assert not it.ended.done()

    qrun(story())


def test_a_new_palette_reaches_tray_look_and_windows(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    def picture(tray: Tray) -> QImage:
        return tray._icon.icon().pixmap(QSize(24, 24)).toImage()

    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            it.program.go(Room.PROBLEMS)
            assert it.program._parts is not None
            desk = it.program._parts.rooms.desk
            told: list[bool] = []
            desk.signals.look_changed.connect(lambda: told.append(desk.look.colours.is_dark))
            before = picture(it.tray)
            other = palette("dark")
            other.setColor(QPalette.ColorRole.Accent, "#b05500")
            qapp.setPalette(other)
            await until(lambda: told)
            assert told[-1], "the windows are told after the look has the colours"
            assert picture(it.tray) != before

    qapp.setPalette(palette("light"))
    try:
        qrun(story())
    finally:
        qapp.setPalette(palette("light"))


def fail() -> None:
    raise KeyError("a word of the conversation")


async def fail_later() -> None:
    fail()


@pytest.mark.allow_logs
def test_a_bug_anywhere_is_once_in_the_log_and_once_among_the_problems(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            parts = it.program._parts
            assert parts is not None
            QTimer.singleShot(0, fail)
            threading.Thread(target=fail).start()
            parts.spawn(fail_later(), name="work")
            abandoned = asyncio.get_running_loop().create_task(fail_later())
            await until(abandoned.done)
            del abandoned
            listed: list[tuple[str, int]] = []

            async def look() -> None:
                problems = await it.services.browse.problems()
                listed[:] = sorted((one.key, one.count) for one in problems)

            async with asyncio.timeout(10):
                while len(listed) < 4:
                    await look()
            assert listed == [
                ("bug-loop-KeyError", 1),
                ("bug-thread-KeyError", 1),
                ("bug-window-KeyError", 1),
                ("bug-work-KeyError", 1),
            ]
        log = (empty_profile.folder / "archivist.log").read_text(encoding="utf-8")
        assert log.count("Traceback") == 4
        assert log.count("in fail\n") == 4

    qrun(story())


def test_other_programs_can_ask_for_little_and_approve_nothing(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            ask = it.services.instance.ask
            assert await ask({"do": "show", "room": "problems"}) == {"ok": True, "window": True}
            assert it.program._parts is not None
            assert [window.room for window in it.program._parts.rooms.shown] == [Room.PROBLEMS]
            assert (await ask({"do": "status"}) or {})["ok"]
            for wrong in (
                {"do": "show", "room": "kitchen"},
                {"do": "show", "room": ["lessons"]},
                {"do": "show", "room": None},
                {"do": "approve", "hunks": [1]},
                {"do": "keep", "lessons": [1]},
                {},
            ):
                assert (await ask(wrong) or {})["ok"] is False
            assert await ask({"do": "quit"}) == {"ok": True}
            assert await it.ended == 0

    qrun(story())


# The order of the end.


def test_from_the_first_wish_to_end_time_runs(
    qrun: Run, qapp: Application, empty_profile: Profile, last_resorts: list[float]
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            assert last_resorts == []
            it.program.stop()
            it.program.stop()
            assert last_resorts == [LAST_SECONDS]

    qrun(story())


@dataclass(slots=True)
class Order:
    """Notes in which order the parts of the program end; each of them may hang."""

    hang: bool
    steps: list[str] = field(default_factory=list)

    async def end(self, name: str) -> None:
        self.steps.append(name)
        if self.hang:
            await asyncio.Event().wait()

    def change(self, services: Services) -> Services:
        return replace(services, stop_models=self._stop_models, loop=self._loop(services.loop))

    async def _stop_models(self) -> None:
        await self.end("models")

    def _loop(self, made: Callable[[Supervisor], Loop]) -> Callable[[Supervisor], Loop]:
        def loop(supervisor: Supervisor) -> Loop:
            real = made(supervisor)
            run = real.run

            async def noted(stop: asyncio.Event) -> None:
                await run(stop)
                await self.end("capture")

            real.run = noted  # type: ignore[method-assign]  # the program asks for nothing else
            return real

        return loop


@pytest.mark.parametrize("hang", [False, True])
@pytest.mark.allow_logs
def test_it_ends_windows_models_capture_and_database_each_within_its_time(
    qrun: Run,
    qapp: Application,
    empty_profile: Profile,
    monkeypatch: pytest.MonkeyPatch,
    *,
    hang: bool,
) -> None:
    order = Order(hang)

    async def story() -> None:
        opened: list[Services] = []

        @asynccontextmanager
        async def noted() -> AsyncIterator[Services]:
            async with compose.opened(empty_profile.folder, empty_profile.home) as services:
                opened.append(order.change(services))
                yield opened[0]
                await order.end("database")

        said, app = refusing(empty_profile), instance(empty_profile)
        program = Program(qapp, noted, tray_of_nobody(), LastResort(0), said, instance=app)
        ended = asyncio.get_running_loop().create_task(program.main())
        await until(lambda: program._parts is not None)
        program.go(Room.PROBLEMS)
        assert program._parts is not None
        rooms = program._parts.rooms
        end = rooms.end

        def noted_end() -> None:
            order.steps.append("windows")
            end()

        monkeypatch.setattr(rooms, "end", noted_end)
        began = time.monotonic()
        program.stop()
        assert await ended == 0
        assert time.monotonic() - began < LAST_SECONDS
        assert rooms.shown == []
        # Capture hears of the end itself; what matters is that it is over before the database is.
        assert [s for s in order.steps if s != "capture"] == ["windows", "models", "database"]
        assert order.steps.index("capture") < order.steps.index("database")

    qrun(story())
