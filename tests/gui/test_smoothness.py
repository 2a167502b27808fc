"""Windows stay quick while the program works: how late the loop's timers are, and how many live."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from archivist.gui.places import Room
from archivist.gui.segments.bar import SearchBox
from helpers import big_home, windows
from helpers.measured_app import Plan, Report
from helpers.program import Program, environment
from helpers.windows import Profile

Run = Callable[[Coroutine[Any, Any, None]], None]

TESTS = Path(__file__).resolve().parents[1]
MOST_LATE_MS = 16.0
"""One picture of a screen that shows sixty a second."""

pytestmark = pytest.mark.gui

SEARCHES = 2_000
MOST_TIMERS = 50


def measured(program: Program, phase: str) -> Report:
    """Run the application through a phase; return what it noted."""
    report = program.profile / "late.json"
    plan = Plan(str(program.profile), str(program.home), str(report), phase, seconds=120)
    ran = subprocess.run(
        [sys.executable, str(TESTS / "helpers" / "measured_app.py"), json.dumps(asdict(plan))],
        env=environment(
            PYTHONPATH=os.pathsep.join((str(TESTS.parent / "app"), str(TESTS))),
            QT_QPA_PLATFORM="offscreen",
        ),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return Report(**json.loads(report.read_text(encoding="utf-8")))


@pytest.mark.long
@pytest.mark.parametrize("phase", ["importing", "archiving"])
def test_the_loop_keeps_time_while_the_program_works(tmp_path: Path, phase: str) -> None:
    program = Program(tmp_path / "profile", tmp_path / "home")
    big_home.fill(program.home, 2_000)
    program.run("settings", "set", "models.vectors", "false")
    report = measured(program, phase)
    late = sorted(report.late)
    assert len(late) > 20, late
    assert late[len(late) * 95 // 100] < MOST_LATE_MS
    # The rare long waits: a thread that does not let go, a collection of all that the start made.
    assert report.switch_seconds <= 0.001
    assert report.frozen > 10_000


def timers() -> int:
    """Return how many timers of the running loop wait, cancelled ones included.

    qasync has no other way to tell: a timer that is cancelled lives on until it runs out.
    """
    loop: Any = asyncio.get_running_loop()
    return len(loop._timer._SimpleTimer__callbacks)


def test_thousands_of_searches_leave_no_timers(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as opened:
            services = opened.services
            for number in range(SEARCHES // 2):
                found = await services.segments.find(("deploy", "postgres", "test")[number % 3])
                assert found.ids
                hits = await services.search.find("deploy", limit=5)
                assert hits.hits
            assert timers() < MOST_TIMERS

    qrun(story())


def test_typing_on_and_on_leaves_no_timers(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as opened:
            opened.rooms.go(Room.SEGMENTS)
            box = opened.rooms.window(Room.SEGMENTS).findChild(SearchBox)
            assert box is not None
            for number in range(SEARCHES):
                box.setText(("deploy", "deploy s", "deploy sc")[number % 3])
                await asyncio.sleep(0)
            await windows.until(lambda: timers() < MOST_TIMERS, seconds=5)

    qrun(story())
