"""What is done at once when the session ends and nothing can be awaited any more."""

import sqlite3
import time
from pathlib import Path

import pytest

from archivist import compose
from archivist.store.database import checkpoint
from helpers.claude import chat, transcript

BUDGET = 0.2
"""Seconds; a session that ends kills what takes longer."""


async def test_the_log_of_writes_is_emptied_while_the_archive_is_open(tmp_path: Path) -> None:
    writer, records = chat(1, ["Please use pytest, not unittest."])
    transcript(tmp_path / "home", writer, records)
    wal = tmp_path / "profile" / "archive.db-wal"
    async with compose.opened(tmp_path / "profile", tmp_path / "home") as services:
        async for _ in services.ingest.import_home(services.profile.home):
            pass
        assert wal.stat().st_size > 0
        services.at_once()
        assert wal.stat().st_size == 0
        assert (await services.overview()).counts["turns"] == 2


def test_beside_a_writer_it_gives_up_in_time_and_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    with sqlite3.connect(path) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("create table turn (text)")
        writer.commit()
        writer.execute("begin immediate")
        writer.execute("insert into turn values ('said')")
        began = time.monotonic()
        checkpoint(path)
        assert time.monotonic() - began < BUDGET
        writer.commit()
        assert writer.execute("select text from turn").fetchone() == ("said",)
    writer.close()


def test_a_file_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    checkpoint(tmp_path / "none" / "archive.db")


@pytest.mark.long
def test_it_keeps_its_budget_on_a_big_archive(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    with sqlite3.connect(path) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("create table turn (text)")
        writer.executemany("insert into turn values (zeroblob(?))", [(1_000_000,)] * 100)
        writer.commit()
        writer.execute("pragma wal_checkpoint(truncate)")
        writer.executemany("insert into turn values (zeroblob(?))", [(1_000,)] * 3_000)
        writer.commit()
        assert path.stat().st_size > 100_000_000
        began = time.monotonic()
        checkpoint(path)
        assert time.monotonic() - began < BUDGET
        assert path.with_name("archive.db-wal").stat().st_size == 0
    writer.close()
