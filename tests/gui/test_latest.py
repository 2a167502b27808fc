import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from archivist.domain.problems import Problem
from archivist.gui.latest import Latest
from archivist.services.supervise import Supervisor
from helpers.windows import until

Run = Callable[[Coroutine[Any, Any, None]], None]


async def _ignore(_problem: Problem) -> None:
    """Nothing is reported here."""


def test_only_the_latest_comes_to_its_end(qrun: Run) -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        await asyncio.sleep(0.02)
        done.append(number)

    async def story() -> None:
        async with Supervisor(_ignore) as supervisor:
            latest = Latest(supervisor.spawn)
            for number in range(5):
                latest.start(work(number), name="work")
            await until(lambda: done)
            assert done == [4]

    qrun(story())


def test_delayed_work_waits_for_the_last_call(qrun: Run) -> None:
    done: list[str] = []

    async def work(text: str) -> None:
        done.append(text)

    async def story() -> None:
        async with Supervisor(_ignore) as supervisor:
            latest = Latest(supervisor.spawn)
            for text in ("c", "ca", "cac"):
                latest.after(0.03, lambda text=text: work(text), name="typed")  # type: ignore[misc]
                await asyncio.sleep(0)
            await until(lambda: done)
            assert done == ["cac"]
            latest.after(0.03, lambda: work("never"), name="typed")
            latest.cancel()
            await asyncio.sleep(0.06)
            assert done == ["cac"]

    qrun(story())
