"""Problems that cannot be written, on a database that is really full, or really gone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.services.bus import ProblemsChanged
from archivist.services.problem_list import MOST_KEPT, ProblemList
from archivist.store.problems import ProblemStore
from helpers.stored import Stored, stored

pytestmark = pytest.mark.allow_logs

UNREAD = Problem("It cannot be read.", advice="Look at its rights.", key="unread")


class Kept:
    """A list of problems, with what it told."""

    def __init__(self, archive: Stored) -> None:
        self.archive = archive
        self.why: list[str] = []
        self.changes: list[object] = []
        self.store = ProblemStore(archive.database)
        self.list = ProblemList(
            self.store,
            unwritten=lambda why: self.why.append(why.key if why else ""),
            bus=archive.bus,
            clock=archive.clock,
        )
        archive.bus.listen(ProblemsChanged, self.changes.append)

    async def keys(self) -> list[str]:
        return sorted(row.key for row in await self.list.rows())

    async def stored(self) -> list[str]:
        return sorted(row.key for row in await self.store.rows())

    async def limit(self, pages: int) -> None:
        """Let the database grow to so many pages; 0: not at all from now on."""
        async with self.archive.database.write() as connection:
            if pages == 0:
                await connection.execute("create table filler (x)")
                await connection.execute("insert into filler values (zeroblob(9000))")
                rows = await connection.execute_fetchall("pragma page_count")
                pages = int(next(iter(rows))[0])
        await self.archive.database._writer.execute(f"pragma max_page_count = {pages}")


@asynccontextmanager
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    async with stored(tmp_path) as archive:
        yield Kept(archive)


async def test_on_a_full_disk_it_is_kept_counted_and_written_when_there_is_space_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with kept(tmp_path) as it:
        await it.limit(0)
        long = Problem("x" * 20_000, advice="", key="long")
        await it.list.add(long, at=1)
        await it.list.add(long, at=2)
        assert await it.keys() == ["disk-full", "long"]
        assert await it.stored() == []
        assert [row.count for row in await it.list.rows()] == [2, 2]
        assert it.why == ["disk-full", "disk-full"]
        assert "problem kept in memory problem=long key=disk-full" in caplog.text

        await it.list.catch_up(works=True)
        assert await it.keys() == ["disk-full", "long"]
        await it.limit(1_000_000)
        await it.list.catch_up(works=True)
        assert await it.keys() == await it.stored() == ["long"]
        assert it.why[-1] == ""
        assert len(it.changes) == 1


async def test_in_a_deleted_database_nothing_is_lost_of_the_list(tmp_path: Path) -> None:
    async with kept(tmp_path) as it:
        it.archive.database.path.unlink()
        await it.list.add(UNREAD, at=1)
        assert await it.keys() == ["database-gone", "unread"]
        await it.list.catch_up(works=True)
        assert await it.keys() == ["database-gone", "unread"]
        assert await it.list.clear("unread")
        assert await it.keys() == ["database-gone"]


async def test_what_waits_counts_what_is_in_memory(tmp_path: Path) -> None:
    async def waiting() -> Waiting:
        return Waiting(lessons=3, problems=1)

    async with kept(tmp_path) as it:
        await it.list.add(Problem("Old.", advice="", key="old"), at=1)
        assert await it.list.count(waiting) == Waiting(3, 0, 1)
        assert await it.keys() == ["old"]  # opens the reader, which goes on reading
        it.archive.database.path.unlink()
        await it.list.add(UNREAD, at=2)
        await it.list.add(Problem("Old.", advice="", key="old"), at=3)
        assert await it.list.count(waiting) == Waiting(3, 0, 3)
        (old,) = [row for row in await it.list.rows() if row.key == "old"]
        assert (old.count, old.first_at, old.last_at) == (2, 1, 3)


async def test_no_more_kinds_are_kept_than_help(tmp_path: Path) -> None:
    async with kept(tmp_path) as it:
        it.archive.database.path.unlink()
        for number in range(MOST_KEPT + 10):
            await it.list.add(Problem("No.", advice="", key=f"k{number}"), at=number)
        assert len(await it.list.rows()) == MOST_KEPT


async def test_a_fault_of_the_archive_leaves_the_list_only_when_everything_works(
    tmp_path: Path,
) -> None:
    async with kept(tmp_path) as it:
        await it.list.add(Problem("Full.", advice="", key="disk-full"), at=1)
        await it.list.add(UNREAD, at=1)
        await it.list.catch_up(works=False)
        assert await it.keys() == ["disk-full", "unread"]
        await it.list.catch_up(works=True)
        assert await it.keys() == ["unread"]
