import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from archivist.domain.problems import SchemaTooNew
from archivist.store.migrate import migrate, scripts

ONE = "create table a (x); insert into a values (1);"
TWO = "create table b (y);"
BROKEN = "create table c (z); insert into nowhere values (1);"


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("pragma user_version").fetchone()[0])
    finally:
        connection.close()


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    try:
        return {row[0] for row in connection.execute("select name from sqlite_master")}
    finally:
        connection.close()


def test_steps_are_applied_once_and_a_copy_is_made_before_a_change(tmp_path: Path) -> None:
    file, backups = tmp_path / "a.db", tmp_path / "backups"
    migrate(file, [ONE], backups=backups)
    assert version(file) == 1
    assert not backups.exists()
    migrate(file, [ONE, TWO], backups=backups)
    migrate(file, [ONE, TWO], backups=backups)
    assert version(file) == 2
    (copy,) = backups.iterdir()
    assert copy.name.startswith("archive-v1-")
    assert tables(copy) == {"a"}
    assert tables(file) == {"a", "b"}


def test_only_the_last_copies_are_kept(tmp_path: Path) -> None:
    steps = [ONE]
    for number in range(6):
        migrate(tmp_path / "a.db", steps, backups=tmp_path / "backups")
        steps.append(f"create table t{number} (x);")
    names = sorted(path.name.split("-")[1] for path in (tmp_path / "backups").iterdir())
    assert names == ["v3", "v4", "v5"]


def test_a_failing_step_leaves_the_old_version_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    migrate(file, [ONE], backups=tmp_path / "b")
    with pytest.raises(sqlite3.OperationalError):
        migrate(file, [ONE, BROKEN], backups=tmp_path / "b")
    assert version(file) == 1
    assert tables(file) == {"a"}


def test_a_newer_schema_is_refused_in_one_sentence_and_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    migrate(file, [ONE, TWO], backups=tmp_path / "b")
    before = file.read_bytes()
    with pytest.raises(SchemaTooNew) as caught:
        migrate(file, [ONE], backups=tmp_path / "b")
    assert "newer Archivist (schema 2, this one knows 1)" in caught.value.message
    assert "left as it is" in caught.value.advice or "was left" in caught.value.advice
    assert file.read_bytes() == before


def test_the_scripts_of_the_program_apply(tmp_path: Path) -> None:
    migrate(tmp_path / "a.db", scripts(), backups=tmp_path / "b")
    assert version(tmp_path / "a.db") == len(scripts())
    assert {"episode", "segment", "lesson", "job"} <= tables(tmp_path / "a.db")


def test_marks_stand_in_a_new_archive_from_its_first_moment(tmp_path: Path) -> None:
    """Killed between two scripts, the archive is no longer new: the marks must be in it."""
    file, backups = tmp_path / "a.db", tmp_path / "b"
    meta = "create table meta (key text primary key, value text not null);"
    with pytest.raises(sqlite3.OperationalError):
        migrate(file, [meta, BROKEN], backups=backups, marks={"kind": "throw-away"})
    migrate(file, [meta, "create table t (x);"], backups=backups, marks={"kind": "another"})
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("select key, value from meta").fetchall() == [
            ("kind", "throw-away")
        ]
