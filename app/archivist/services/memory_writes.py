"""Write approved hunks to a memory file, take a write back, and settle what a crash left open.

A write is three steps: the plan is stored, the file is replaced, the record is completed. Whoever
finds a plan compares the file with it and knows whether the second step happened.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from archivist.domain.hunks import Conflict
from archivist.domain.memory_file import Unfit, blocked, fingerprint, rebase, unfit
from archivist.domain.problems import FileProblem, Problem, Refused
from archivist.domain.proposals import (
    FileWrite,
    HunkId,
    HunkState,
    Note,
    Plan,
    Proposal,
    ProposalId,
    StoredHunk,
    WriteId,
    WriteState,
)
from archivist.domain.withdrawal import withdraw
from archivist.ports.files import LockedFile, MemoryFiles
from archivist.ports.machine import Clock
from archivist.ports.proposals import OpenProposals, Writes
from archivist.texts import tr, tr_n

CONFLICT: Final = "memory-conflict"
"""The key of a refusal because a person changed the very lines that it is about."""
_TRIES: Final = 5
_UNSETTLED: Final = (WriteState.PLANNED, WriteState.UNDOING)


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written: how many hunks, and the SHA-256 of the file afterwards."""

    write: WriteId
    path: str
    written: int
    sha256: str


class MemoryWrites:
    """Writes memory files. `caller`: the program that asks, for the record."""

    def __init__(
        self,
        proposals: OpenProposals,
        writes: Writes,
        files: MemoryFiles,
        *,
        clock: Clock,
        caller: str | None = None,
    ) -> None:
        self._proposals = proposals
        self._writes = writes
        self._files = files
        self._clock = clock
        self._caller = caller

    async def apply(self, proposal: ProposalId, hunks: Sequence[HunkId]) -> Applied:
        """Write hunks to their file, into whatever the file says by now.

        Raises Refused for unknown or decided hunks and for a conflict, FileProblem when the file
        cannot be written. Nothing is written then.
        """
        path = (await self._find(proposal)).target.path
        async with self._files.locked(Path(path)) as file:
            await self._settle(path, file)
            for _ in range(_TRIES):
                done = await self._try(file, *await self.choose(proposal, hunks))
                if done is not None:
                    return done
        raise _restless(path)

    async def undo(self, write: WriteId) -> None:
        """Take a write back: the bytes from before it, or the file as it is without its lines.

        Done already is no error. Raises Refused for an unknown write and, with the key
        `memory-conflict`, when the written lines themselves were changed.
        """
        path = (await self._known(write)).path
        async with self._files.locked(Path(path)) as file:
            await self._settle(path, file)
            for _ in range(_TRIES):
                known = await self._known(write)
                if known.state is WriteState.UNDONE or await self._take_back(file, known):
                    return
        raise _restless(path)

    async def recover(self) -> list[Problem]:
        """Settle the writes that a crash interrupted; return what could not be settled."""
        open_writes = await self._writes.writes(_UNSETTLED)
        problems: list[Problem] = []
        for path in dict.fromkeys(write.path for write in open_writes):
            try:
                async with self._files.locked(Path(path)) as file:
                    problems += await self._settle(path, file)
            except Problem as problem:
                problems.append(problem)
        return problems

    async def choose(
        self, proposal: ProposalId, hunks: Sequence[HunkId]
    ) -> tuple[Proposal, list[StoredHunk]]:
        """Return an open proposal and its hunks with these numbers. Raises Refused like apply."""
        found = await self._find(proposal)
        return found, _chosen(found, hunks)

    async def _find(self, ident: ProposalId) -> Proposal:
        for proposal in await self._proposals.proposals():
            if proposal.id == ident:
                return proposal
        raise Refused(
            tr("There is no open proposal {id}.", id=ident),
            advice=tr("`archivist memory proposals` shows the proposals with their numbers."),
        )

    async def _known(self, ident: WriteId) -> FileWrite:
        write = await self._writes.find(ident)
        if write is None:
            raise Refused(
                tr("There is no write {id}.", id=ident),
                advice=tr("`archivist memory history` shows the writes with their numbers."),
            )
        return write

    async def _try(
        self, file: LockedFile, proposal: Proposal, chosen: Sequence[StoredHunk]
    ) -> Applied | None:
        """Write once; None when the file changed under our hands, and nothing was written."""
        path, before = proposal.target.path, await file.read()
        after = await asyncio.to_thread(_merged, proposal, chosen, before)
        ids = tuple(stored.id for stored in chosen)
        plan = Plan(proposal.id, path, before, after, ids)
        write = await self._writes.plan(plan, at=self._clock())
        try:
            done = after == before or await file.replace(after, expect=fingerprint(before))
        except Problem:
            with suppress(Problem):  # the plan is settled later, then
                await self._settle(path, file)
            raise
        if not done:
            await self._writes.forget(write)
            return None
        await self._writes.record_written(write, note=self._note(path, len(ids)))
        return Applied(write, path, len(ids), fingerprint(after) or "")

    async def _take_back(self, file: LockedFile, write: FileWrite) -> bool:
        """Take a write back once; False when the file changed under our hands."""
        current = await file.read()
        if fingerprint(current) != write.after_sha:
            without = await asyncio.to_thread(_without, write, current)
            if current is None or without == current:  # a person took the lines out already
                await self._writes.mark(write.id, WriteState.UNDOING)
                await self._writes.record_undone(write.id, now=current, at=self._clock())
                return True
            # Whoever finds an interrupted undo compares the file with these two.
            await self._writes.refit(write.id, before=without, after=current)
            write = replace(write, before=without, after=current)
        await self._writes.mark(write.id, WriteState.UNDOING)
        if not await self._restore(file, write):
            await self._writes.mark(write.id, WriteState.WRITTEN)
            return False
        await self._writes.record_undone(write.id, now=write.before, at=self._clock())
        return True

    async def _restore(self, file: LockedFile, write: FileWrite) -> bool:
        sha = fingerprint(write.after) or ""
        try:
            if write.before == write.after:
                return True
            if write.before is None:
                return await file.remove(expect=sha)
            return await file.replace(write.before, expect=sha)
        except Problem:
            with suppress(Problem):
                await self._settle(write.path, file)
            raise

    async def _settle(self, path: str, file: LockedFile) -> list[Problem]:
        """Complete or take back the interrupted writes of a file whose lock we hold."""
        problems: list[Problem] = []
        for write in await self._writes.writes(_UNSETTLED, path=path):
            sha = fingerprint(await file.read())
            match write.state, sha == write.after_sha, sha == write.before_sha:
                case WriteState.PLANNED, True, _:
                    note = self._note(path, len(write.hunks))
                    await self._writes.record_written(write.id, note=note)
                case WriteState.PLANNED, _, True:
                    await self._writes.forget(write.id)
                case WriteState.UNDOING, _, True:
                    now = write.before
                    await self._writes.record_undone(write.id, now=now, at=self._clock())
                case WriteState.UNDOING, _, _:  # edited by hand since: a new undo looks again
                    await self._writes.mark(write.id, WriteState.WRITTEN)
                case _:
                    problems.append(_interrupted(write))
        return problems

    def _note(self, path: str, count: int) -> Note:
        label = tr_n("Write {n} change to {path}", "Write {n} changes to {path}", count, path=path)
        return Note(label, self._caller, self._clock())


