"""The list of problems as this process knows it: what could not be written is kept in memory.

On a full disk, or with the archive deleted under us, a problem cannot be stored; lost, it would
leave the person with a list that says that all is well.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from archivist.domain.problems import Problem, ProblemRow
from archivist.domain.waiting import Waiting
from archivist.ports.machine import Clock
from archivist.ports.stores import Problems
from archivist.services.bus import Bus, ProblemsChanged

_log = logging.getLogger(__name__)

MOST_KEPT: Final = 50
"""Each is of another kind; more of them at once would help nobody."""

_OF_THE_ARCHIVE: Final = ("disk-full", "database-locked", "database-read-only", "database-gone")
"""What is over as soon as the archive can be written again."""


class ProblemList:
    """Stores problems, and keeps those that could not be. `unwritten` is told why, or None."""

    def __init__(
        self,
        stored: Problems,
        *,
        unwritten: Callable[[Problem | None], None],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._stored = stored
        self._bus = bus
        self._clock = clock
        self._unwritten = unwritten
        self._kept: dict[str, ProblemRow] = {}
        self._may_list_faults = True  # an earlier run may have left them

    async def add(self, problem: Problem, *, at: int) -> None:
        """Note a problem, or count it again; never raises Problem."""
        self._may_list_faults |= problem.key in _OF_THE_ARCHIVE
        try:
            await self._stored.add(problem, at=at)
        except Problem as why:
            _log.error("problem kept in memory problem=%s key=%s", problem.key, why.key)
            self._keep(problem, at)
            if why.key != problem.key:
                self._keep(why, at)
            self._unwritten(why)

    async def rows(self) -> list[ProblemRow]:
        """Return the problems, newest first."""
        try:
            rows = {row.key: row for row in await self._stored.rows()}
        except Problem:
            if not self._kept:
                raise
            rows = {}
        for key, kept in self._kept.items():
            rows[key] = _joined(rows[key], kept) if key in rows else kept
        return sorted(rows.values(), key=lambda row: row.last_at, reverse=True)

    async def settle(self, prefix: str, problems: Sequence[Problem], *, at: int) -> None:
        """Make the problems whose key begins so just these: the others are mended."""
        await self._stored.settle(prefix, problems, at=at)

    async def clear(self, key: str) -> bool:
        """Take a problem off the list; False when it is not there."""
        was_kept = self._kept.pop(key, None) is not None
        try:
            return await self._stored.clear(key) or was_kept
        except Problem:
            if not was_kept:
                raise
            return True

    async def count(self, waiting: Callable[[], Awaitable[Waiting]]) -> Waiting:
        """Return how much waits, with the problems that are in memory only."""
        found = await waiting()
        if not self._kept:
            return found
        return replace(found, problems=len(await self.rows()))

    async def catch_up(self, *, works: bool) -> None:
        """Write what was kept, now that the archive may be written again.

        `works`: nothing else fails, so that the faults of the archive are over, and leave the list.
        """
        if not self._kept and not (works and self._may_list_faults):
            return
        try:
            await self._write_kept()
            if works:
                await self._settle_faults()
        except Problem as why:
            self._unwritten(why)
            return
        self._unwritten(None)
        self._bus.tell(ProblemsChanged())

    async def _write_kept(self) -> None:
        for row in list(self._kept.values()):
            problem = Problem(row.message, advice=row.advice, key=row.key)
            await self._stored.add(problem, at=row.last_at)
            self._kept.pop(row.key, None)

    async def _settle_faults(self) -> None:
        for key in _OF_THE_ARCHIVE:
            await self._stored.settle(key, (), at=self._clock())
        self._may_list_faults = False

    def _keep(self, problem: Problem, at: int) -> None:
        known = self._kept.get(problem.key)
        if known is None and len(self._kept) >= MOST_KEPT:
            return
        row = ProblemRow(problem.key, problem.message, problem.advice, 1, at, at)
        self._kept[problem.key] = row if known is None else _joined(known, row)


def _joined(older: ProblemRow, newer: ProblemRow) -> ProblemRow:
    return replace(
        newer,
        count=older.count + newer.count,
        first_at=min(older.first_at, newer.first_at),
        last_at=max(older.last_at, newer.last_at),
    )
