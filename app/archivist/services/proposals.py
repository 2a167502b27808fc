"""Proposed changes to memory files: choose the files, propose, show, decide, take back.

Nothing is written to a file but the hunks that a person names.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from archivist.domain.hunks import file_diff
from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.domain.memory_file import Hunk, bullet_of, holds, hunk_diffs, place, propose
from archivist.domain.problems import Problem, Refused
from archivist.domain.proposals import (
    FileWrite,
    HunkId,
    Note,
    Proposal,
    ProposalId,
    Target,
    TargetId,
    WriteId,
    WriteState,
)
from archivist.ports.files import MemoryFiles
from archivist.ports.machine import Clock
from archivist.ports.proposals import KeptLessons, OpenProposals, Targets, Writes
from archivist.services.bus import Bus, ProposalsChanged
from archivist.services.memory_writes import Applied, MemoryWrites, check_file
from archivist.texts import tr, tr_n

_HISTORY = 100


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """One change as a person sees it; `removed` is the bullet of ours that gives way, or ""."""

    id: HunkId
    heading: str
    removed: str
    added: str
    diff: str
    lessons: tuple[LessonId, ...]
    preselected: bool


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """What is proposed for one memory file; `made_at` is UTC milliseconds."""

    id: ProposalId
    file: str
    project: str
    hunks: tuple[ShownHunk, ...]
    made_at: int


@dataclass(frozen=True, slots=True)
class ShownWrite:
    """One write of a memory file; `at` is UTC milliseconds."""

    id: WriteId
    file: str
    state: WriteState
    at: int
    hunks: tuple[HunkId, ...]
    diff: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """The open proposals, and by path why some files could not be looked at."""

    proposals: tuple[ShownProposal, ...]
    troubles: Mapping[str, Problem]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why some files could not be looked at."""
        return tuple(self.troubles.values())


