"""Whoever talks to the running app keeps it neither from answering others nor from ending."""

import asyncio
import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from archivist.machine import single
from archivist.machine.single import Instance, Message

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sockets of POSIX")


def app_of(folder: Path) -> Instance:
    return Instance(lock=folder / "app.lock", socket=folder / "app.sock")


async def echo(message: Message) -> Message:
    return {"heard": dict(message)}


class Faults:
    """What the loop complains of: with a window this would be a bug on the list."""

    def __init__(self) -> None:
        self.told: list[Mapping[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.told.append(context)
        )


async def test_a_silent_client_is_hung_up_on(tmp_path: Path) -> None:
    faults = Faults()
    async with app_of(tmp_path).listening(echo):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "app.sock")
        await app_of(tmp_path).ask({"do": "status"})  # by now the silent one is known, too
        began = time.monotonic()
    assert time.monotonic() - began < 0.2
    async with asyncio.timeout(2):
        await reader.read()
    writer.close()
    assert faults.told == []


async def test_an_answer_that_hangs_is_given_up_at_the_end(tmp_path: Path) -> None:
    faults, asked = Faults(), asyncio.Event()

    async def hang(_message: Message) -> Message:
        asked.set()
        await asyncio.Event().wait()
        return {}

    async with app_of(tmp_path).listening(hang):
        _, writer = await asyncio.open_unix_connection(tmp_path / "app.sock")
        writer.write(b"{}\n")
        await asked.wait()
        began = time.monotonic()
    assert time.monotonic() - began < 1
    await asyncio.sleep(0)
    writer.close()
    assert faults.told == []


async def test_an_answer_in_hand_is_still_given(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def slow(_message: Message) -> Message:
        asked.set()
        await asyncio.sleep(0.05)
        return {"ok": True}

    async with app_of(tmp_path).listening(slow):
        asking = asyncio.ensure_future(app_of(tmp_path).ask({"do": "quit"}))
        await asked.wait()
    assert await asking == {"ok": True}


async def test_an_answer_that_takes_too_long_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single, "_ANSWER_SECONDS", 0.05)

    async def hang(_message: Message) -> Message:
        await asyncio.Event().wait()
        return {}

    async with app_of(tmp_path).listening(hang):
        assert await app_of(tmp_path).ask({}) == {"ok": False, "error": "busy"}


async def test_the_socket_is_private_from_its_first_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No change of its rights follows its making, so there is no moment before that change."""

    def refuse(*_: object) -> None:
        raise AssertionError("its rights were changed afterwards")

    monkeypatch.setattr(Path, "chmod", refuse)
    monkeypatch.setattr(os, "chmod", refuse)
    before = os.umask(0)
    try:
        async with app_of(tmp_path).listening(echo):
            assert stat.S_IMODE((tmp_path / "app.sock").stat().st_mode) == 0o600
            assert os.umask(0) == 0, "the umask of the process is as it was"
    finally:
        os.umask(before)
