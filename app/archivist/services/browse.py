"""Read segments, their turns, and the list of problems."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from archivist.domain.cues import Cues
from archivist.domain.knowledge import EventRow, FacetRow, SegmentRow
from archivist.domain.problems import Problem, ProblemRow, Refused
from archivist.domain.refusals import Refusal, refusals
from archivist.domain.turns import SegmentId, Turn
from archivist.ports.machine import Clock
from archivist.ports.stores import Problems, SegmentTurns
from archivist.services.bus import Bus, ProblemsChanged
from archivist.texts import tr


class ListedSegments(Protocol):
    """Where segments are listed."""

    async def segments(
        self, segment: SegmentId | None = None, *, maker: str | None = None
    ) -> list[SegmentRow]:
        """Return the segments, oldest first; one, or those whose recap has that maker."""

    async def events(self, segment: SegmentId | None = None) -> list[EventRow]:
        """Return the events of a segment, or all, in the order they were said."""

    async def facets(self) -> list[FacetRow]:
        """Return the profile: what is held, by project and kind."""

    async def projects(self) -> list[str]:
        """Return the projects that turns belong to."""

    async def prompts(self, *, limit: int) -> list[str]:
        """Return the texts of the newest user turns, oldest first."""

    async def redactions(self) -> dict[str, int]:
        """Return how many turns had a secret of each kind taken out."""


class Places(Protocol):
    """Where recorded folders are on this machine."""

    def here(self, recorded: str) -> Path | None:
        """Return the place of a recorded path on this machine, None when it is not there."""


class Browse:
    """Read-only questions, and the list of problems."""

    def __init__(
        self,
        segments: ListedSegments,
        turns: SegmentTurns,
        problems: Problems,
        *,
        places: Places,
        cues: Callable[[], Cues],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._segments = segments
        self._turns = turns
        self._problems = problems
        self._places = places
        self._cues = cues
        self._bus = bus
        self._clock = clock

    async def segments(self, *, maker: str | None = None) -> list[SegmentRow]:
        """Return the segments, oldest first."""
        return await self._segments.segments(maker=maker)

    async def segment(self, segment: SegmentId) -> tuple[SegmentRow, Sequence[Turn]]:
        """Return a segment and its turns. Raises Refused for an unknown id."""
        rows = await self._segments.segments(segment)
        if not rows:
            raise Refused(
                tr("There is no segment {id}.", id=segment),
                advice=tr("`archivist segments list` shows them all."),
            )
        return rows[0], await self._turns.turns(segment)

    async def events(self, segment: SegmentId | None = None) -> list[EventRow]:
        """Return the events of a segment, or all. Raises Refused for an unknown segment."""
        if segment is not None:
            await self.segment(segment)
        return await self._segments.events(segment)

    async def facets(self) -> list[FacetRow]:
        """Return the profile: what is held, by project and kind."""
        return await self._segments.facets()

    async def project_at(self, folder: Path) -> str:
        """Return the project whose folder this is, by its recorded name; "" when none is known."""
        return await asyncio.to_thread(_at, folder, await self._segments.projects(), self._places)

    async def redactions(self) -> dict[str, int]:
        """Return how many turns had a secret of each kind taken out."""
        return await self._segments.redactions()

    async def refusals(self, *, limit: int = 500) -> list[Refusal]:
        """Return what looks like a lesson in the newest prompts and is none, with the reason."""
        prompts = await self._segments.prompts(limit=limit)
        return await asyncio.to_thread(_refused, prompts, self._cues())

    async def problems(self) -> list[ProblemRow]:
        """Return what went wrong, newest first."""
        return await self._problems.rows()

    async def report(self, problem: Problem) -> None:
        """Put a problem on the list."""
        await self._problems.add(problem, at=self._clock())
        self._bus.tell(ProblemsChanged())

    async def settle(self, prefix: str, problems: Sequence[Problem]) -> None:
        """Make the problems whose key begins so just these: the others are mended."""
        await self._problems.settle(prefix, problems, at=self._clock())

    async def clear(self, key: str) -> None:
        """Take a problem off the list. Raises Refused when it is not there."""
        if not await self._problems.clear(key):
            raise Refused(
                tr("There is no problem {key}.", key=key),
                advice=tr("`archivist problems list` shows them all."),
            )
        self._bus.tell(ProblemsChanged())


def _at(folder: Path, projects: Sequence[str], places: Places) -> str:
    wanted = folder.resolve()
    for project in projects:
        place = places.here(project)
        if place is not None and place.resolve() == wanted:
            return project
    return ""


def _refused(prompts: Sequence[str], cues: Cues) -> list[Refusal]:
    return [refusal for prompt in prompts for refusal in refusals(prompt, cues)]
