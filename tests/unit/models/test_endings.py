import signal

import pytest

from archivist.models import endings
from archivist.models.endings import Cause, Restarts, WorkerKind

TEXT, VECTORS = WorkerKind.TEXT, WorkerKind.VECTORS


@pytest.mark.parametrize(
    "code, sentence, key",
    [
        (-4, "this build needs processor instructions", "model-text-instructions"),
        (0xC000001D, "this build needs processor instructions", "model-text-instructions"),
        (0xC000001D - 2**32, "this build needs", "model-text-instructions"),
        (-9, "memory ran out", "model-text-memory"),
        (0xC0000017, "memory ran out", "model-text-memory"),
        (-int(signal.SIGSEGV), "crashed", "model-text-crash"),
        (-int(signal.SIGABRT), "crashed", "model-text-crash"),
        (0xC0000005, "crashed", "model-text-crash"),
        (3, "ended by itself (exit code 3)", "model-text-exit"),
        (0, "ended by itself (exit code 0)", "model-text-exit"),
        (None, "ended by itself", "model-text-exit"),
    ],
)
def test_an_exit_code_becomes_a_sentence(code: int | None, sentence: str, key: str) -> None:
    problem = endings.stopped(TEXT, Cause.EXIT, code=code, seconds=60)
    assert sentence in problem.message
    assert problem.key == key
    assert problem.advice.startswith("Recaps go on by rules.")


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("kind", list(WorkerKind))
def test_every_cause_has_a_sentence_and_an_advice(cause: Cause, kind: WorkerKind) -> None:
    problem = endings.stopped(kind, cause, code=1, seconds=90)
    assert problem.message.endswith(".")
    assert "—" not in problem.message + problem.advice
    assert "go on by" in problem.advice or "goes on by" in problem.advice


def test_the_deadline_is_named() -> None:
    problem = endings.stopped(VECTORS, Cause.DEADLINE, code=-9, seconds=60)
    assert problem.message == ("The search model did not answer within 60 seconds and was stopped.")


def test_a_pause_names_the_minutes_and_the_last_reason() -> None:
    assert (
        "for 7 more minutes. It crashed."
        in endings.paused(TEXT, wait=420, last="It crashed.").message
    )
    assert "for 1 more minute." in endings.paused(TEXT, wait=5, last="").message


@pytest.mark.parametrize("cause", ["memory", "library", "weights", "model"])
def test_an_answer_that_it_cannot_be_done_has_a_sentence(cause: str) -> None:
    problem = endings.failed(VECTORS, cause, "the file is broken")
    assert problem.key == f"model-vectors-{cause}"
    assert problem.message.startswith("The search model ")


def test_three_restarts_in_ten_minutes_and_no_more() -> None:
    now = [0.0]
    restarts = Restarts(lambda: now[0])
    for moment in (0.0, 10.0, 20.0):
        now[0] = moment
        restarts.stopped()
        assert restarts.wait() == 0.0
    now[0] = 30.0
    restarts.stopped()
    assert restarts.wait() == 570.0
    now[0] = 599.0
    assert restarts.wait() == 1.0
    now[0] = 600.0
    assert restarts.wait() == 0.0


def test_stops_far_apart_never_pause() -> None:
    now = [0.0]
    restarts = Restarts(lambda: now[0])
    for _ in range(20):
        restarts.stopped()
        now[0] += 201.0
        assert restarts.wait() == 0.0
