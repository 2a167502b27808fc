"""The list of problems: one row a kind, counted, with what to do about it."""

import json
from collections.abc import Sequence
from typing import Final

from archivist.domain.problems import Problem, ProblemRow
from archivist.store.database import Database

ADD: Final = """
insert into problem (key, message, advice, first_at, last_at) values (?, ?, ?, ?, ?)
on conflict (key) do update set message = excluded.message, advice = excluded.advice,
  count = problem.count + 1, last_at = excluded.last_at
"""
SETTLE: Final = """
insert into problem (key, message, advice, first_at, last_at) values (?, ?, ?, ?, ?)
on conflict (key) do update set advice = excluded.advice,
  count = problem.count + (problem.message <> excluded.message), message = excluded.message,
  last_at = excluded.last_at
"""
MENDED: Final = """
delete from problem where key like ? || '%' and key not in (select value from json_each(?))
"""
LIST: Final = """
select key, message, advice, count, first_at, last_at from problem order by last_at desc
"""
CLEAR: Final = """
delete from problem where key = ?
"""


class ProblemStore:
    """Keeps what went wrong until it is cleared."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, problem: Problem, *, at: int) -> None:
        """Note a problem, or count it again."""
        async with self._database.write() as connection:
            row = (problem.key, problem.message, problem.advice, at, at)
            await connection.execute(ADD, row)

    async def settle(self, prefix: str, problems: Sequence[Problem], *, at: int) -> None:
        """Make the problems whose key begins so just these: the others are mended."""
        keys = json.dumps([problem.key for problem in problems])
        rows = [(p.key, p.message, p.advice, at, at) for p in problems]
        if not rows and not await self._any(prefix):
            return
        async with self._database.write() as connection:
            await connection.execute(MENDED, (prefix, keys))
            await connection.executemany(SETTLE, rows)

    async def _any(self, prefix: str) -> bool:
        return any(row.key.startswith(prefix) for row in await self.rows())

    async def rows(self) -> list[ProblemRow]:
        """Return the problems, newest first."""
        async with self._database.read() as connection:
            return [ProblemRow(*row) for row in await connection.execute_fetchall(LIST)]

    async def clear(self, key: str) -> bool:
        """Take a problem off the list; False when it is not there."""
        async with self._database.write() as connection:
            return (await connection.execute(CLEAR, (key,))).rowcount == 1
