"""What `status` and the tray show: what was read per source, and how much there is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from archivist.domain.intake import SourceState
from archivist.domain.problems import ProblemRow
from archivist.ports.machine import Clock

_DAY_MS = 86_400_000
_WARNING_DAYS = 7
KEEPS_DAYS: Mapping[str, int] = {"claude-code": 30, "gemini-cli": 30}
"""Days after which a source deletes its own transcripts by their last change, where it does."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The counts; `at_risk` is per source how many transcripts it deletes within a week."""

    sources: Sequence[SourceState]
    at_risk: Mapping[str, int]
    counts: Mapping[str, int]
    problems: Sequence[ProblemRow]


class Counted(Protocol):
    """Where things are counted."""

    async def counts(self) -> Mapping[str, int]:
        """Return the numbers of turns, segments, lessons, those waiting, and open proposals."""

    async def unchanged_since(self, source: str, before: int) -> int:
        """Return how many transcripts of a source are on disk and last changed before a time."""


class ReadSources(Protocol):
    """Where sources are counted."""

    async def states(self) -> list[SourceState]:
        """Return the counts of each source."""


class ListedProblems(Protocol):
    """Where problems are listed."""

    async def rows(self) -> list[ProblemRow]:
        """Return the problems, newest first."""


async def overview(
    counted: Counted, sources: ReadSources, problems: ListedProblems, *, clock: Clock
) -> Overview:
    """Return the counts of now."""
    states = await sources.states()
    at_risk = {}
    for state in states:
        days = KEEPS_DAYS.get(state.source)
        if days is not None:
            before = clock() - (days - _WARNING_DAYS) * _DAY_MS
            at_risk[state.source] = await counted.unchanged_since(state.source, before)
    return Overview(states, at_risk, await counted.counts(), await problems.rows())
