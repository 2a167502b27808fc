"""Another program holds the archive locked: how long we wait, and that the end does not."""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archivist.domain.problems import Problem
from archivist.store.database import Database, open_database

SLOW = """
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000)
select count(*) from n
"""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    try:
        yield
    finally:
        other.execute("rollback")
        other.close()


async def write(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute("insert into meta values ('mine', 'x')")


async def test_what_was_waiting_is_written_once_the_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    async with open_database(path, backups=tmp_path) as database, asyncio.TaskGroup() as group:
        with locked(path):
            writing = group.create_task(write(database))
            await asyncio.sleep(0.3)  # longer than SQLite waits by itself
            assert not writing.done()
        async with asyncio.timeout(2):
            await writing


async def test_a_cancelled_writer_is_free_again_soon(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    async with open_database(path, backups=tmp_path) as database:
        with locked(path):
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await write(database)
            assert time.monotonic() - began < 1
        await write(database)


async def test_in_a_hurry_also_those_who_wait_already_give_up(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    async with open_database(path, backups=tmp_path) as database:
        with locked(path):
            writing = asyncio.get_running_loop().create_task(write(database))
            await asyncio.sleep(0.05)
            began = time.monotonic()
            database.hurry()
            with pytest.raises(Problem, match="locked"):
                await writing
            assert time.monotonic() - began < 1


async def test_the_end_breaks_off_a_search_that_still_runs(tmp_path: Path) -> None:
    async with open_database(tmp_path / "archive.db", backups=tmp_path) as database:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), database.read() as connection:
                await connection.execute_fetchall(SLOW)
        began = time.monotonic()
    assert time.monotonic() - began < 1
