"""An archive that cannot be opened: what is said, and how the program ends."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from archivist import compose
from archivist.gui.application import Application
from archivist.gui.ending import LastResort
from archivist.gui.places import Room
from archivist.gui.program import Program
from archivist.gui.refusal import Refusal, Refusing
from archivist.gui.tray import Tray
from archivist.machine.logs import logging_to
from archivist.machine.single import Instance
from archivist.paths import Paths
from archivist.services.tray_state import Mark
from gui.test_program import tray_of_nobody
from helpers.audit import clipped, nameless, unreached
from helpers.windows import Profile, until

pytestmark = [pytest.mark.gui, pytest.mark.allow_logs]

Run = Callable[[Coroutine[Any, Any, None]], None]
Refused = tuple[Program, Tray, Instance, "asyncio.Task[int]"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, qapp: Application) -> Iterator[None]:
    """Else the last resort would end the tests, and ended programs would go on listening."""
    monkeypatch.setattr("faulthandler.dump_traceback_later", lambda _seconds, **_: None)
    yield
    for signal in (qapp.palette_changed, qapp.quit_asked):
        signal.disconnect()


@asynccontextmanager
async def refused(qapp: Application, profile: Profile) -> AsyncIterator[Refused]:
    paths, tray = Paths(profile.folder), tray_of_nobody()
    instance = Instance(lock=paths.lock, socket=paths.socket)
    refusing = Refusing(instance, paths, lambda: logging_to(paths.log))

    program = Program(
        qapp,
        partial(compose.opened, profile.folder, profile.home),
        tray,
        LastResort(0),
        refusing,
        instance=instance,
    )
    program.go(Room.SEGMENTS)
    ended = asyncio.get_running_loop().create_task(program.main())
    await until(lambda: dialog() is not None)
    await until(paths.socket.exists)
    try:
        yield program, tray, instance, ended
    finally:
        program.stop()
        await ended


def dialog() -> Refusal | None:
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, Refusal) and w.isVisible()]
    return found[0] if found else None


def shown() -> Refusal:
    found = dialog()
    assert found is not None
    return found


def damaged(profile: Profile) -> None:
    profile.folder.mkdir()
    (profile.folder / "archive.db").write_bytes(b"garbage" * 5_000)


def buttons(of: Refusal) -> list[str]:
    return [button.text() for button in of.findChildren(QPushButton) if button.isVisible()]


def test_it_says_why_in_its_own_name_in_the_tray_and_in_the_log(
    qrun: Run, qapp: Application, empty_profile: Profile
) -> None:
    damaged(empty_profile)

    async def story() -> None:
        async with refused(qapp, empty_profile) as (_, tray, _, ended):
            asked = shown()
            assert asked.windowTitle() == "Archivist"
            assert sorted(buttons(asked)) == ["Open the data folder", "Quit"]
            assert (clipped(asked), nameless(asked)) == ([], [])
            assert tray._state.mark is Mark.PROBLEM
            assert tray._state.status in [label.text() for label in asked.findChildren(QLabel)]
            QTest.keyClick(asked, Qt.Key.Key_Return)
            assert await ended == 1
        log = (empty_profile.folder / "archivist.log").read_text(encoding="utf-8")
        assert "archive not opened key=database-" in log

    qrun(story())


def test_escape_ends_it_too(qrun: Run, qapp: Application, empty_profile: Profile) -> None:
    damaged(empty_profile)

    async def story() -> None:
        async with refused(qapp, empty_profile) as (_, _, _, ended):
            assert unreached(shown()) == []
            QTest.keyClick(shown(), Qt.Key.Key_Escape)
            assert await ended == 1

    qrun(story())


def test_another_start_and_the_tray_bring_it_forward(
    qrun: Run, qapp: Application, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged(empty_profile)
    raised: list[int] = []
    monkeypatch.setattr(Refusal, "raise_", lambda _self: raised.append(1))

    async def story() -> None:
        async with refused(qapp, empty_profile) as (program, _, instance, ended):
            answer = await instance.ask({"do": "show", "room": "lessons"})
            assert answer == {"ok": True, "window": True}
            assert len(raised) == 1
            program.go(Room.SEGMENTS)
            assert len(raised) == 2
            assert (await instance.ask({"do": "status"}) or {})["ok"] is False
            assert await instance.ask({"do": "quit"}) == {"ok": True}
            assert await ended == 1
        assert not (empty_profile.folder / "app.sock").exists()

    qrun(story())


@pytest.mark.parametrize("has_copies", [True, False])
def test_of_a_newer_archive_it_offers_the_copies(
    qrun: Run,
    qapp: Application,
    empty_profile: Profile,
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_copies: bool,
) -> None:
    empty_profile.folder.mkdir()
    connection = sqlite3.connect(empty_profile.folder / "archive.db")
    connection.execute("pragma user_version = 99")
    connection.close()
    folder: Path = empty_profile.folder
    if has_copies:
        folder /= "backups"
        folder.mkdir()
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)

    async def story() -> None:
        async with refused(qapp, empty_profile):
            words = f"Open the {'folder of the copies' if has_copies else 'data folder'}"
            (button,) = [b for b in shown().findChildren(QPushButton) if b.text() == words]
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            assert opened == [QUrl.fromLocalFile(str(folder))]
            assert shown().isVisible()

    qrun(story())
