"""Several model workers end at the same time: a slow one keeps no other waiting."""

import asyncio

from archivist.compose import _Models


class Worker:
    """A model that ends once the other one ends, too."""

    def __init__(self, both: asyncio.Barrier) -> None:
        self._both = both

    async def close(self) -> None:
        await self._both.wait()


async def test_all_models_end_together() -> None:
    both = asyncio.Barrier(2)
    models = _Models(Worker(both), Worker(both), None)  # type: ignore[arg-type]  # it only ends
    async with asyncio.timeout(2):
        await models.close()


async def test_without_models_there_is_nothing_to_end() -> None:
    await _Models(None, None, None).close()
