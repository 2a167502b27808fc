"""The stages that follow the closing of a segment: recap, its vector, events, facets, lessons.

A recap by a model is checked against the turns: what is not grounded is tried once more, then made
by rules. No stage ever reads a recap to make another one.

Rules work in a thread: on a long segment they take long enough for a window to stutter.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from archivist.domain.cues import Cues
from archivist.domain.events import Event, find_events
from archivist.domain.grounding import ungrounded
from archivist.domain.jobs import Job, Stage
from archivist.domain.knowledge import RULES, Recap
from archivist.domain.lessons import LessonDraft, SaidTurn, lessons_from
from archivist.domain.problems import ModelUnavailable
from archivist.domain.recaps import extract, limit_for
from archivist.domain.segments import Vector
from archivist.domain.transcripts import Role
from archivist.domain.turns import SegmentId, Turn, TurnId
from archivist.ports.machine import Clock
from archivist.ports.models import Encoder, Recapper
from archivist.ports.stores import Jobs, SegmentTurns
from archivist.services.archive import RunStage
from archivist.services.bus import Bus, LessonsChanged, SegmentsChanged

_log = logging.getLogger(__name__)

_ROOM: Final = (1.0, 0.6)
"""The second try gets less room: a small model invents most at the end of a long text."""


class Knowledge(Protocol):
    """Where the results of stages are written, each with the end of its job."""

    async def save_recap(self, job: Job, recap: Recap, *, at: int) -> bool:
        """Write a segment's recap; False when the job was lost."""

    async def recap(self, segment: SegmentId) -> Recap | None:
        """Return the recap of a segment."""

    async def save_vector(self, job: Job, vector: Vector, *, model: str) -> bool:
        """Write the vector of a segment's recap; False when the job was lost."""

    async def save_events(
        self, job: Job, events: Sequence[tuple[TurnId, int | None, Event]]
    ) -> int:
        """Write the events of a segment; return how many were new."""

    async def save_facets(self, job: Job) -> int:
        """Merge the segment's events into the profile; return how many were observed."""

    async def save_lessons(
        self, job: Job, drafts: Sequence[LessonDraft], *, project: str | None, at: int
    ) -> int:
        """Write lessons with their evidence; return how many are new."""


class Stages:
    """Runs one stage of one segment at a time."""

    def __init__(
        self,
        segments: SegmentTurns,
        jobs: Jobs,
        knowledge: Knowledge,
        *,
        cues: Callable[[], Cues],
        recapper: Recapper | None,
        encoder: Encoder | None,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._segments = segments
        self._jobs = jobs
        self._knowledge = knowledge
        self._cues = cues  # compiled at the first use: most commands need none
        self._recapper = recapper
        self._encoder = encoder
        self._bus = bus
        self._clock = clock

    def table(self) -> dict[Stage, RunStage]:
        """Return what runs each stage."""
        return {
            Stage.RECAP: self.recap,
            Stage.VECTOR: self.vector,
            Stage.EVENTS: self.events,
            Stage.FACETS: self._knowledge.save_facets,
            Stage.LESSONS: self.lessons,
        }

    async def recap(self, job: Job) -> int:
        """Make and store the recap; returns 1 when one was stored."""
        turns = await self._segments.turns(job.segment)
        recap = await make_recap(turns, self._recapper, self._cues)
        stored = await self._knowledge.save_recap(job, recap, at=self._clock())
        self._bus.tell(SegmentsChanged())
        return int(stored and bool(recap.text))

    async def vector(self, job: Job) -> int:
        """Store the vector of the recap; an empty recap or a missing encoder is passed over."""
        recap = await self._knowledge.recap(job.segment)
        if recap is None or not recap.text.strip():
            await self._jobs.done(job, note="nothing to encode")
            return 0
        encoder = self._encoder
        if encoder is None:
            await self._jobs.done(job, note="no encoder")
            return 0
        (vector,) = await encoder.encode([recap.text])
        model = await asyncio.to_thread(lambda: encoder.model)  # hashes the weights once
        return int(await self._knowledge.save_vector(job, vector, model=model))

    async def events(self, job: Job) -> int:
        """Find and store the events of the segment's user turns."""
        turns = await self._segments.turns(job.segment)
        found = await asyncio.to_thread(self._found_events, turns)
        return await self._knowledge.save_events(job, found)

    def _found_events(self, turns: Sequence[Turn]) -> list[tuple[TurnId, int | None, Event]]:
        times = {turn.id: turn.at for turn in turns}
        cues = self._cues()
        return [
            (TurnId(said.id), times[TurnId(said.id)], event)
            for said in said_turns(turns)
            for event in find_events(said.text, cues, proposal=said.before)
        ]

    async def lessons(self, job: Job) -> int:
        """Find and store the lessons of the segment's user turns."""
        turns = await self._segments.turns(job.segment)
        drafts = await asyncio.to_thread(self._drafts, turns)
        project = next((turn.project for turn in turns if turn.project), None)
        new = await self._knowledge.save_lessons(job, drafts, project=project, at=self._clock())
        if new:
            self._bus.tell(LessonsChanged())
        return new

    def _drafts(self, turns: Sequence[Turn]) -> Sequence[LessonDraft]:
        return lessons_from(said_turns(turns), self._cues())


def said_turns(turns: Sequence[Turn]) -> list[SaidTurn]:
    """Return the person's turns, each with the reply before it (for "yes, do that")."""
    said, before = [], ""
    for turn in turns:
        if turn.role is Role.USER:
            said.append(SaidTurn(id=turn.id, text=turn.text, before=before))
            before = ""
        elif turn.role is Role.ASSISTANT and turn.text:
            before = turn.text
    return said


async def make_recap(
    turns: Sequence[Turn], recapper: Recapper | None, cues: Callable[[], Cues]
) -> Recap:
    """Return a recap bounded by its input: the model's if it is grounded, else one by rules."""
    limit = limit_for(sum(len(turn.text) for turn in turns))
    if limit <= 0:
        return Recap("", RULES)
    if recapper is None:
        return Recap(await _by_rules(turns, limit, cues), RULES)
    note = "the model did not answer"
    try:
        for room in _ROOM:
            text = (await recapper.recap(turns, limit=int(limit * room))).strip()
            invented = await asyncio.to_thread(ungrounded, text, turns)
            if text and len(text) <= limit and not invented:
                return Recap(text, recapper.maker)
            note = "the model's recap was not grounded" if invented else "the model wrote nothing"
    except ModelUnavailable as problem:
        _log.info("recap by rules key=%s", problem.key)
    return Recap(await _by_rules(turns, limit, cues), RULES, note)


async def _by_rules(turns: Sequence[Turn], limit: int, cues: Callable[[], Cues]) -> str:
    return await asyncio.to_thread(lambda: extract(turns, limit=limit, cues=cues()))
