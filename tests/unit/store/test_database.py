import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from archivist.domain.problems import Problem
from archivist.store.database import Database, open_database, read_mark

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


HANG = """
import asyncio, pathlib, sys
from archivist.domain.problems import Problem
from archivist.store.database import open_database

async def use() -> None:
    async with open_database(pathlib.Path(sys.argv[1]), backups=pathlib.Path(sys.argv[2])):
        pass

try:
    asyncio.run(use())
except Problem as problem:
    print(problem.key)
"""


@pytest.mark.parametrize("damage", [100, 4096])
def test_a_damaged_file_is_told_and_the_program_ends(tmp_path: Path, damage: int) -> None:
    file = tmp_path / "archive.db"

    async def make() -> None:
        async with open_database(file, backups=tmp_path / "b"):
            pass

    asyncio.run(make())
    data = bytearray(file.read_bytes())
    data[damage : damage + 2000] = b"\xff" * 2000
    file.write_bytes(data)
    command = [sys.executable, "-c", HANG, str(file), str(tmp_path / "b")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert "Traceback" not in ran.stderr
    assert ran.stdout.strip().startswith("database-")


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_an_archive_behind_a_link_is_refused(tmp_path: Path, link: str) -> None:
    real, other = tmp_path / "real.db", tmp_path / "archive.db"

    async def use(path: Path) -> None:
        async with open_database(path, backups=tmp_path / "b"):
            pass

    asyncio.run(use(real))
    before = real.read_bytes()
    getattr(other, link)(real)
    with pytest.raises(Problem, match="cannot be made or opened"):
        asyncio.run(use(other))
    assert real.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps an open file")
async def test_a_file_deleted_while_open_is_told_at_the_next_write(tmp_path: Path) -> None:
    async with open_database(tmp_path / "archive.db", backups=tmp_path / "b") as database:
        (tmp_path / "archive.db").unlink()
        with pytest.raises(Problem, match="deleted or replaced"):
            await write_much(database)


async def test_marks_are_written_into_a_new_archive_only(tmp_path: Path) -> None:
    for marks in ({"made": "here"}, {"made": "there", "more": "x"}):
        async with open_database(
            tmp_path / "archive.db", backups=tmp_path / "b", marks=marks
        ) as database:
            assert await read_mark(database, "made") == "here"
            assert await read_mark(database, "more") is None
