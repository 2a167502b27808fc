"""The one owner of background tasks: names them, holds them, reports what they raise.

A Problem goes to the list of problems; anything else is a bug: a traceback in the log, told once.
"""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from archivist.domain.problems import Problem
from archivist.texts import tr

_log = logging.getLogger(__name__)

Report = Callable[[Problem], Awaitable[None]]
Result = TypeVar("Result")
_BUG = "bug-"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Supervisor:
    """Owns tasks as an asynchronous context; leaving it cancels and awaits those that still run."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._live: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Begin to own tasks."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel what still runs and wait for it."""
        for task in list(self._live):
            task.cancel()
        await asyncio.gather(*self._live, return_exceptions=True)

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run work in the background; what it raises is reported, never lost."""
        task = asyncio.get_running_loop().create_task(self.guarded(work, name=name), name=name)
        self._live.add(task)
        task.add_done_callback(self._live.discard)
        task.add_done_callback(lambda _: work.close())  # cancelled before it began
        return task

    async def guarded(self, work: Awaitable[None], *, name: str) -> None:
        """Await work; report what it raises instead of raising it. Cancelling passes through."""
        try:
            await work
            return
        except Problem as problem:
            _log.info("problem task=%s key=%s", name, problem.key)
            found = problem
        except Exception as bug:
            _log.exception("bug task=%s", name)
            found = bug_report(bug, name)
        await self._list(found)

    async def _list(self, problem: Problem) -> None:
        """Report a problem; where that fails too, as on a full disk, the log must do.

        Raised, it would come back as a problem to be reported, again and again.
        """
        try:
            await self._report(problem)
        except Problem as trouble:
            _log.error("report failed problem=%s key=%s", problem.key, trouble.key)
        except Exception:
            _log.exception("report failed problem=%s", problem.key)


async def settled(work: Awaitable[Result], *, where: str) -> Result | Problem:
    """Await work and return what it gave, or the Problem (a bug is logged and becomes one)."""
    try:
        return await work
    except Problem as problem:
        return problem
    except Exception as bug:
        _log.exception("bug where=%s", where)
        return bug_report(bug, where)


def is_bug(problem: Problem) -> bool:
    """Whether a Problem stands for a bug of ours."""
    return problem.key.startswith(_BUG)


def bug_report(bug: Exception, where: str) -> Problem:
    """Return the Problem under which a bug is listed; the log holds its traceback."""
    return Problem(
        tr("An internal error happened in {where} ({kind}).", where=where, kind=type(bug).__name__),
        advice=tr("The log in the data folder has the details; the work is tried again later."),
        key=f"{_BUG}{where}-{type(bug).__name__}",
    )


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Let SIGTERM, Ctrl+C and their like end the program in order."""
    loop = asyncio.get_running_loop()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop)
        except (NotImplementedError, RuntimeError):  # Windows: the handler runs in Python's turn
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
