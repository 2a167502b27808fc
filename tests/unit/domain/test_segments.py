from collections.abc import Callable

import numpy as np
import pytest

from archivist.domain.segments import (
    Centroid,
    CloseReason,
    CutRules,
    SegmentSoFar,
    cheap_cut,
    cosine,
    drifts,
    fold,
    grown,
    tells_topic,
)
from archivist.domain.transcripts import Role
from archivist.domain.turns import Exchange, SessionId, Turn, TurnId, exchanges, failed_tools_line

RULES = CutRules()
SECOND = 1_000


def never(_text: str) -> bool:
    return False


def always(_text: str) -> bool:
    return True


def asked(text: str = "hello", *, at: int | None = 0, project: str | None = None) -> Exchange:
    turn = Turn(TurnId(1), SessionId(1), 1, Role.USER, text, at=at, project=project)
    return Exchange((turn,))


@pytest.mark.parametrize(
    "so_far, following, opens, reason",
    [
        (SegmentSoFar(19), asked(), never, None),
        (SegmentSoFar(20), asked(), never, CloseReason.COUNT),
        (SegmentSoFar(1, ended=0), asked(at=600 * SECOND), never, None),
        (SegmentSoFar(1, ended=0), asked(at=600 * SECOND + 1), never, CloseReason.GAP),
        (SegmentSoFar(1, ended=900 * SECOND), asked(at=0), never, None),
        (SegmentSoFar(1, ended=None), asked(at=10**12), never, None),
        (SegmentSoFar(1), asked(), always, CloseReason.MARKER),
        (SegmentSoFar(1, project="/a"), asked(project="/b"), never, CloseReason.PROJECT),
        (SegmentSoFar(1, project="/a"), asked(project="/a"), never, None),
        (SegmentSoFar(1, project=None), asked(project="/a"), never, None),
        (SegmentSoFar(1, project="/a"), asked(project=None), never, None),
        (SegmentSoFar(20, project="/a", ended=0), asked(at=10**9, project="/b"), always,
         CloseReason.COUNT),
    ],
)  # fmt: skip
def test_cheap_checks_in_their_order(
    so_far: SegmentSoFar,
    following: Exchange,
    opens: Callable[[str], bool],
    reason: CloseReason | None,
) -> None:
    assert cheap_cut(so_far, following, RULES, opens_topic=opens) == reason


def test_drift_is_strictly_below_the_threshold_of_the_centroid() -> None:
    centroid = Centroid(np.array([1, 0, 0], np.float32), 3)
    assert not drifts(centroid, np.array([0.9, 0.1, 0], np.float32), RULES)
    assert drifts(centroid, np.array([0, 1, 0], np.float32), RULES)
    assert not drifts(None, np.array([0, 1, 0], np.float32), RULES)


def test_the_centroid_is_the_running_mean() -> None:
    first = fold(None, np.array([1, 0], np.float32))
    second = fold(first, np.array([0, 1], np.float32))
    assert second.mean.tolist() == [0.5, 0.5]
    assert second.count == 2
    assert fold(second, np.array([1, 1, 1], np.float32)).count == 1


def test_a_vector_without_length_never_forces_a_cut() -> None:
    one = np.array([1, 0], np.float32)
    assert cosine(one, np.zeros(2, np.float32)) == 1.0
    assert cosine(one, np.array([-2, 0], np.float32)) == -1.0


@pytest.mark.parametrize("text", ["yes", "ok", "no", "sure", "thanks", "great", "好的", "はい"])
def test_one_word_replies_tell_no_topic(text: str) -> None:
    assert not tells_topic(text)


@pytest.mark.parametrize("text", ["how do I index a column in Postgres?", "数据库的索引要怎么建"])
def test_a_sentence_tells_its_topic(text: str) -> None:
    assert tells_topic(text)


def test_exchanges_begin_with_whoever_asks() -> None:
    roles = [Role.ASSISTANT, Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.USER, Role.TASK]
    turns = [Turn(TurnId(n), SessionId(1), n, role, "") for n, role in enumerate(roles)]
    groups = [[turn.id for turn in exchange.turns] for exchange in exchanges(turns)]
    assert groups == [[0], [1, 2, 3], [4], [5]]


def test_the_end_of_an_exchange_is_the_last_thing_that_happened_in_it() -> None:
    user = Turn(TurnId(1), SessionId(1), 1, Role.USER, "go", at=10)
    reply = Turn(TurnId(2), SessionId(1), 2, Role.ASSISTANT, "on it", at=20, until=900)
    assert Exchange((user, reply)).ended == 900
    assert Exchange((user,)).ended == 10
    assert grown(SegmentSoFar(), Exchange((user, reply)), None).ended == 900


def test_the_line_about_failed_tools_keeps_order_and_repeats() -> None:
    assert failed_tools_line(["a", "b", "a"]) == "Tools that failed in this turn: a, b, a"
    assert failed_tools_line([]) is None
