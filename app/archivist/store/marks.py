"""Single values that the archive keeps about itself, one row a key."""

from typing import Final

from archivist.store.database import Database, read_mark

PUT: Final = """
insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value
"""
DROP: Final = """
delete from meta where key = ?
"""


class MarkStore:
    """The marks of one archive."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        """Return a mark, None when there is none."""
        return await read_mark(self._database, key)

    async def put(self, key: str, value: str) -> None:
        """Write a mark."""
        async with self._database.write() as connection:
            await connection.execute(PUT, (key, value))

    async def drop(self, key: str) -> None:
        """Take a mark out."""
        async with self._database.write() as connection:
            await connection.execute(DROP, (key,))
