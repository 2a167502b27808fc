"""The running application: opens the archive, keeps loop, windows and tray together, ends them.

The order of the end is that of need: windows, model workers, capture, database.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from functools import partial
from typing import Any, Final

from archivist.domain.problems import Problem, Refused
from archivist.domain.waiting import Waiting
from archivist.gui import ending
from archivist.gui.application import Application
from archivist.gui.attention import Attention
from archivist.gui.bugs import Bugs
from archivist.gui.clip_child import WORKER, ClipChild
from archivist.gui.clip_saver import ClipSaver
from archivist.gui.clipboard import ClipboardDoor, capture_clipboard
from archivist.gui.look import Look
from archivist.gui.notify import Notifier
from archivist.gui.places import Room
from archivist.gui.refusal import Refusing
from archivist.gui.rooms import Rooms
from archivist.gui.tray import Tray
from archivist.gui.tray_help import Presence
from archivist.ports.machine import ENDING, Instance, Message
from archivist.services.bus import AskedFailed
from archivist.services.facade import Services
from archivist.services.pause import PauseFor
from archivist.services.supervise import Supervisor, is_bug, settled
from archivist.services.tray_state import refused
from archivist.texts import tr

_LOGS: Final = "log-"
_TOKEN_MOST: Final = 512

Opened = Callable[[], AbstractAsyncContextManager[Services]]


class Program:
    """One run of the application. What is asked of it before the archive is open waits."""

    def __init__(
        self,
        application: Application,
        opened: Opened,
        tray: Tray,
        last_resort: ending.LastResort,
        refusing: Refusing,
        *,
        instance: Instance,
    ) -> None:
        self._application = application
        self._opened = opened
        self._tray = tray
        self._last_resort = last_resort
        self._refusing = refusing
        self._instance = instance
        self._at_once: Callable[[], None] | None = None
        self.faults: list[Problem] = []
        """What was in the way of the start without ending it; listed once there is a list."""
        self.is_over = False
        self.is_left = False
        """Whether the opening of the archive was given up, which goes on in a thread."""
        self._look = Look(application.palette())
        self._stop = asyncio.Event()
        self._parts: _Parts | None = None
        self._calls: list[Callable[[_Parts], object]] = []

    async def main(self) -> int:
        """Run until the end is asked for; return the exit code."""
        self._application.quit_asked.connect(self.stop)
        self._application.palette_changed.connect(self._on_palette_changed)
        bugs = Bugs(asyncio.get_running_loop(), self._tell, self.stop)
        try:
            with bugs.watching():
                return await self._serve()
        finally:
            self._tray.hide()
            self.is_over = True

    # What the tray, other processes and the system ask for.

    def stop(self) -> None:
        """End the program soon, in order."""
        if not self._stop.is_set():
            self._stop.set()
            self._last_resort.begin()

    def rescue(self) -> None:
        """Save what can be saved without a loop."""
        if self._at_once is not None:
            self._at_once()

    def go(self, room: Room) -> None:
        """Open a window, or show again why there is none."""
        if not self._refusing.to_front():
            self._soon(lambda parts: parts.rooms.go(room))

    def archive_now(self) -> None:
        """Archive what is due, also while paused."""
        self._soon(lambda parts: parts.rooms.desk.running.archive_now())

    def pause(self, length: PauseFor) -> None:
        """Record and archive nothing for a while."""
        self._soon(
            lambda parts: parts.do(
                tr("Pause"), partial(parts.services.pause.pause, length), name="pause"
            )
        )

    def resume(self) -> None:
        """End the pause."""
        self._soon(lambda parts: parts.do(tr("Resume"), parts.services.pause.resume, name="resume"))

    def save_clipboard(self) -> None:
        """Save what is on the clipboard now, and say what became of it."""
        self._soon(lambda parts: parts.spawn(parts.clips.save(), name="clipboard"))

    def look_again(self) -> None:
        """Count again what waits."""
        self._soon(lambda parts: parts.attention.look_again())

    def _soon(self, call: "Callable[[_Parts], object]") -> None:
        if self._parts is not None:
            call(self._parts)
        elif not self._stop.is_set():
            self._calls.append(call)

    async def _serve(self) -> int:
        if self._stop.is_set():
            return 0
        opened = self._opened()
        async with AsyncExitStack() as answering:
            try:
                # Before the archive: to open it may take long, and a second start wants an answer.
                await answering.enter_async_context(self._instance.listening(self._answer))
                services = await self._services(opened)
            except Problem as problem:
                await answering.aclose()
                self._tray.show_state(refused(problem))
                await self._refusing.tell(problem, self._stop)
                return 1
            if services is not None:
                await self._serve_with(services, opened)
        return 0

    async def _services(self, opened: AbstractAsyncContextManager[Services]) -> Services | None:
        """Open the archive; None when the end is asked for and it takes too long, as by a lock."""
        async with asyncio.TaskGroup() as group:
            opening = group.create_task(settled(opened.__aenter__(), where="open"))
            stopped = group.create_task(self._stop.wait())
            await asyncio.wait({opening, stopped}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({opening}, timeout=ending.OPENING_SECONDS)
            stopped.cancel()
            opening.cancel()
        if opening.cancelled():
            self.is_left = True
            return None
        found = opening.result()
        if isinstance(found, Problem):
            raise found
        return found

    async def _serve_with(
        self, services: Services, opened: AbstractAsyncContextManager[Services]
    ) -> None:
        self._at_once = services.at_once
        try:
            with services.logging() as fault:
                self.faults += [fault] if fault is not None else []
                await self._work(services)
        finally:
            closing = opened.__aexit__(None, None, None)
            await ending.within(ending.DATABASE_SECONDS, closing, name="database")
            self._at_once = None

    async def _work(self, services: Services) -> None:
        self._application.commitDataRequest.connect(services.at_once)
        with ExitStack() as at_last:
            async with Supervisor(services.browse.report) as supervisor:
                loop = services.loop(supervisor)
                clipboard = _clipboard(self._application, services)
                rooms = Rooms(
                    services,
                    supervisor,
                    self._look,
                    running=loop,
                    clipboard=clipboard,
                    save_clipboard=self.save_clipboard,
                    stop=self.stop,
                )
                at_last.callback(rooms.delete)
                parts = _Parts(services, supervisor, rooms, clipboard, self._tray)
                await self._serve_until_stopped(parts, loop.run(self._stop))

    async def _serve_until_stopped(self, parts: "_Parts", run: Coroutine[Any, Any, None]) -> None:
        services = parts.services
        running = parts.spawn(run, name="loop")
        parts.spawn(services.memory.follow(parts.supervisor), name="propose")
        parts.spawn(services.notice_elsewhere(), name="elsewhere")
        parts.spawn(services.browse.settle(_LOGS, self.faults), name="logs")
        self._begin(parts)
        await self._stop.wait()
        self._parts = None
        services.hurry()
        parts.end()
        await ending.within(ending.TYPED_SECONDS, parts.rooms.at_rest(), name="typed")
        await ending.within(ending.MODELS_SECONDS, services.stop_models(), name="models")
        await ending.within(ending.CAPTURE_SECONDS, running, name="capture")

    def _begin(self, parts: "_Parts") -> None:
        self._parts = parts
        calls, self._calls = self._calls, []
        for call in calls:
            call(parts)
        parts.begin()
        # What the start made stays: to look through it at each collection stops the loop for 40 ms.
        gc.freeze()

    async def _answer(self, message: Message) -> Message:
        """Answer a second start or the command line. Nothing here approves anything."""
        found = await settled(self._answered(message), where="message")
        if not isinstance(found, Problem):
            return found
        if is_bug(found):
            self._tell(found)
        raise found

    async def _answered(self, message: Message) -> Message:
        parts = self._parts
        match message:
            case {"do": "quit"}:
                self.stop()
                return {"ok": True}
            case {"do": "show" | "ping"} if self._stop.is_set():
                return ENDING
            case {"do": "show"}:
                return self._shown(message)
            case {"do": "ping"}:
                return {"ok": True, "window": True}
            case {"do": "status"} if parts is not None:
                state = await parts.services.overview()
                return {"ok": True, **state.counts}
            case {"do": "refresh"} if parts is not None:
                await parts.services.pause.look()
                parts.attention.look_again()
                return {"ok": True}
            case {"do": "capture-clipboard"} if parts is not None:
                return await parts.captured()
            case {"do": "status" | "refresh" | "capture-clipboard"}:
                raise _not_ready()
            case _:
                return {"ok": False, "error": "unknown request"}

    def _shown(self, message: Message) -> Message:
        name, token = message.get("room", Room.SEGMENTS), message.get("token", "")
        if not isinstance(name, str) or name not in set(Room):
            return {"ok": False, "error": "unknown window"}
        if not (isinstance(token, str) and len(token) <= _TOKEN_MOST and token.isprintable()):
            return {"ok": False, "error": "no token of a desktop"}
        room = Room(name)
        self._soon(lambda parts: parts.rooms.go_with(room, token))
        return {"ok": True, "window": True}

    def _tell(self, problem: Problem) -> None:
        """Put a bug that nobody caught on the list of problems."""
        self._soon(lambda parts: parts.spawn(parts.services.browse.report(problem), name="report"))

    def _on_palette_changed(self) -> None:
        self._look.follow(self._application.palette())
        self._tray.follow_look()
        if self._parts is not None:
            self._parts.rooms.desk.signals.look_changed.emit()


def _not_ready() -> Problem:
    return Refused(
        tr("Archivist has not opened its archive yet, or is about to end."),
        advice=tr("Try again in a moment."),
        key="app-not-ready",
    )


def _clipboard(application: Application, services: Services) -> ClipboardDoor:
    """Return the clipboard; under X11 a program that hangs must not keep the windows waiting."""
    if application.platformName() != "xcb":
        return ClipboardDoor(application.clipboard())
    child = ClipChild(*services.child(WORKER))
    return ClipboardDoor(application.clipboard(), elsewhere=child.look)


class _Parts:
    """What exists while the archive is open."""

    def __init__(
        self,
        services: Services,
        supervisor: Supervisor,
        rooms: Rooms,
        clipboard: ClipboardDoor,
        tray: Tray,
    ) -> None:
        self.services = services
        self.rooms = rooms
        self.clipboard = clipboard
        self.presence = Presence(rooms.desk, tray, lambda: rooms.shown)
        self.notifier = Notifier(
            rooms.desk,
            beside_tray=tray.tell,
            review=lambda token: rooms.go_with(Room.LESSONS, token),
        )
        self.attention = Attention(rooms.desk, tray.show_state, counted=self._on_counted)
        self.clips = ClipSaver(
            rooms.desk,
            self.captured,
            shown=lambda: next(reversed(rooms.shown), None),
            beside_tray=tray.tell,
        )
        self.supervisor = supervisor
        self._tray = tray
        self._end_listening = services.bus.listen(
            AskedFailed, lambda event: self.tell_failure(tr("Archive now"), event.problem)
        )

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run work in the background."""
        return self.supervisor.spawn(work, name=name)

    def do(self, title: str, work: Callable[[], Awaitable[object]], *, name: str) -> None:
        """Do what was asked for in the tray; a Problem is told where the person looks."""
        self.spawn(self._told(title, work), name=name)

    async def _told(self, title: str, work: Callable[[], Awaitable[object]]) -> None:
        try:
            await work()
        except Problem as problem:
            self.tell_failure(title, problem)
            raise

    def tell_failure(self, title: str, problem: Problem) -> None:
        """Tell in the window that is open, else beside the tray."""
        if self.rooms.shown:
            self.rooms.shown[-1].trouble(problem)
        else:
            self._tray.tell(title, f"{problem.message} {problem.advice}")

    async def captured(self) -> Message:
        """Save what is on the clipboard. Raises Refused."""
        answer = await capture_clipboard(self.services, self.clipboard)
        self.rooms.desk.running.archive_now()  # the segment is to be seen at once
        return answer

    def _on_counted(self, waiting: Waiting) -> None:
        self.notifier.news(waiting)
        self.rooms.desk.signals.tell_waiting(waiting)

    def begin(self) -> None:
        """Show how things stand; where there is no tray, a window is the only way in."""
        self.rooms.all_closed.connect(self.presence.on_last_window_closed)
        self.attention.look_again()
        self.attention.show()
        self.presence.begin()

    def end(self) -> None:
        """Close the windows and give the clipboard back."""
        self._end_listening()
        self.attention.end()
        self.notifier.end()
        self.presence.end()
        self.rooms.end()
        self.clipboard.close()
        self._tray.hide()
