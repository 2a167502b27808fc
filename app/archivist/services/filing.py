"""Cut the turns of sessions into segments: which segment each turn goes into, and why one ends."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

from archivist.domain.problems import ModelUnavailable
from archivist.domain.segments import (
    CloseReason,
    CutRules,
    Filing,
    OpenSegment,
    SegmentSoFar,
    Vector,
    cheap_cut,
    drifts,
    grown,
    tells_topic,
    topic_text,
)
from archivist.domain.transcripts import Role
from archivist.domain.turns import Exchange, SegmentId, SessionId, Turn, exchanges
from archivist.ports.machine import Clock
from archivist.ports.models import Encoder
from archivist.ports.stores import Filings
from archivist.services.bus import Bus, SegmentsChanged

_log = logging.getLogger(__name__)

_PAGE: Final = 300
_RETRIES: Final = 5
_SETTLED_MS: Final = 120_000
"""An exchange is over when the next prompt has come, or when it was quiet for so long."""

_MOST_AT_EXIT: Final = 200
"""Turns of one session that are filed while the program ends; more is the next start's work."""

_SKEW_MS: Final = 60_000
"""A time so far ahead is that of a wrong clock, and tells nothing of how long it was quiet."""


def _nobody() -> None:
    """Nobody wants to hear of the work."""


@dataclass(slots=True)
class _Plan:
    """Filings of one session that are being made up."""

    current: OpenSegment | None
    encoder: Encoder | None
    filings: list[Filing] = field(default_factory=list)
    is_new: bool = False
    turns: list[Turn] = field(default_factory=list)


@dataclass(slots=True)
class _Filed:
    """What was done so far: turns that came into segments, and segments that were closed."""

    turns: int = 0
    closed: int = 0


class Filer:
    """Cuts the turns of sessions into segments."""

    def __init__(
        self,
        store: Filings,
        encoder: Encoder | None,
        *,
        rules: CutRules,
        opens_topic: Callable[[str], bool],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._store = store
        self._encoder = encoder
        self._rules = rules
        self._opens_topic = opens_topic
        self._bus = bus
        self._clock = clock

    async def file_all(self, *, at_exit: bool = False, busy: Callable[[], None] = _nobody) -> int:
        """Put the turns that are in no segment into one; return how many segments were closed.

        The last exchange of a session waits until it is over, unless this is the exit: then no
        encoder is started any more, and a session with much to file is left to the next start.
        `busy` is called before each piece of work.
        """
        filed = _Filed()
        try:
            for session in await self._store.unfiled_sessions():
                await self._file_session(session, filed, at_exit=at_exit, busy=busy)
        finally:
            # Also what a cancelled round has done, and what has only made a segment longer.
            if filed.turns:
                self._bus.tell(SegmentsChanged())
        return filed.closed

    async def _file_session(
        self, session: SessionId, filed: _Filed, *, at_exit: bool, busy: Callable[[], None]
    ) -> None:
        """File the turns of one session; another process at the same session is no error."""
        missed = 0
        while missed < _RETRIES:
            turns = await self._store.unfiled(session, limit=_MOST_AT_EXIT if at_exit else _PAGE)
            is_over = at_exit or await self._store.is_whole(session)
            ready = list(exchanges(turns)) if is_over else self._over(turns)
            if not ready or (at_exit and len(turns) == _MOST_AT_EXIT):
                return
            busy()
            encoder = None if at_exit else self._encoder
            plan = _Plan(await self._store.open_segment(session), encoder)
            for exchange in ready:
                await self._place(plan, exchange)
            _flush(plan, None)
            if await self._store.file(session, plan.filings, at=self._clock()):
                filed.turns += sum(len(filing.turns) for filing in plan.filings)
                filed.closed += sum(filing.reason is not None for filing in plan.filings)
            else:
                missed += 1
        _log.info("session is filed by another process session=%d", session)

    def _over(self, turns: Sequence[Turn]) -> list[Exchange]:
        """Return the exchanges that are over; the last one only if nothing more is to come."""
        found = list(exchanges(turns))
        if not found:
            return []
        ended = found[-1].ended
        now = self._clock()
        is_quiet = ended is None or now - ended > _SETTLED_MS or ended > now + _SKEW_MS
        is_cut = len(turns) == _PAGE and len(found) > 1
        return found if is_quiet and not is_cut else found[:-1]

    async def _place(self, plan: _Plan, exchange: Exchange) -> None:
        """Put one exchange into the open segment, or cut before it."""
        if plan.current is not None and exchange.opening.role is Role.ASSISTANT:
            after = _lengthened(plan.current.so_far, exchange)
            plan.current = OpenSegment(plan.current.id, after)
            plan.turns += exchange.turns
            return
        reason, vector = None, None
        if plan.current is not None:
            reason, vector = await self._cut(plan.current.so_far, exchange, plan.encoder)
        elif tells_topic(exchange.opening.text):
            vector = await self._vector(exchange, plan.encoder)
        if reason is not None:
            _flush(plan, reason)
        if plan.current is None:
            plan.current = OpenSegment(SegmentId(f"seg-{uuid4()}"), SegmentSoFar())
            plan.is_new = True
        plan.current = OpenSegment(plan.current.id, grown(plan.current.so_far, exchange, vector))
        plan.turns += exchange.turns

    async def _cut(
        self, so_far: SegmentSoFar, exchange: Exchange, encoder: Encoder | None
    ) -> tuple[CloseReason | None, Vector | None]:
        """Check from cheap to dear; no vector is computed when a cheap check has cut."""
        reason = await asyncio.to_thread(  # the cues over a long prompt take a while
            cheap_cut, so_far, exchange, self._rules, opens_topic=self._opens_topic
        )
        if reason is not None or not tells_topic(exchange.opening.text):
            return reason, None
        vector = await self._vector(exchange, encoder)
        if vector is not None and drifts(so_far.centroid, vector, self._rules):
            return CloseReason.DRIFT, vector
        return None, vector

    async def _vector(self, exchange: Exchange, encoder: Encoder | None) -> Vector | None:
        """Return the vector of an exchange, None when drift is off or no encoder answers."""
        if encoder is None or self._rules.min_cosine <= 0:
            return None
        try:
            return (await encoder.encode([topic_text(exchange)]))[0]
        except ModelUnavailable as problem:
            _log.info("no vector for drift key=%s", problem.key)
            return None


def _lengthened(so_far: SegmentSoFar, exchange: Exchange) -> SegmentSoFar:
    """Turns that go on answering the last prompt lengthen the segment without counting again."""
    after = grown(so_far, exchange, None)
    return SegmentSoFar(so_far.exchanges, after.project, after.ended, so_far.centroid)


def _flush(plan: _Plan, reason: CloseReason | None) -> None:
    """End the filing that is being made up; with a reason the segment is closed too."""
    if plan.current is not None and (plan.turns or reason is not None):
        current = plan.current
        filing = Filing(current.id, plan.is_new, tuple(plan.turns), current.so_far, reason)
        plan.filings.append(filing)
    if reason is not None:
        plan.current = None
    plan.turns, plan.is_new = [], False
