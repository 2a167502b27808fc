"""The loop on a full disk and on a deleted archive: what it says of itself, and how it recovers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist import compose
from archivist.domain.activity import Idle
from archivist.domain.problems import Problem
from archivist.services.activity import describe
from archivist.services.bus import AskedFailed
from archivist.services.facade import Services
from archivist.services.loop import Loop
from archivist.services.supervise import Supervisor
from archivist.store.database import Database
from helpers.claude import chat, transcript

pytestmark = pytest.mark.allow_logs

FULL = "Recording is paused: the disk is full."


async def holds(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> list[Database]:
    """The databases that were opened: only their own connection can be kept from growing."""
    found: list[Database] = []
    made = Database.__init__

    def noted(self: Database, *args: object) -> None:
        made(self, *args)  # type: ignore[arg-type]  # whatever it takes
        found.append(self)

    monkeypatch.setattr(Database, "__init__", noted)
    monkeypatch.setattr("archivist.sources.follow._IDLE_STEP_MS", 50)
    return found


@asynccontextmanager
async def looping(tmp_path: Path) -> AsyncIterator[tuple[Services, Loop, Callable[[], str]]]:
    async with (
        compose.opened(tmp_path / "profile", tmp_path / "home") as services,
        Supervisor(services.browse.report) as supervisor,
    ):
        stop, loop = asyncio.Event(), services.loop(supervisor)
        running = supervisor.spawn(loop.run(stop), name="loop")
        yield services, loop, lambda: describe(services.activities.current, when=str)
        stop.set()
        await running


async def limit(database: Database, pages: int) -> None:
    await database._writer.execute(f"pragma max_page_count = {pages}")


def talk(home: Path, number: int, words: str) -> None:
    where, records = chat(number, [words])
    transcript(home, where, records)


async def test_a_full_disk_is_said_until_there_is_space_again(
    tmp_path: Path, writers: list[Database]
) -> None:
    (tmp_path / "home").mkdir()
    async with looping(tmp_path) as (services, loop, said):
        (database,) = writers
        await limit(database, 1)  # SQLite takes it as: no page more than there are
        talk(tmp_path / "home", 1, "It is full. " * 4_000)
        await holds(lambda: said() == FULL)
        assert "disk-full" in {row.key for row in await services.browse.problems()}
        assert (await services.waiting()).problems >= 1
        current = services.activities.current
        assert isinstance(current, Idle)
        assert current.last is None

        await limit(database, 1_000_000)
        loop.read_now()  # as at the next poll
        await holds(lambda: said().startswith("Up to date since"))
        assert await services.browse.problems() == []
        assert (await services.waiting()).problems == 0


async def test_a_deleted_archive_is_no_archive_that_is_up_to_date(
    tmp_path: Path, writers: list[Database]
) -> None:
    (tmp_path / "home").mkdir()
    async with looping(tmp_path) as (services, _, said):
        talk(tmp_path / "home", 1, "first")
        await holds(lambda: said().startswith("Up to date since"))
        (database,) = writers
        for path in database.path.parent.glob("archive.db*"):
            path.unlink()
        talk(tmp_path / "home", 2, "second")
        await holds(lambda: said().startswith("Not up to date since"))
        assert "was deleted or replaced while it was open." in said()
        assert "database-gone" in {row.key for row in await services.browse.problems()}
        assert (await services.waiting()).problems >= 1


async def test_what_was_asked_for_tells_its_failure_and_the_loop_s_own_work_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writers: list[Database]
) -> None:
    (tmp_path / "home").mkdir()
    tries: list[int] = []

    async def no_step(*_: object, **__: object) -> None:
        tries.append(1)
        raise Problem("It broke.", advice="Mend it.", key="broken")

    monkeypatch.setattr("archivist.services.archive.Archive.step", no_step)
    told: list[AskedFailed] = []
    async with looping(tmp_path) as (services, loop, said):
        services.bus.listen(AskedFailed, told.append)
        await holds(lambda: len(tries) >= 1)
        known = len(tries)
        loop._due.set()  # as at the next poll
        await holds(lambda: len(tries) > known)
        assert told == []
        assert said() == "Not up to date: It broke."
    async with (
        compose.opened(tmp_path / "profile", tmp_path / "home") as services,
        Supervisor(services.browse.report) as supervisor,
    ):
        services.bus.listen(AskedFailed, told.append)
        stop, loop = asyncio.Event(), services.loop(supervisor)
        loop.archive_now()
        running = supervisor.spawn(loop.run(stop), name="loop")
        await holds(lambda: len(told) == 1)
        stop.set()
        await running
    assert told[0].problem.message == "It broke."
