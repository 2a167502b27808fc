"""A real archive in a temporary folder, filled by intakes that a test writes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from archivist.domain.intake import Intake
from archivist.domain.transcripts import Cursor, Role, Seen, Source, Tally, TurnSeen
from archivist.services.bus import Bus
from archivist.store.database import Database, open_database
from archivist.store.jobs import JobStore
from archivist.store.knowledge import KnowledgeStore
from archivist.store.segments import SegmentStore
from archivist.store.transcripts import TranscriptStore
from helpers.clock import FakeClock

CURSOR = Cursor(0, 0, 0, "", "", "")


@dataclass(slots=True)
class Stored:
    """The stores over one database, and a clock."""

    database: Database
    clock: FakeClock = field(default_factory=FakeClock)
    bus: Bus = field(default_factory=Bus)
    living: set[str] = field(default_factory=lambda: {"me"})

    @property
    def transcripts(self) -> TranscriptStore:
        return TranscriptStore(self.database)

    @property
    def segments(self) -> SegmentStore:
        return SegmentStore(self.database)

    @property
    def knowledge(self) -> KnowledgeStore:
        return KnowledgeStore(self.database)

    def jobs(self, owner: str = "me") -> JobStore:
        return JobStore(self.database, owner=owner, alive=lambda name: name in self.living)

    async def take_in(self, *seen: Seen, path: str = "/t.jsonl", last: bool = True) -> int:
        """Store records as one chunk of a file; return how many turns were new."""
        return await self.transcripts.commit(
            Intake(
                source=Source.CLAUDE_CODE,
                path=path,
                seen=seen,
                cursor=CURSOR,
                tally=Tally(),
                last=last,
                at=self.clock(),
            )
        )

    async def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Ask the database itself."""
        async with self.database.read() as connection:
            return [tuple(row) for row in await connection.execute_fetchall(query, values)]


@asynccontextmanager
async def stored(folder: Path) -> AsyncIterator[Stored]:
    """Open an archive below a folder, an empty one unless there is one already."""
    folder.mkdir(exist_ok=True)
    async with open_database(folder / "archive.db", backups=folder / "backups") as database:
        yield Stored(database)


def said(
    key: str,
    text: str,
    *,
    role: Role = Role.USER,
    at: int | None = None,
    session: str = "s1",
    cwd: str | None = None,
) -> TurnSeen:
    """Return a turn."""
    return TurnSeen(key=key, session=session, role=role, text=text, at=at, cwd=cwd)


def talk(texts: Sequence[str], *, start: int = 1_789_000_000_000, step: int = 10_000) -> list[Seen]:
    """Return a session in which the person says each text and gets a short answer."""
    turns: list[Seen] = []
    for number, text in enumerate(texts):
        at = start + 2 * number * step
        turns.append(said(f"u{number}", text, at=at))
        turns.append(said(f"a{number}", f"Done: {number}.", role=Role.ASSISTANT, at=at + step))
    return turns