class Proposals:
    """What the memory window and `archivist memory` call."""

    def __init__(
        self,
        targets: Targets,
        proposals: OpenProposals,
        writes: Writes,
        lessons: KeptLessons,
        files: MemoryFiles,
        *,
        bus: Bus,
        clock: Clock,
        caller: str | None = None,
    ) -> None:
        self._targets = targets
        self._proposals = proposals
        self._writes = writes
        self._lessons = lessons
        self._files = files
        self._bus = bus
        self._clock = clock
        self._caller = caller
        self._writer = MemoryWrites(proposals, writes, files, clock=clock, caller=caller)

    async def targets(self) -> list[Target]:
        """Return the memory files that lessons may be proposed to."""
        return await self._targets.targets()

    async def enable(self, path: Path, *, project: str = "") -> Target:
        """Let lessons be proposed to a file: those of a project, or those for everywhere.

        Raises Refused for a file of another name, a link, or one that cannot take lessons.
        """
        found = await self._files.locate(path)
        data = await self._files.read(found)
        _check_skill(str(found), data)
        check_file(str(found), data, [])
        note = self._note(tr("Use {path} as a memory file", path=found))
        target = await self._targets.enable(str(found), project, note=note)
        self._bus.tell(ProposalsChanged())
        return target

    async def disable(self, path: Path) -> Target:
        """Propose nothing to a file any more. Raises Refused when it was not enabled."""
        wanted = {str(path.absolute())}
        with suppress(Problem):  # its folder may be gone by now
            wanted.add(str(await self._files.locate(path)))
        found = [target for target in await self._targets.targets() if target.path in wanted]
        if not found:
            raise Refused(
                tr("{path} is not among the memory files in use.", path=path),
                advice=tr("`archivist memory targets` shows those that are."),
            )
        note = self._note(tr("Stop using {path} as a memory file", path=found[0].path))
        await self._targets.disable(found[0], note=note)
        self._bus.tell(ProposalsChanged())
        return found[0]

    async def propose(self) -> Proposed:
        """Bring the proposal of every file up to date with the kept lessons and the file."""
        kept = await self._lessons.lessons(LessonState.KEPT)
        troubles: dict[str, Problem] = {}
        before = await self._proposals.proposals()
        for target in await self._targets.targets():
            try:
                await self._refresh(target, kept)
            except Problem as problem:
                troubles[target.path] = problem
        if await self._proposals.proposals() != before:
            self._bus.tell(ProposalsChanged())
        return Proposed(tuple(await self.proposals()), troubles)

    async def proposals(self) -> list[ShownProposal]:
        """Return what waits for a decision, by file."""
        found = await self._proposals.proposals()
        return [await asyncio.to_thread(_shown, p) for p in found if p.open_hunks]

    async def preview(self, proposal: int, hunks: Sequence[int]) -> str:
        """Return what the named hunks together would change, as one diff of the file.

        Raises Refused for a proposal or hunks that do not wait.
        """
        chosen = [HunkId(hunk) for hunk in dict.fromkeys(hunks)]
        found, stored = await self._writer.choose(ProposalId(proposal), chosen)
        after = await asyncio.to_thread(place, found.base, [one.hunk for one in stored])
        return await asyncio.to_thread(file_diff, found.base, after)

    async def apply(self, proposal: int, hunks: Sequence[int]) -> Applied:
        """Write the named hunks of a proposal to its file.

        Raises Refused for unknown or decided hunks and for a conflict, FileProblem when the file
        cannot be written; nothing is written then.
        """
        chosen = [HunkId(hunk) for hunk in dict.fromkeys(hunks)]
        done = await self._writer.apply(ProposalId(proposal), chosen)
        self._bus.tell(ProposalsChanged())
        return done

    async def reject(self, hunks: Sequence[int]) -> None:
        """Never propose these hunks again. Raises Refused for hunks that do not wait."""
        waiting = {h.id for p in await self._proposals.proposals() for h in p.open_hunks}
        unknown = [hunk for hunk in hunks if hunk not in waiting]
        if unknown or not hunks:
            raise Refused(
                tr("No change {hunks} is waiting.", hunks=", ".join(map(str, unknown))),
                advice=tr("`archivist memory proposals` shows the changes with their numbers."),
            )
        label = tr_n("Reject {n} proposed change", "Reject {n} proposed changes", len(hunks))
        await self._proposals.reject([HunkId(hunk) for hunk in hunks], note=self._note(label))
        self._bus.tell(ProposalsChanged())

    async def history(self, *, limit: int = _HISTORY) -> list[ShownWrite]:
        """Return what was written and taken back, newest first."""
        states = (WriteState.WRITTEN, WriteState.UNDONE)
        writes = await self._writes.writes(states, limit=limit)
        return [await asyncio.to_thread(_shown_write, write) for write in writes]

    async def undo_write(self, write: int) -> None:
        """Take a write out of its file again; hand edits stay.

        Raises Refused, with the key `memory-conflict`, when the written lines themselves were
        changed.
        """
        await self._writer.undo(WriteId(write))
        self._bus.tell(ProposalsChanged())

    async def restore(self, inverse: Mapping[str, Any]) -> None:
        """Take a command whose name begins with `memory` back."""
        match inverse:
            case {"write": int(write)}:
                await self._writer.undo(WriteId(write))
            case {"hunks": list(hunks)}:
                await self._proposals.reopen([HunkId(int(hunk)) for hunk in hunks])
            case {"target": int(target), "project": str(project), "enabled": bool(enabled)}:
                at = self._clock()
                known = TargetId(target)
                await self._targets.restore(known, project=project, enabled=enabled, at=at)
        self._bus.tell(ProposalsChanged())

    async def recover(self) -> list[Problem]:
        """Settle what a crash left of a write; once, at start. Returns what needs a look."""
        return await self._writer.recover()

    async def _refresh(self, target: Target, kept: Sequence[Lesson]) -> None:
        data = await self._files.read(Path(target.path))
        lessons = [lesson for lesson in kept if lesson.project == target.project]
        own = await self._outdated(target, lessons)
        hunks = await asyncio.to_thread(_proposed, target.path, data, lessons, own)
        await self._proposals.refresh(target.id, data, hunks, at=self._clock())

    async def _outdated(self, target: Target, lessons: Sequence[Lesson]) -> dict[LessonId, str]:
        """Return the bullets that our newest writes added for lessons with other words by now.

        A bullet that stood in the file before our write is not ours.
        """
        written = {
            lesson: bullet
            for bullet in await self._writes.bullets(target.path)
            for lesson in bullet.lessons
        }
        found: dict[LessonId, str] = {}
        for lesson in lessons:
            bullet = written.get(lesson.id)
            if bullet is not None and bullet.added != bullet_of(lesson):
                write = await self._writes.find(bullet.write)
                if write is not None and not holds(write.before, bullet.added):
                    found[lesson.id] = bullet.added
        return found

    def _note(self, label: str) -> Note:
        return Note(label, self._caller, self._clock())


def _proposed(
    path: str, data: bytes | None, lessons: Sequence[Lesson], own: Mapping[LessonId, str]
) -> tuple[Hunk, ...]:
    _check_skill(path, data)
    check_file(path, data, [])
    hunks = propose(data, lessons, own)
    check_file(path, data, [hunk.heading for hunk in hunks])
    return hunks


def _check_skill(path: str, data: bytes | None) -> None:
    """Raise Refused for a skill that is not there: we cannot write its front matter."""
    if data is None and path.endswith("SKILL.md"):
        raise Refused(
            tr("{path} does not exist.", path=path),
            advice=tr("Make the skill first: it needs a name and a description of its own."),
        )


def _shown(proposal: Proposal) -> ShownProposal:
    waiting = proposal.open_hunks
    diffs = hunk_diffs(proposal.base, [stored.hunk for stored in waiting])
    hunks = tuple(
        ShownHunk(
            id=stored.id,
            heading=stored.hunk.heading,
            removed=stored.hunk.removed,
            added=stored.hunk.added,
            diff=diff,
            lessons=stored.hunk.lessons,
            preselected=stored.hunk.preselected,
        )
        for stored, diff in zip(waiting, diffs, strict=True)
    )
    target = proposal.target
    return ShownProposal(proposal.id, target.path, target.project, hunks, proposal.made_at)


def _shown_write(write: FileWrite) -> ShownWrite:
    at = write.planned_at if write.written_at is None else write.written_at
    diff = file_diff(write.before, write.after)
    return ShownWrite(write.id, write.path, write.state, at, write.hunks, diff)