def check_file(path: str, data: bytes | None, titles: Sequence[str]) -> None:
    """Raise Refused where bullets cannot be added to a file under these headings."""
    match unfit(data):
        case Unfit.NOT_TEXT:
            raise Refused(
                tr("{path} is not UTF-8 text.", path=path),
                advice=tr("Save it as UTF-8 in an editor, then try again."),
            )
        case Unfit.TOO_LARGE:
            raise Refused(
                tr("{path} is larger than a memory file can be.", path=path),
                advice=tr("Shorten it to less than one megabyte."),
            )
        case None:
            pass
    line = blocked(data, titles)
    if line is not None:
        raise Refused(
            tr("{path} ends inside a block that begins in line {line}.", path=path, line=line),
            advice=tr("Close that code block or comment in an editor, then try again."),
        )


def _merged(proposal: Proposal, chosen: Sequence[StoredHunk], current: bytes | None) -> bytes:
    """Return the file as it is now with the chosen hunks in it."""
    path, hunks = proposal.target.path, [stored.hunk for stored in chosen]
    again = tr("`archivist memory propose` makes the changes anew from the file as it is now.")
    if current is None and proposal.base is not None:
        raise Refused(tr("{path} was deleted after this was proposed.", path=path), advice=again)
    check_file(path, current, [hunk.heading for hunk in hunks])
    result = rebase(proposal.base, current, hunks)
    if isinstance(result, Conflict):
        raise Refused(
            tr(
                "{path} was changed in the same place, near line {lines}, after this was proposed.",
                path=path,
                lines=_numbers(result),
            ),
            advice=again,
            key=CONFLICT,
        )
    return result


def _chosen(proposal: Proposal, ids: Sequence[HunkId]) -> list[StoredHunk]:
    """Return the hunks with these numbers, in the order of the proposal."""
    known = {stored.id: stored for stored in proposal.hunks}
    unknown = [ident for ident in ids if ident not in known]
    if unknown or not ids:
        raise Refused(
            tr("Proposal {id} has no change {hunks}.", id=proposal.id, hunks=_listed(unknown))
            if unknown
            else tr("No change was chosen."),
            advice=tr("`archivist memory proposals` shows the changes with their numbers."),
        )
    decided = [ident for ident in ids if known[ident].state is not HunkState.OPEN]
    if decided:
        raise Refused(
            tr("Already written or rejected: {hunks}.", hunks=_listed(decided)),
            advice=tr("`archivist memory proposals` shows the changes that wait."),
        )
    return [stored for stored in proposal.hunks if stored.id in set(ids)]


def _listed(ids: Sequence[HunkId]) -> str:
    return ", ".join(str(ident) for ident in ids)


def _without(write: FileWrite, current: bytes | None) -> bytes | None:
    """Return an edited file without what a write did to it, None when nothing is left of it."""
    if current is None:
        return None
    result = withdraw(write.before, write.after, current)
    if isinstance(result, Conflict):
        raise Refused(
            tr(
                "The lines that this wrote to {path}, near line {lines}, were changed since.",
                path=write.path,
                lines=_numbers(result),
            ),
            advice=tr(
                "Edit the file by hand; `archivist undo --skip` then passes this write over."
            ),
            key=CONFLICT,
        )
    was_ours_alone = write.before is None and not result.strip() and current.strip()
    return None if was_ours_alone else result


def _numbers(conflict: Conflict) -> str:
    return ", ".join(str(clash.line + 1) for clash in conflict.clashes)


def _restless(path: str) -> FileProblem:
    return FileProblem(
        tr("{path} is being changed by another program all the time.", path=path),
        advice=tr("Close it there, then try again; nothing was written."),
    )


def _interrupted(write: FileWrite) -> Problem:
    return FileProblem(
        tr("Writing {path} was interrupted, and the file has changed since.", path=write.path),
        advice=tr("Look at the file; `archivist memory history` has it from before the write."),
        key=f"memory-write-{write.id}",
    )
