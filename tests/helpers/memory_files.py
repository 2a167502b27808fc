"""The memory-file services over a real archive, with lessons that were kept."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from archivist.domain.headings import split_lines
from archivist.domain.hunks import changes
from archivist.domain.lessons import normal_form
from archivist.domain.proposals import HunkId, ProposalId
from archivist.machine.files import MemoryFiles
from archivist.ports.machine import Clock
from archivist.services.bus import Bus
from archivist.services.memory_shown import FileView, HunkView
from archivist.services.memory_view import MemoryView
from archivist.services.proposals import Proposals, ShownHunk, ShownProposal
from archivist.services.review import Review
from archivist.store.command_store import CommandStore
from archivist.store.database import Database, open_database
from archivist.store.file_writes import WriteStore
from archivist.store.proposals import ProposalStore
from archivist.store.review import ReviewStore
from archivist.store.targets import TargetStore
from helpers.clock import FakeClock

ADD_LESSON = """
insert into lesson (category, kind, text, said, norm, project, scope, state, untrusted, confidence,
  lang, made_at, changed_at)
values (?, 'rule', ?, ?, ?, ?, ?, 'kept', ?, 0.9, 'en', 0, 0)
"""


@dataclass(slots=True)
class Memory:
    """The services, and the archive under them."""

    database: Database
    clock: Clock = field(default_factory=FakeClock)
    bus: Bus = field(default_factory=Bus)
    patience: float = 30.0

    @property
    def files(self) -> MemoryFiles:
        return MemoryFiles(clock=self.clock, program="test", patience=self.patience)

    @property
    def service(self) -> Proposals:
        return Proposals(
            TargetStore(self.database),
            ProposalStore(self.database),
            WriteStore(self.database),
            ReviewStore(self.database),
            self.files,
            bus=self.bus,
            clock=self.clock,
            caller="pytest",
        )

    @property
    def view(self) -> MemoryView:
        return MemoryView(
            self.service,
            ProposalStore(self.database),
            WriteStore(self.database),
            self.files,
            lessons=ReviewStore(self.database),
            review=self.review,
            bus=self.bus,
        )

    @property
    def review(self) -> Review:
        store = ReviewStore(self.database)
        return Review(store, clean=str, bus=self.bus, clock=self.clock, caller="pytest")

    async def keep(
        self,
        texts: Iterable[str],
        category: str = "preference",
        *,
        project: str = "",
        untrusted: bool = False,
    ) -> None:
        """Store lessons as if a person had kept them."""
        scope = "project" if project else "everywhere"
        async with self.database.write() as connection:
            for text in texts:
                row = (category, text, text, normal_form(text), project, scope, untrusted)
                await connection.execute(ADD_LESSON, row)

    async def propose(self, target: Path, texts: Sequence[str]) -> tuple[ProposalId, list[HunkId]]:
        """Keep lessons and propose them; return the proposal and its hunks, as the texts go."""
        await self.keep(texts)
        await self.service.enable(target)
        await self.service.propose()
        proposal = await self.only()
        numbers = {hunk.added.removeprefix("- "): hunk.id for hunk in proposal.hunks}
        return proposal.id, [numbers[text] for text in texts]

    async def hunks_of(self, target: Path, *texts: str) -> list[HunkId]:
        """Keep lessons, propose them, and return the numbers of their hunks."""
        _, hunks = await self.propose(target, texts)
        return hunks

    async def last_command(self) -> tuple[str, str, Mapping[str, Any]]:
        """Return the newest command: its name, its sentence, and what takes it back."""
        (command,) = await CommandStore(self.database, caller="pytest").last(1)
        return command.name, command.label, command.inverse

    async def only(self) -> ShownProposal:
        """Return the one open proposal."""
        (proposal,) = await self.service.proposals()
        return proposal

    async def hunk(self, word: str) -> ShownHunk:
        """Return the one waiting hunk that says a word."""
        (found,) = [h for p in await self.service.proposals() for h in p.hunks if word in h.added]
        return found

    async def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Ask the database itself."""
        async with self.database.read() as connection:
            return [tuple(row) for row in await connection.execute_fetchall(query, values)]


def lost_lines(edited: bytes, result: bytes) -> list[bytes]:
    """Return the lines of an edited file that are not, in their order, in the file afterwards."""
    lines = split_lines(edited)
    return [
        line
        for change in changes(lines, split_lines(result))
        for line in lines[change.start : change.end]
        if not b"".join(change.lines).startswith(line)
    ]


@asynccontextmanager
async def memory(folder: Path, *, patience: float = 30.0) -> AsyncIterator[Memory]:
    """Open the archive in a folder, a new one where there is none."""
    async with open_database(folder / "archive.db", backups=folder / "backups") as database:
        yield Memory(database, patience=patience)


async def shown(here: Memory, target: Path, *texts: str) -> FileView:
    """Keep lessons, use a file, and look at it."""
    await here.keep(texts)
    await here.service.enable(target)
    return await only_file(here)


async def only_file(here: Memory, seen: Mapping[str, str | None] | None = None) -> FileView:
    """Look at the only file in use."""
    (view,) = await here.view.look(seen or {})
    return view


def the_hunk(view: FileView, word: str) -> HunkView:
    """Return the one change that says a word."""
    (found,) = [hunk for hunk in view.hunks if word in hunk.text]
    return found


def number(view: FileView) -> ProposalId:
    """Return the number of a file's proposal."""
    assert view.proposal is not None
    return view.proposal
