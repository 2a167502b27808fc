"""The memory window's service: look at the files, preview, write what was shown, edit, history."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.memory_diff import DiffLine, file_lines, hunk_lines, whole_file
from archivist.domain.memory_file import fingerprint, holds, place
from archivist.domain.memory_readers import readers_of
from archivist.domain.problems import Problem, Refused
from archivist.domain.proposals import (
    HunkId,
    Proposal,
    ProposalId,
    StoredHunk,
    Target,
    WriteId,
    WriteState,
)
from archivist.ports.files import MemoryFiles
from archivist.ports.proposals import OpenProposals, PastWrites
from archivist.services.bus import Bus, LessonsChanged
from archivist.services.memory_shown import (
    FileView,
    HunkView,
    Preview,
    WriteView,
    hunk_view,
    state_of,
    write_view,
)
from archivist.services.memory_writes import Applied
from archivist.services.proposals import Proposals
from archivist.services.review import Review
from archivist.services.supervise import Supervisor
from archivist.texts import tr

CHANGED: Final = "memory-changed"
"""The key of the refusal to write to a file that is not the one that was shown."""
_LAST: Final = 50
_SETTLED: Final = (WriteState.WRITTEN, WriteState.UNDONE)


class FoundLessons(Protocol):
    """Where lessons are found."""

    async def find(self, ids: Sequence[LessonId]) -> list[Lesson]:
        """Return the lessons with these ids; unknown ids are left out."""


class MemoryView:
    """What the memory window calls, above `Proposals`."""

    def __init__(
        self,
        proposals: Proposals,
        stored: OpenProposals,
        writes: PastWrites,
        files: MemoryFiles,
        *,
        lessons: FoundLessons,
        review: Review,
        bus: Bus,
    ) -> None:
        self._proposals = proposals
        self._stored = stored
        self._writes = writes
        self._lessons = lessons
        self._review = review
        self._files = files
        self._bus = bus

    async def look(self, seen: Mapping[str, str | None]) -> list[FileView]:
        """Bring the proposals up to date and return every memory file in use, by path.

        `seen`: the `sha` that the caller showed last of each path, to tell what changed since.
        """
        shown = {p.target.path: fingerprint(p.base) for p in await self._stored.proposals()}
        troubles = (await self._proposals.propose()).troubles
        now = {p.target.path: p for p in await self._stored.proposals()}
        return [
            await self._view(target, now.get(target.path), troubles, {**shown, **seen})
            for target in await self._proposals.targets()
        ]

    async def follow(self, supervisor: Supervisor) -> None:
        """Propose now and after each change of the lessons, for as long as this runs."""
        changed = asyncio.Event()
        changed.set()
        end = self._bus.listen(LessonsChanged, lambda _: changed.set())
        try:
            while await changed.wait():
                changed.clear()
                await supervisor.guarded(self._propose(), name="propose")
        finally:
            end()

    async def preview(self, proposal: ProposalId, hunks: Sequence[HunkId]) -> Preview:
        """Return the whole file with these hunks in it. Raises Refused for unknown ones."""
        found = await self._found(proposal)
        chosen = [one.hunk for one in found.open_hunks if one.id in hunks]
        after = await asyncio.to_thread(place, found.base, chosen)
        lines = await asyncio.to_thread(whole_file, found.base, after)
        return Preview(lines, len(after))

    async def write(
        self, proposal: ProposalId, hunks: Sequence[HunkId], *, seen: str | None
    ) -> Applied:
        """Write hunks to the file that was shown, by its `sha`; raises like `Proposals.apply`.

        Raises Refused with the key CHANGED when the file is another by now. An edit after that
        comparison is merged, or is a conflict.
        """
        path = (await self._found(proposal)).target.path
        if fingerprint(await self._files.read(Path(path))) != seen:
            raise Refused(
                tr("{path} was changed after this was shown. Nothing was written.", path=path),
                advice=tr("Look at the changes once more, then write them."),
                key=CHANGED,
            )
        return await self._proposals.apply(proposal, hunks)

    async def edit(self, hunk: HunkId, text: str) -> HunkId | None:
        """Give the lesson behind a change another wording; return the change that says it now.

        None when the file says it already. Raises Refused for a change that does not wait, that
        says several lessons, or for a wording that cannot be.
        """
        stored = await self._waiting_hunk(hunk)
        if len(stored.hunk.lessons) != 1:
            raise Refused(
                tr("This line says {n} lessons at once.", n=len(stored.hunk.lessons)),
                advice=tr("Change their wording in the lessons window, where each has its own."),
            )
        (lesson,) = stored.hunk.lessons
        await self._review.edit(lesson, text)
        await self._proposals.propose()
        after = [one for found in await self._stored.proposals() for one in found.open_hunks]
        return next((one.id for one in after if lesson in one.hunk.lessons), None)

    async def history(self) -> list[WriteView]:
        """Return what was written and taken back, newest first."""
        writes = await self._writes.past(_SETTLED, limit=_LAST)
        paths = {write.path for write in writes}
        data = {path: await self._data(path) for path in paths}
        bullets = {path: await self._writes.bullets(path) for path in paths}
        shown = []
        for write in writes:
            added = [one.added for one in bullets[write.path] if one.write == write.id]
            is_held = write.state is WriteState.WRITTEN and await asyncio.to_thread(
                _holds_all, data[write.path], added
            )
            shown.append(write_view(write, is_held=is_held))
        return shown

    async def written(self, write: WriteId) -> list[tuple[DiffLine, ...]]:
        """Return what a write changed, place by place. Raises Refused for an unknown write."""
        found = await self._writes.find(write)
        if found is None:
            raise Refused(
                tr("There is no write {id}.", id=write),
                advice=tr("Open the history again."),
            )
        return await asyncio.to_thread(file_lines, found.before, found.after)

    async def _propose(self) -> None:
        if await self._proposals.targets():
            await self._proposals.propose()

    async def _found(self, proposal: ProposalId) -> Proposal:
        for found in await self._stored.proposals():
            if found.id == proposal:
                return found
        raise Refused(
            tr("These changes were decided or withdrawn meanwhile."),
            advice=tr("Look at what waits now."),
        )

    async def _waiting_hunk(self, hunk: HunkId) -> StoredHunk:
        for found in await self._stored.proposals():
            for stored in found.open_hunks:
                if stored.id == hunk:
                    return stored
        raise Refused(
            tr("This change was decided or withdrawn meanwhile."),
            advice=tr("Look at what waits now."),
        )

    async def _view(
        self,
        target: Target,
        proposal: Proposal | None,
        troubles: Mapping[str, Problem],
        seen: Mapping[str, str | None],
    ) -> FileView:
        problem, look = troubles.get(target.path), None
        try:
            look = await self._files.look(Path(target.path))
        except Problem as found:
            problem = found
        sha = fingerprint(look.data) if look else None
        is_other = target.path in seen and seen[target.path] != sha
        changed = look is not None and is_other and not await self._is_ours(target.path, sha)
        hunks = await self._hunks(proposal) if proposal else ()
        return FileView(
            target=target,
            state=state_of(look, problem),
            problem=problem,
            changed_at=look.changed_at if look and changed else None,
            sha=sha,
            proposal=proposal.id if proposal else None,
            hunks=hunks,
            readers=readers_of(target.path),
        )

    async def _is_ours(self, path: str, sha: str | None) -> bool:
        """Tell whether a file is in a state that we wrote or went back to."""
        writes = await self._writes.past(_SETTLED, path=path, limit=_LAST)
        return any(sha in (write.after_sha, write.before_sha) for write in writes)

    async def _hunks(self, proposal: Proposal) -> tuple[HunkView, ...]:
        waiting = proposal.open_hunks
        ids = [ident for stored in waiting for ident in stored.hunk.lessons]
        lessons = {lesson.id: lesson for lesson in await self._lessons.find(ids)}
        ours = {one.added for one in await self._writes.bullets(proposal.target.path)}
        lines = await asyncio.to_thread(
            hunk_lines, proposal.base, [stored.hunk for stored in waiting]
        )
        return tuple(
            hunk_view(stored, rows, [lessons[i] for i in stored.hunk.lessons if i in lessons],
                       is_line_ours=stored.hunk.removed in ours)
            for stored, rows in zip(waiting, lines, strict=True)
        )  # fmt: skip

    async def _data(self, path: str) -> bytes | None:
        """Return a file, None also where it cannot be read: nothing can be taken out of it then."""
        try:
            return await self._files.read(Path(path))
        except Problem:
            return None


def _holds_all(data: bytes | None, bullets: Iterable[str]) -> bool:
    return data is not None and all(holds(data, bullet) for bullet in bullets)
