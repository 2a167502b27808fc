"""The real application with a ticker on its loop, which notes how late each of its turns is.

Started as a program: `measured_app.py PLAN`, a JSON object with the fields of `Plan`. It ends the
application as SIGTERM does, once what was to be measured is over, and writes the report before.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from archivist import __main__ as program
from archivist import compose
from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.services.facade import Services

STEP: Final = 0.005
"""Seconds from one turn of the ticker to the next."""

OVER: Final = 3.0
"""A phase that did not come back for so many seconds is over."""

_NAMES: Final = {Importing: "importing", Archiving: "archiving"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: turns of the loop in one `phase`, for at most so many seconds of it."""

    profile: str
    home: str
    report: str
    phase: str
    seconds: float
    arguments: tuple[str, ...] = ("run", "--background")


@dataclass(slots=True)
class Report:
    """How late the turns of the phase were, in milliseconds, and how long it took.

    `switch_seconds`: how long a busy thread may keep the interpreter. `frozen`: how many objects
    the garbage collector leaves alone.
    """

    late: list[float] = field(default_factory=list)
    seconds: float = 0.0
    switch_seconds: float = 0.0
    frozen: int = 0

    def write(self, path: Path) -> None:
        """Keep it for whoever started this."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def main(argv: list[str]) -> int:
    """Run the application by a plan."""
    plan = Plan(**json.loads(argv[0]))
    opened = compose.opened

    def measured(
        profile_dir: Path | None, home_dir: Path | None, *, asked_by: str | None = None
    ) -> AbstractAsyncContextManager[Services]:
        return _with_ticker(opened(profile_dir, home_dir, asked_by=asked_by), plan)

    compose.opened = measured
    folders = ["--profile-dir", plan.profile, "--home", plan.home]
    return program.main([*folders, *plan.arguments])


@asynccontextmanager
async def _with_ticker(
    opened: AbstractAsyncContextManager[Services], plan: Plan
) -> AsyncIterator[Services]:
    async with opened as services:
        ticker = asyncio.get_running_loop().create_task(_tick(services, plan))
        try:
            yield services
        finally:
            ticker.cancel()


async def _tick(services: Services, plan: Plan) -> None:
    """Note the turns of the phase, from its beginning until it ends or was long enough."""
    report = Report()
    apart = 0.0
    while report.seconds < plan.seconds and apart < OVER:
        started = time.perf_counter()
        await asyncio.sleep(STEP)
        took = time.perf_counter() - started
        if _phase(services.activities.current) == plan.phase:
            report.late.append((took - STEP) * 1000)
            report.seconds += took
            apart = 0.0
        elif report.late:
            apart += took
    report.switch_seconds, report.frozen = sys.getswitchinterval(), gc.get_freeze_count()
    report.write(Path(plan.report))
    os.kill(os.getpid(), signal.SIGTERM)


def _phase(activity: Activity) -> str:
    return "idle" if isinstance(activity, Idle) else _NAMES.get(type(activity), "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
