"""Bring a database to this program's schema, one numbered script a transaction.

A database of a newer program is refused and left as it is; a copy is made before any change.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from archivist.domain.problems import Problem, SchemaTooNew
from archivist.texts import tr

COPIES_KEPT = 3
NO_MARKS: Mapping[str, str] = MappingProxyType({})


def scripts() -> list[str]:
    """Return the migration scripts in order; the first makes version 1."""
    folder = files("archivist.store") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in names]


INSERT_MARK = """
insert into meta (key, value) values (?, ?)
"""


def migrate(
    database: Path, steps: Sequence[str], *, backups: Path, marks: Mapping[str, str] = NO_MARKS
) -> None:
    """Apply the missing scripts. `marks` are written into a new archive, and into no other.

    They stand in the transaction that makes it: a kill leaves no archive without its marks.
    Raises SchemaTooNew, or Problem when the file is no database.
    """
    connection = sqlite3.connect(database, isolation_level=None)
    try:
        connection.execute("pragma busy_timeout = 10000")
        have = _version(connection, database)
        if have > len(steps):
            raise _too_new(database, have, len(steps), backups)
        if 0 < have < len(steps):
            _copy(connection, backups, have)
        for number, script in enumerate(steps[have:], start=have + 1):
            _apply(connection, script, number, {} if have else marks)
    finally:
        connection.close()


def _version(connection: sqlite3.Connection, database: Path) -> int:
    try:
        row = connection.execute("pragma user_version").fetchone()
    except sqlite3.DatabaseError as error:
        message = tr("{path} is no archive that can be read ({why}).", path=database, why=error)
        advice = tr("Move the file away and start again; a copy may lie in `backups` beside it.")
        raise Problem(message, advice=advice, key="database-unreadable") from error
    return int(row[0])


def _apply(
    connection: sqlite3.Connection, script: str, number: int, marks: Mapping[str, str]
) -> None:
    """Run one script; another process may have done it while we waited for the lock."""
    connection.execute("begin immediate")
    try:
        if int(connection.execute("pragma user_version").fetchone()[0]) < number:
            for statement in _statements(script):
                connection.execute(statement)
            if number == 1 and marks:
                connection.executemany(INSERT_MARK, list(marks.items()))
            connection.execute(f"pragma user_version = {number}")
        connection.execute("commit")
    except BaseException:
        with suppress(sqlite3.OperationalError):  # a full disk: SQLite has rolled back already
            connection.execute("rollback")
        raise


def _statements(script: str) -> list[str]:
    """Cut a script into statements: `executescript` would commit between them."""
    statements, pending = [], ""
    for piece in script.split(";"):
        pending += f"{piece};"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _copy(connection: sqlite3.Connection, backups: Path, version: int) -> None:
    backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    target = sqlite3.connect(backups / f"archive-v{version}-{stamp}.db")
    try:
        connection.backup(target)
    finally:
        target.close()
    for old in sorted(backups.glob("archive-v*.db"), key=lambda path: path.name[-28:])[
        :-COPIES_KEPT
    ]:
        old.unlink(missing_ok=True)


def _too_new(database: Path, have: int, known: int, backups: Path) -> SchemaTooNew:
    copies = sorted(backups.glob("archive-v*.db"))
    message = tr(
        "{path} was made by a newer Archivist (schema {have}, this one knows {known}).",
        path=database,
        have=have,
        known=known,
    )
    if not copies:
        advice = tr("Install the newer version; the file was left as it is.")
    else:
        advice = tr(
            "Install the newer version, or open the last older copy, {copy}; "
            "the file was left as it is.",
            copy=copies[-1],
        )
    return SchemaTooNew(message, advice=advice)
