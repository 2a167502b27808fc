import asyncio
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from archivist.domain.problems import Problem
from archivist.store.database import Database, open_database

OWN = "select * from meta where key <> 'index_version'"


async def write_and_fail(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute("insert into meta values ('a', 'b')")
        _ = 1 / 0


async def write_much(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute("insert into meta values ('big', ?)", ("y" * 9_000_000,))


def test_closing_leaves_no_wal_and_the_file_is_private(tmp_path: Path) -> None:
    async def use() -> None:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
            async with database.write() as connection:
                await connection.execute("insert into meta values ('a', 'b')")
            async with database.read() as connection:
                rows = list(
                    await connection.execute_fetchall("select value from meta where key = 'a'")
                )
            assert [tuple(row) for row in rows] == [("b",)]
            if os.name == "posix":
                assert stat.S_IMODE((tmp_path / "archive.db").stat().st_mode) == 0o600
                assert stat.S_IMODE((tmp_path / "archive.db-wal").stat().st_mode) == 0o600

    asyncio.run(use())
    assert [path.name for path in tmp_path.iterdir()] == ["archive.db"]


def test_an_error_rolls_the_whole_transaction_back(tmp_path: Path) -> None:
    async def use() -> list[tuple[object, ...]]:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
            with pytest.raises(ZeroDivisionError):
                await write_and_fail(database)
            async with database.write() as connection:
                await connection.execute("insert into meta values ('c', 'd')")
            async with database.read() as connection:
                return [tuple(r) for r in await connection.execute_fetchall(OWN)]

    assert asyncio.run(use()) == [("c", "d")]


def test_a_cancelled_write_leaves_nothing_and_the_writer_usable(tmp_path: Path) -> None:
    async def half(database: Database, begun: asyncio.Event) -> None:
        async with database.write() as connection:
            await connection.execute("insert into meta values ('half', 'x')")
            begun.set()
            await asyncio.Event().wait()

    async def use() -> list[tuple[object, ...]]:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
            begun = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                task = group.create_task(half(database, begun))
                await begun.wait()
                task.cancel()
            async with database.write() as connection:
                await connection.execute("insert into meta values ('whole', 'y')")
            async with database.read() as connection:
                return [tuple(r) for r in await connection.execute_fetchall(OWN)]

    assert asyncio.run(use()) == [("whole", "y")]


def test_readers_cannot_write(tmp_path: Path) -> None:
    async def use() -> None:
        async with (
            open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database,
            database.read() as connection,
        ):
            await connection.execute("insert into meta values ('a', 'b')")

    with pytest.raises(Problem, match="cannot be opened for writing"):
        asyncio.run(use())


def test_a_full_disk_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    async def use() -> int:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
            async with database.write() as connection:
                await connection.execute("insert into meta values ('first', 'x')")
            await database._writer.execute("pragma max_page_count = 1")
            with pytest.raises(Problem, match="full") as caught:
                await write_much(database)
            assert caught.value.key == "disk-full"
            await database._writer.execute("pragma max_page_count = 1000000")
            async with database.write() as connection:
                await connection.execute("insert into meta values ('after', 'z')")
            async with database.read() as connection:
                rows = list(await connection.execute_fetchall(f"select count(*) from ({OWN})"))
            return int(rows[0][0])

    assert asyncio.run(use()) == 2


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "archive.db").write_bytes(b"not a database at all, but long enough" * 50)

    async def use() -> None:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b"):
            pass

    with pytest.raises(Problem, match=r"archive\.db"):
        asyncio.run(use())
    assert (tmp_path / "archive.db").read_bytes().startswith(b"not a database")


def test_another_program_that_holds_the_lock_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.store.database.BUSY_MS", 50)

    async def use() -> None:
        async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
            other = sqlite3.connect(tmp_path / "archive.db", isolation_level=None)
            other.execute("begin immediate")
            try:
                async with database.write():
                    pass
            finally:
                other.execute("rollback")
                other.close()

    with pytest.raises(Problem, match="locked"):
        asyncio.run(use())
