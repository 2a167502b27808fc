"""Work that is asked for while it runs."""

import asyncio

import pytest

from archivist.domain.problems import FileProblem, Problem
from archivist.gui.memory.again import Again
from archivist.services.supervise import Supervisor

pytestmark = pytest.mark.gui


async def test_asked_while_it_runs_it_runs_once_more() -> None:
    problems: list[Problem] = []

    async def report(problem: Problem) -> None:
        problems.append(problem)

    runs: list[asyncio.Event] = []

    async def work() -> None:
        gate = asyncio.Event()
        runs.append(gate)
        await gate.wait()
        if len(runs) == 2:
            raise FileProblem("gone", advice="put it back")

    async with asyncio.timeout(10), Supervisor(report) as supervisor:
        again = Again(supervisor.spawn, work, name="work")
        again.ask()
        await until_count(runs, 1)
        again.ask()
        again.ask()
        await asyncio.sleep(0)
        assert len(runs) == 1
        runs[0].set()
        await until_count(runs, 2)
        runs[1].set()
        while not problems:
            await asyncio.sleep(0)
        assert len(runs) == 2
        again.ask()
        await until_count(runs, 3)


async def until_count(runs: list[asyncio.Event], count: int) -> None:
    while len(runs) < count:
        await asyncio.sleep(0)
