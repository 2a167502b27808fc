"""The start of the application: bad libraries refused, one program for each profile."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer

from archivist.domain.problems import Problem, Refused
from archivist.gui import shell
from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.gui.shell import Start, refuse_pair, run
from archivist.machine.single import Instance
from archivist.ports.machine import ENDING
from helpers.windows import until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
TIMES = 500
LOST = 50
"""A count moves a little by itself; a library that loses references moves it by hundreds."""


def moved(act: Callable[[], None]) -> int:
    before = sys.getrefcount(None)
    for _ in range(TIMES):
        act()
    return abs(sys.getrefcount(None) - before)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is not counted any more")
def test_qt_loses_no_reference_to_none(qapp: Application) -> None:
    thing = QObject()
    assert moved(lambda: thing.killTimer(thing.startTimer(1_000_000))) < LOST
    assert moved(lambda: thing.setObjectName("name")) < LOST


@pytest.mark.parametrize("python", [(3, 11), (3, 10)])
def test_the_pair_that_loses_references_is_refused(python: tuple[int, int]) -> None:
    with pytest.raises(Refused) as refused:
        refuse_pair("6.12.0", python)
    assert "6.12.0" in refused.value.message
    assert "pip install" in refused.value.advice


@pytest.mark.parametrize(
    "pyside, python", [("6.12.0", (3, 12)), ("6.11.3", (3, 11)), ("6.8.0", (3, 11))]
)
def test_all_others_are_taken(pyside: str, python: tuple[int, int]) -> None:
    refuse_pair(pyside, python)


def start(folder: Path, room: Room | None = None) -> Start:
    def opened() -> Any:  # noqa: ANN401 - never called
        raise AssertionError("a second start opens no archive")

    instance = Instance(lock=folder / "app.lock", socket=folder / "app.sock")
    return Start(opened=opened, instance=instance, data=folder, room=room)


class First:
    """The program that runs already, as a second start finds it."""

    def __init__(self, folder: Path, answer: Mapping[str, object] | None) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self._folder = folder
        self._answer = answer

    def hand_over_of(self, room: Room | None) -> int:
        """Start a second one beside it, in a thread of its own, and return its exit code."""
        return asyncio.run(self._serve(room))

    async def _serve(self, room: Room | None) -> int:
        first = start(self._folder).instance
        with first.held() as is_first:
            assert is_first
            if self._answer is None:
                return await asyncio.to_thread(run, start(self._folder, room))
            async with first.listening(self._reply):
                return await asyncio.to_thread(run, start(self._folder, room))

    async def _reply(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        self.asked.append(message)
        assert self._answer is not None
        return self._answer


def test_a_second_start_hands_over_with_its_right_to_come_to_the_front(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "token-1")
    first = First(tmp_path, {"ok": True, "window": True})
    assert first.hand_over_of(Room.LESSONS) == 0
    assert first.asked == [{"do": "show", "room": "lessons", "token": "token-1"}]


def test_a_second_start_in_the_background_opens_nothing(tmp_path: Path) -> None:
    first = First(tmp_path, {"ok": True, "window": True})
    assert first.hand_over_of(None) == 0
    assert first.asked == [{"do": "ping"}]


@pytest.mark.parametrize("room", [None, Room.SEGMENTS])
def test_a_first_without_windows_is_named(tmp_path: Path, room: Room | None) -> None:
    with pytest.raises(Refused, match="without windows") as refused:
        First(tmp_path, {"ok": True, "window": False}).hand_over_of(room)
    assert "stop it there (Ctrl+C)" in refused.value.advice


def test_a_first_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "_PATIENCE", 0.3)
    with pytest.raises(Problem, match="does not answer"):
        First(tmp_path, None).hand_over_of(None)


class Slow(First):
    """A first that is only just starting, or about to end: its true answer is its second."""

    async def _reply(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        await super()._reply(message)
        return ENDING if len(self.asked) == 1 else {"ok": True, "window": True}


def test_a_first_that_is_about_to_end_is_asked_again(tmp_path: Path) -> None:
    first = Slow(tmp_path, {})
    assert first.hand_over_of(Room.MEMORY) == 0
    assert [message["room"] for message in first.asked] == ["memory", "memory"]


async def test_a_first_that_listens_a_little_later_is_waited_for(tmp_path: Path) -> None:
    first, asked = start(tmp_path).instance, asyncio.Event()

    async def reply(_message: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.set()
        return {"ok": True, "window": True}

    with first.held():
        second = asyncio.create_task(asyncio.to_thread(run, start(tmp_path, Room.LESSONS)))
        await asyncio.sleep(0.3)  # it has asked in vain by then
        assert not second.done()
        async with first.listening(reply):
            assert await second == 0
    assert asked.is_set()


def test_a_wish_to_end_before_anything_was_opened_is_followed(tmp_path: Path) -> None:
    assert run(replace(start(tmp_path), wished=lambda: 130)) == 130
    assert list(tmp_path.iterdir()) == []


def test_the_system_s_wish_to_quit_does_not_end_qt_s_loop(qrun: Run, qapp: Application) -> None:
    """Else all that awaits would be left where it stands."""

    async def story() -> None:
        asked: list[bool] = []
        connection = qapp.quit_asked.connect(lambda: asked.append(True))
        try:
            qapp.postEvent(qapp, QEvent(QEvent.Type.Quit))
            await until(lambda: asked)
            turned: list[bool] = []
            QTimer.singleShot(0, lambda: turned.append(True))
            await until(lambda: turned)
        finally:
            qapp.quit_asked.disconnect(connection)

    qrun(story())


def test_closing_the_last_window_does_not_end_it(qapp: Application) -> None:
    assert not qapp.quitOnLastWindowClosed()
