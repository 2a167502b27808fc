"""The running application: opens the archive, keeps loop, windows and tray together, ends them.

The order of the end is that of need: windows, model workers, capture, database.
"""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, ExitStack
from typing import Any

from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.gui import ending
from archivist.gui.application import Application
from archivist.gui.attention import Attention
from archivist.gui.bugs import Bugs
from archivist.gui.clipboard import ClipboardDoor, capture_clipboard
from archivist.gui.dialogs import confirm
from archivist.gui.look import Look
from archivist.gui.more_menu import pause_for
from archivist.gui.notify import Notifier
from archivist.gui.places import Room
from archivist.gui.rooms import Rooms
from archivist.gui.tray import Tray
from archivist.gui.tray_help import Presence
from archivist.ports.machine import Message
from archivist.services.facade import Services
from archivist.services.supervise import Supervisor
from archivist.services.tray_state import PauseFor
from archivist.texts import tr

Opened = Callable[[], AbstractAsyncContextManager[Services]]


class Program:
    """One run of the application. What is asked of it before the archive is open waits."""

    def __init__(
        self,
        application: Application,
        opened: Opened,
        tray: Tray,
        last_resort: ending.LastResort,
    ) -> None:
        self._application = application
        self._opened = opened
        self._tray = tray
        self._last_resort = last_resort
        self._look = Look(application.palette())
        self._stop = asyncio.Event()
        self._parts: _Parts | None = None
        self._calls: list[Callable[[_Parts], object]] = []

    async def main(self) -> int:
        """Run until the end is asked for; return the exit code."""
        ending.stop_on_signals(self.stop)
        self._application.quit_asked.connect(self.stop)
        self._application.palette_changed.connect(self._on_palette_changed)
        bugs = Bugs(asyncio.get_running_loop(), self._tell, self.stop)
        try:
            with bugs.watching():
                return await self._serve()
        finally:
            self._tray.hide()

    # What the tray, other processes and the system ask for.

    def stop(self) -> None:
        """End the program soon, in order."""
        if not self._stop.is_set():
            self._stop.set()
            self._last_resort.begin()

    def go(self, room: Room) -> None:
        """Open a window."""
        self._soon(lambda parts: parts.rooms.go(room))

    def archive_now(self) -> None:
        """Archive what is due, also while paused."""
        self._soon(lambda parts: parts.rooms.desk.running.archive_now())

    def pause(self, length: PauseFor) -> None:
        """Record and archive nothing for a while."""
        self._soon(lambda parts: parts.spawn(pause_for(parts.services.pause, length), name="pause"))

    def resume(self) -> None:
        """End the pause."""
        self._soon(lambda parts: parts.spawn(_resume(parts.services), name="resume"))

    def save_clipboard(self) -> None:
        """Save what is on the clipboard now, and say what became of it."""
        self._soon(lambda parts: parts.spawn(self._save_clipboard(parts), name="clipboard"))

    def look_again(self) -> None:
        """Count again what waits."""
        self._soon(lambda parts: parts.attention.look_again())

    def _soon(self, call: "Callable[[_Parts], object]") -> None:
        if self._parts is not None:
            call(self._parts)
        elif not self._stop.is_set():
            self._calls.append(call)

    async def _serve(self) -> int:
        opened = self._opened()
        try:
            services = await opened.__aenter__()
        except Problem as problem:
            await self._refuse(problem)
            return 1
        try:
            with services.logging():
                await self._work(services)
        finally:
            closing = opened.__aexit__(None, None, None)
            await ending.within(ending.DATABASE_SECONDS, closing, name="database")
        return 0

    async def _work(self, services: Services) -> None:
        self._application.commitDataRequest.connect(services.at_once)
        with ExitStack() as at_last:
            async with Supervisor(services.browse.report) as supervisor:
                loop = services.loop(supervisor)
                clipboard = ClipboardDoor(self._application.clipboard())
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
        async with services.instance.listening(self._answer):
            running = parts.spawn(run, name="loop")
            parts.spawn(services.memory.follow(parts.supervisor), name="propose")
            self._begin(parts)
            await self._stop.wait()
            self._parts = None
            parts.end()
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

    async def _refuse(self, problem: Problem) -> None:
        """Tell why the archive cannot be opened; the program ends after that was read."""
        question = f"{problem.message}\n\n{problem.advice}"
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(confirm(None, question, verb=tr("Quit"), refusal=""))
            stopped = group.create_task(self._stop.wait())
            await asyncio.wait({asked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            asked.cancel()
            stopped.cancel()

    async def _save_clipboard(self, parts: "_Parts") -> None:
        """A refusal is an answer here, no problem to be listed."""
        try:
            answer = await self._captured(parts)
            said = str(answer["message"])
        except Problem as problem:
            said = f"{problem.message} {problem.advice}"
        if parts.rooms.shown:
            parts.rooms.shown[-1].notice(said)
        else:
            self._tray.tell(tr("Save clipboard"), said)

    async def _captured(self, parts: "_Parts") -> Message:
        answer = await capture_clipboard(parts.services, parts.clipboard)
        parts.rooms.desk.running.archive_now()  # the segment is to be seen at once
        return answer

    async def _answer(self, message: Message) -> Message:
        """Answer a second start or the command line. Nothing here approves anything."""
        parts = self._parts
        match message:
            case {"do": "quit"}:
                self.stop()
                return {"ok": True}
            case {"do": "show"}:
                return self._shown(message)
            case {"do": "status"} if parts is not None:
                state = await parts.services.overview()
                return {"ok": True, **state.counts}
            case {"do": "refresh"} if parts is not None:
                await parts.services.pause.look()
                parts.attention.look_again()
                return {"ok": True}
            case {"do": "capture-clipboard"} if parts is not None:
                return await self._captured(parts)
            case _:
                return {"ok": False, "error": "unknown request"}

    def _shown(self, message: Message) -> Message:
        name, token = message.get("room", Room.SEGMENTS), message.get("token", "")
        if name not in set(Room):
            return {"ok": False, "error": "unknown window"}
        room = Room(name)
        self._soon(lambda parts: parts.rooms.go_with(room, str(token)))
        return {"ok": True, "window": True}

    def _tell(self, problem: Problem) -> None:
        """Put a bug that nobody caught on the list of problems."""
        self._soon(lambda parts: parts.spawn(parts.services.browse.report(problem), name="report"))

    def _on_palette_changed(self) -> None:
        self._look.follow(self._application.palette())
        self._tray.follow_look()
        if self._parts is not None:
            self._parts.rooms.desk.signals.look_changed.emit()


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
        self.supervisor = supervisor
        self._tray = tray

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run work in the background."""
        return self.supervisor.spawn(work, name=name)

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
        self.attention.end()
        self.presence.end()
        self.rooms.end()
        self.clipboard.close()
        self._tray.hide()


async def _resume(services: Services) -> None:
    await services.pause.resume()
