import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from archivist.models.alarm import Alarm


class Ringing:
    """An alarm, and how often and when it rang."""

    def __init__(self) -> None:
        self.alarm = Alarm(self._ring)
        self.times: list[float] = []
        self.rang = asyncio.Event()

    def _ring(self) -> None:
        self.times.append(asyncio.get_running_loop().time())
        self.rang.set()


async def test_it_calls_once_at_the_last_time_that_was_set() -> None:
    ringing, loop = Ringing(), asyncio.get_running_loop()
    began = loop.time()
    ringing.alarm.set(0.02)
    ringing.alarm.set(0.15)
    await asyncio.wait_for(ringing.rang.wait(), 5)
    assert ringing.times[0] - began >= 0.15


async def test_an_earlier_time_is_kept_too() -> None:
    ringing = Ringing()
    ringing.alarm.set(3_600)
    ringing.alarm.set(0.02)
    await asyncio.wait_for(ringing.rang.wait(), 5)
    assert len(ringing.times) == 1


async def test_cleared_it_does_not_call_and_can_be_set_again() -> None:
    ringing = Ringing()
    ringing.alarm.set(0.02)
    ringing.alarm.clear()
    marker = Ringing()
    marker.alarm.set(0.1)
    await asyncio.wait_for(marker.rang.wait(), 5)
    assert ringing.times == []
    ringing.alarm.set(0.02)
    await asyncio.wait_for(ringing.rang.wait(), 5)


async def test_thousands_of_settings_make_one_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    made: list[float] = []
    later = loop.call_later

    def count(delay: float, call: Callable[..., object], *args: Any) -> asyncio.TimerHandle:  # noqa: ANN401
        made.append(delay)
        return later(delay, call, *args)

    monkeypatch.setattr(loop, "call_later", count)
    ringing = Ringing()
    for _ in range(2_000):
        ringing.alarm.set(30)
        ringing.alarm.clear()
    assert len(made) == 1
