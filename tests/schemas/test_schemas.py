"""Each released schema, as a small database, comes to the newest one with equal content."""

import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest

from archivist.services.search import Search
from archivist.store.browse import BrowseStore
from archivist.store.database import open_database
from archivist.store.migrate import scripts

HERE = Path(__file__).resolve().parent
KEPT = sorted(HERE.glob("*.db"))


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of every table, the index's own ones left out."""
    connection = sqlite3.connect(path)
    try:
        names = [
            name
            for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
            if not name.startswith(("sqlite_", "episode_fts"))
        ]
        return {name: connection.execute(f"select * from {name}").fetchall() for name in names}
    finally:
        connection.close()


def test_every_schema_is_kept() -> None:
    assert [path.stem for path in KEPT] == [f"{n:04}" for n in range(1, len(scripts()) + 1)]


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)
def test_an_old_archive_is_brought_up_with_equal_content(kept: Path, tmp_path: Path) -> None:
    before = content(kept)
    assert all(
        before[name] for name in ("episode", "segment", "recap", "lesson", "evidence", "job")
    )
    copy = tmp_path / "archive.db"
    shutil.copy(kept, copy)

    async def use() -> list[int]:
        async with open_database(copy, backups=tmp_path / "backups") as database:
            search = Search(BrowseStore(database))
            found = [await search.find(words) for words in ('"small commits"', "后端", "Postgres")]
            return [result.hits[0].turn for result in found]

    assert asyncio.run(use()) == [1, 1, 3]
    after = content(copy)
    for name, rows in before.items():
        old = len(rows[0]) if rows else 0
        assert [row[:old] for row in after[name]] == rows, name
