"""Work of which only the latest counts: typing on cancels the search before."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol


class Spawn(Protocol):
    """Starts background work that is owned and reported."""

    def __call__(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Start it."""


class Latest:
    """Runs one piece of work at a time; starting another cancels the one before."""

    def __init__(self, spawn: Spawn) -> None:
        self._spawn = spawn
        self._task: asyncio.Task[None] | None = None

    def start(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """Start work, and cancel what this still runs."""
        self.cancel()
        self._task = self._spawn(work, name=name)

    def cancel(self) -> None:
        """Cancel what this runs, if anything."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def after(
        self, seconds: float, make: Callable[[], Coroutine[Any, Any, None]], *, name: str
    ) -> None:
        """Start work when nothing else was started for so long."""
        self.start(_delayed(seconds, make), name=name)


async def _delayed(seconds: float, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    await asyncio.sleep(seconds)
    await make()
