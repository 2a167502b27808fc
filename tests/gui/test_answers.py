"""What other processes may ask of the running app, and what it says to what it cannot take."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from archivist import compose
from archivist.gui.application import Application
from archivist.gui.ending import LastResort
from archivist.gui.program import Program
from archivist.ports.machine import Message
from archivist.services.facade import Services
from gui.test_program import instance, last_resorts, refusing, running, tray_of_nobody
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
__all__ = ["last_resorts"]


@pytest.mark.parametrize(
    "message, error",
    [
        ({"do": "show", "room": ["a"]}, "unknown window"),
        ({"do": "show", "room": {"a": 1}}, "unknown window"),
        ({"do": "show", "room": 5}, "unknown window"),
        ({"do": "show", "token": {"a": 1}}, "no token of a desktop"),
        ({"do": "show", "token": "a\0b"}, "no token of a desktop"),
        ({"do": "show", "token": "x" * 5_000}, "no token of a desktop"),
        ({"do": ["show"]}, "unknown request"),
        ({}, "unknown request"),
    ],
)
def test_a_wrong_type_is_refused_and_is_no_bug(
    qrun: Run, qapp: Application, empty_profile: Profile, message: Message, error: str
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            answer = await instance(empty_profile).ask(message)
            assert answer == {"ok": False, "error": error}
            assert (await it.services.overview()).problems == []
            assert it.program._parts is not None
            assert list(it.program._parts.rooms.shown) == []

    qrun(story())


def test_a_greeting_opens_nothing(qrun: Run, qapp: Application, empty_profile: Profile) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            answer = await instance(empty_profile).ask({"do": "ping"})
            assert answer == {"ok": True, "window": True}
            assert it.program._parts is not None
            assert list(it.program._parts.rooms.shown) == []

    qrun(story())


@pytest.mark.allow_logs
def test_a_bug_behind_an_answer_is_answered_and_listed(
    qrun: Run, qapp: Application, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:

            def fail(_message: Message) -> Message:
                raise KeyError("bug")

            monkeypatch.setattr(it.program, "_shown", fail)
            answer = await instance(empty_profile).ask({"do": "show"}) or {}
            assert answer["ok"] is False
            assert "KeyError" in answer["error"]
            async with asyncio.timeout(5):
                while not (await it.services.overview()).problems:
                    await asyncio.sleep(0.01)

    qrun(story())


@asynccontextmanager
async def opening(
    qapp: Application, profile: Profile
) -> AsyncIterator[tuple[Program, asyncio.Event, "asyncio.Task[int]"]]:
    """Run the program on an archive that opens only when the event is set."""
    may_open = asyncio.Event()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Services]:
        await may_open.wait()
        async with compose.opened(profile.folder, profile.home) as services:
            yield services

    program = Program(
        qapp,
        opened,
        tray_of_nobody(),
        LastResort(0),
        refusing(profile),
        instance=instance(profile),
    )
    ended = asyncio.get_running_loop().create_task(program.main())
    await until((profile.folder / "app.sock").exists)
    try:
        yield program, may_open, ended
    finally:
        program.stop()
        await ended


def test_while_the_archive_opens_a_second_start_is_answered_and_its_window_opens_later(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with opening(qapp, empty_profile) as (program, may_open, _):
            app = instance(empty_profile)
            shown = await app.ask({"do": "show", "room": "problems"})
            assert shown == {"ok": True, "window": True}
            told = await app.ask({"do": "status"}) or {}
            assert "not opened its archive yet" in told["error"]
            assert told["advice"]
            may_open.set()
            await until(lambda: program._parts is not None)
            assert program._parts is not None
            assert [window.windowTitle() for window in program._parts.rooms.shown] == [
                "Problems – Archivist"
            ]

    qrun(story())


def test_the_end_does_not_wait_for_an_archive_that_does_not_open(
    qrun: Run, qapp: Application, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.gui.ending.OPENING_SECONDS", 0.1)

    async def story() -> None:
        async with opening(qapp, empty_profile) as (program, _, ended):
            program.stop()
            answer = await instance(empty_profile).ask({"do": "show"})
            assert answer == {"ok": False, "error": "ending"}
            async with asyncio.timeout(2):
                assert await ended == 0
            assert program.is_left
            assert not (empty_profile.folder / "app.sock").exists()

    qrun(story())


def test_the_end_hurries_those_who_wait_for_a_lock_of_others(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    hurried: list[bool] = []

    def noting(services: Services) -> Services:
        return replace(services, hurry=lambda: hurried.append(True))

    async def story() -> None:
        async with running(qapp, empty_profile, noting) as it:
            assert hurried == []
            it.program.stop()
            await it.ended
        assert hurried == [True]

    qrun(story())
