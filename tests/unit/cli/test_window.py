"""`archivist open`, where no window can be opened from here: it asks the app that runs."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from archivist.cli.window import ROOMS
from archivist.gui.places import Room
from archivist.machine.single import Instance
from helpers.console import Console


@contextmanager
def running(console: Console, answer: Mapping[str, object]) -> Iterator[list[Mapping[str, Any]]]:
    """Answer for the app of the profile; gives what it is asked."""
    console.throw_away("status")
    asked: list[Mapping[str, Any]] = []
    ready, stop = threading.Event(), asyncio.Event()
    folder = console.folder / "profile"
    loop = asyncio.new_event_loop()

    async def reply(message: Mapping[str, Any]) -> Mapping[str, object]:
        asked.append(message)
        return answer

    async def serve() -> None:
        instance = Instance(lock=folder / "app.lock", socket=folder / "app.sock")
        async with instance.listening(reply):
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield asked
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def test_the_names_are_those_of_the_windows() -> None:
    assert list(ROOMS) == [str(room) for room in Room]


def test_the_running_app_is_asked_with_the_desktop_s_token(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKTOP_STARTUP_ID", raising=False)
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "token-1")
    with running(console, {"ok": True, "window": True}) as asked:
        ran = console.throw_away("open", "lessons", "--json")
    assert json.loads(ran.out) == {"opened": "lessons"}
    assert asked == [{"do": "show", "room": "lessons", "token": "token-1"}]


def test_without_a_name_the_segments_open(console: Console) -> None:
    with running(console, {"ok": True, "window": True}) as asked:
        assert console.throw_away("open", "--json").code == 0
    assert [message["room"] for message in asked] == ["segments"]


def test_an_app_without_windows_is_told(console: Console) -> None:
    with running(console, {"ok": True, "window": False}):
        ran = console.throw_away("open", "--json")
    assert ran.code == 1
    assert "has no windows" in ran.err


def test_without_any_app_it_says_how_to_start_one(console: Console) -> None:
    ran = console.throw_away("open", "memory", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["error"]["key"] == "app-absent"
    assert "archivist run" in ran.err


def test_another_name_is_refused(console: Console) -> None:
    ran = console.throw_away("open", "kitchen", "--json")
    assert ran.code == 2
    assert "kitchen" in ran.err
