"""Work that is asked for often and must see the newest state: one run at a time, one more after."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from archivist.gui.latest import Spawn


class Again:
    """Runs work when asked; asked while it runs, it runs once more. Nothing is cancelled."""

    def __init__(
        self, spawn: Spawn, work: Callable[[], Coroutine[Any, Any, None]], *, name: str
    ) -> None:
        self._spawn = spawn
        self._work = work
        self._name = name
        self._is_wanted = False
        self._is_running = False

    def ask(self) -> None:
        """Run the work now, or once more after the run that is under way."""
        self._is_wanted = True
        if not self._is_running:
            self._is_running = True
            task = self._spawn(self._run(), name=self._name)
            task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._is_running = False
        if self._is_wanted and not task.cancelled():
            self.ask()

    async def _run(self) -> None:
        while self._is_wanted:
            self._is_wanted = False
            await self._work()
