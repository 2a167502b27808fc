"""Changes that another process makes to the archive are told on the bus; our own are not."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist.domain.problems import Problem
from archivist.services.bus import (
    Bus,
    LessonsChanged,
    ProblemsChanged,
    ProposalsChanged,
    SegmentsChanged,
)
from archivist.services.elsewhere import APART, notice_elsewhere
from archivist.store.marks import MarkStore
from helpers.stored import stored

_AT_ONCE = 0.01
_WRITE = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"


def write_elsewhere(archive: Path, statement: str) -> None:
    """Commit a change from another process."""
    subprocess.run([sys.executable, "-c", _WRITE, str(archive), statement], check=True)


async def test_only_what_another_process_commits_is_a_change(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        database, marks = archive.database, MarkStore(archive.database)
        assert not await database.changed_elsewhere()
        await marks.put("ours", "1")
        assert await marks.get("ours") == "1"
        assert not await database.changed_elsewhere()
        write_elsewhere(database.path, "insert into meta values ('theirs', '1')")
        assert await database.changed_elsewhere()
        assert not await database.changed_elsewhere()
        await marks.put("ours", "2")
        write_elsewhere(database.path, "select * from meta")
        assert not await database.changed_elsewhere()


async def test_an_archive_at_rest_is_only_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing wakes the thread of SQLite when nobody has written."""

    async def asked(*_: object) -> list[tuple[int]]:
        raise AssertionError("the archive was asked")

    async with stored(tmp_path) as archive:
        await archive.database.changed_elsewhere()
        with monkeypatch.context() as patched:
            patched.setattr(archive.database._writer, "execute_fetchall", asked)
            assert not await archive.database.changed_elsewhere()


@asynccontextmanager
async def noticing(
    has_changed: Callable[[], Awaitable[bool]], heard: list[object]
) -> AsyncIterator[None]:
    bus = Bus()
    for kind in (SegmentsChanged, LessonsChanged, ProposalsChanged, ProblemsChanged):
        bus.listen(kind, heard.append)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(notice_elsewhere(has_changed, bus=bus, apart=_AT_ONCE))
        yield
        task.cancel()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(_AT_ONCE)


async def test_a_change_elsewhere_is_told_of_everything_that_may_have_changed(
    tmp_path: Path,
) -> None:
    heard: list[object] = []
    async with stored(tmp_path) as archive:
        database = archive.database
        await database.changed_elsewhere()  # from here on
        async with noticing(database.changed_elsewhere, heard):
            await MarkStore(database).put("ours", "1")
            assert heard == []
            write_elsewhere(database.path, "insert into meta values ('theirs', '1')")
            await until(lambda: bool(heard))
    assert heard == [SegmentsChanged(), LessonsChanged(), ProposalsChanged(), ProblemsChanged()]


@pytest.mark.allow_logs
async def test_an_archive_that_cannot_be_asked_is_asked_again_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers: list[bool | Problem] = [
        *[Problem("Locked.", advice="Wait.", key="database-locked")] * 3,
        True,
    ]

    async def ask() -> bool:
        answer = answers.pop(0) if answers else False
        if isinstance(answer, Problem):
            raise answer
        return answer

    heard: list[object] = []
    async with noticing(ask, heard):
        await until(lambda: bool(heard))
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert said == ["not looked elsewhere key=database-locked"]


def test_it_wakes_the_computer_at_most_once_in_two_seconds() -> None:
    assert APART >= 2
