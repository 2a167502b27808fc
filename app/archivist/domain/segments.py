"""Cut the exchanges of a session into segments, each cut with its reason.

Pure: no clock, no storage. Checks run from cheap to dear; the first hit wins, so a vector is only
asked for when no cheap check has cut. Times are UTC milliseconds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias

from archivist.domain.turns import Exchange, SegmentId, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
else:
    Vector = object  # numpy takes a third of the start: it is loaded with the first vector

_MIN_NORM: Final = 1e-9
_MIN_LETTERS: Final = 24
"""Shorter user turns ("yes", "go on") say nothing about the topic, whatever their vector is."""

_ASKED: Final = 1_000
_REPLIED: Final = 600
_REPLY: Final = 300


class CloseReason(StrEnum):
    """Why a segment ended; the value is stored and shown."""

    COUNT = "count"
    GAP = "gap"
    MARKER = "marker"
    PROJECT = "project"
    DRIFT = "drift"
    IDLE = "idle"
    END = "end"
    EXIT = "exit"
    SWEEP = "sweep"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class CutRules:
    """The limits: exchanges a segment, milliseconds between a reply and the next prompt, cosine."""

    max_exchanges: int = 20
    max_gap: int = 600_000
    min_cosine: float = 0.4


@dataclass(frozen=True, slots=True)
class Centroid:
    """The running mean of the vectors of a segment's exchanges."""

    mean: Vector
    count: int


@dataclass(frozen=True, slots=True)
class SegmentSoFar:
    """What is known of the open segment; `ended` is the end of the last reply."""

    exchanges: int = 0
    project: str | None = None
    ended: int | None = None
    centroid: Centroid | None = None


@dataclass(frozen=True, slots=True)
class OpenSegment:
    """The open segment of a session."""

    id: SegmentId
    so_far: SegmentSoFar


@dataclass(frozen=True, slots=True)
class Filing:
    """Turns that go into one segment, and how the segment looks after them.

    `reason` is why the segment ends with them, None while it stays open. `is_new`: not stored yet.
    """

    segment: SegmentId
    is_new: bool
    turns: tuple[Turn, ...]
    so_far: SegmentSoFar
    reason: CloseReason | None


def cheap_cut(
    segment: SegmentSoFar,
    following: Exchange,
    rules: CutRules,
    *,
    opens_topic: Callable[[str], bool],
) -> CloseReason | None:
    """Return why a new segment starts at `following`, by the checks that need no vector."""
    if segment.exchanges >= rules.max_exchanges:
        return CloseReason.COUNT
    if _gap(segment.ended, following.started) > rules.max_gap:
        return CloseReason.GAP
    if opens_topic(following.opening.text):
        return CloseReason.MARKER
    here = following.opening.project
    if segment.project is not None and here is not None and here != segment.project:
        return CloseReason.PROJECT
    return None


def _gap(ended: int | None, started: int | None) -> int:
    """Milliseconds of silence; a clock that went back counts as none."""
    return 0 if ended is None or started is None else max(0, started - ended)


def topic_text(exchange: Exchange) -> str:
    """Return what the vector of an exchange stands for: the prompt and the heads of its replies.

    A prompt alone is often too short to tell its topic: with the replies the same threshold finds
    about as many of the real changes and cuts half as often where there is none.
    """
    replies = "\n".join(turn.text[:_REPLY] for turn in exchange.turns[1:])
    return f"{exchange.opening.text[:_ASKED]}\n{replies[:_REPLIED]}".strip()


def tells_topic(text: str) -> bool:
    """Whether a user turn is long enough for its vector to mean something (CJK weighs more)."""
    weights = (3 if ord(char) > 0x2E7F else 1 for char in text if char.isalnum())
    return any(weight >= _MIN_LETTERS for weight in accumulate(weights))


def drifts(centroid: Centroid | None, vector: Vector, rules: CutRules) -> bool:
    """Whether a vector is too far from what the segment was about (strictly below)."""
    return centroid is not None and cosine(centroid.mean, vector) < rules.min_cosine


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine in [-1, 1]; a vector of no length is like everything (1), not unlike it."""
    norms = math.sqrt(float(one @ one) * float(other @ other))
    if one.shape != other.shape or norms < _MIN_NORM:
        return 1.0
    return max(-1.0, min(1.0, float(one @ other) / norms))


def fold(centroid: Centroid | None, vector: Vector) -> Centroid:
    """Add a vector to the running mean; a vector of another length starts a new one."""
    if centroid is None or centroid.mean.shape != vector.shape:
        return Centroid(vector.astype("f4"), 1)
    count = centroid.count + 1
    return Centroid(
        centroid.mean + (vector - centroid.mean) / centroid.mean.dtype.type(count), count
    )


def vector_of(data: bytes) -> Vector:
    """Return the vector that was written as little-endian float32."""
    import numpy as np  # noqa: PLC0415 - start-up time, see `Vector`

    return np.frombuffer(data, "<f4").astype("f4")


def grown(segment: SegmentSoFar, exchange: Exchange, vector: Vector | None) -> SegmentSoFar:
    """Return the segment with one more exchange in it."""
    opening = exchange.opening
    return replace(
        segment,
        exchanges=segment.exchanges + 1,
        project=segment.project or opening.project,
        ended=exchange.ended if exchange.ended is not None else segment.ended,
        centroid=segment.centroid if vector is None else fold(segment.centroid, vector),
    )
