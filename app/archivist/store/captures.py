"""What a person saved from the clipboard: stored with its command, and taken out again."""

import json
from typing import Final

import aiosqlite

from archivist.domain.intake import Intake
from archivist.domain.transcripts import Source
from archivist.store.commands import log_command
from archivist.store.database import Database
from archivist.store.episode_index import forget, remember
from archivist.store.transcripts import GONE, write_intake

FIND: Final = """
select id, file_id from session where source = ? and native_id = ?
"""
TURNS: Final = """
select id from episode where session_id = ?
"""
DROP_VECTORS: Final = """
delete from vector
where owner = 'recap' and owner_id in (select id from segment where session_id = ?)
"""
DROP_SESSION: Final = """
delete from session where id = ?
"""
DROP_FILE: Final = """
delete from source_file where id = ?
"""


class CaptureStore:
    """Each change is one transaction."""

    def __init__(self, database: Database, *, caller: str | None) -> None:
        self._database = database
        self._caller = caller

    async def save(self, intake: Intake, session: str, *, label: str) -> bool:
        """Write a clip and the command that takes it out; False when it is there already."""
        async with self._database.write() as connection:
            if await _find(connection, session) is not None:
                return False
            await write_intake(connection, intake)
            # There is no file: the session is closed as one whose file is gone.
            await connection.execute(GONE, (intake.at, json.dumps([intake.path])))
            await log_command(
                connection,
                name="capture.save",
                label=label,
                inverse={"session": session},
                caller=self._caller,
                at=intake.at,
            )
        return True

    async def take_out(self, session: str) -> bool:
        """Delete a clip with its turns, segments and all that came of them; False: not there."""
        async with self._database.write() as connection:
            found = await _find(connection, session)
            if found is None:
                return False
            rows = await connection.execute_fetchall(TURNS, (found["id"],))
            await forget(connection, await remember(connection, [row[0] for row in rows]))
            await connection.execute(DROP_VECTORS, (found["id"],))
            await connection.execute(DROP_SESSION, (found["id"],))
            await connection.execute(DROP_FILE, (found["file_id"],))
        return True


async def _find(connection: aiosqlite.Connection, session: str) -> aiosqlite.Row | None:
    rows = list(await connection.execute_fetchall(FIND, (Source.CLIPBOARD, session)))
    return rows[0] if rows else None
