"""The self-test of a worker: load the installed model, ask it one thing, judge the answer.

It runs inside the worker process, because that is what may die on an unsuitable processor.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from archivist.models import installed
from archivist.models.endings import WorkerKind
from archivist.models.installed import Missing, TextModel, VectorModel
from archivist.models.messages import (
    Answer,
    Complete,
    Completed,
    Encode,
    Encoded,
    Failed,
    LoadText,
    LoadVectors,
    Request,
)

_CHAT: Final = (("user", "Name three colours of the rainbow."),)
_TEXTS: Final = ("The disk of the server is full.", "服务器的磁盘已满。", "My cat likes to sleep.")


class _Engine(Protocol):
    def answer(self, request: Request) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it works, in one line."""

    passed: bool
    line: str


def run(
    kind: WorkerKind, engine: _Engine, *, clock: Callable[[], float] = time.perf_counter
) -> Verdict:
    """Test the installed model of that kind in this process."""
    model = installed.text_model() if kind is WorkerKind.TEXT else installed.vector_model()
    if isinstance(model, Missing):
        verdict = Verdict(passed=False, line=f"{model.message} {model.advice}")
    elif isinstance(model, TextModel):
        verdict = _test_text(model, engine, clock)
    else:
        verdict = _test_vectors(model, engine, clock)
    return Verdict(passed=verdict.passed, line=f"{kind}: {verdict.line}")


def _test_text(model: TextModel, engine: _Engine, clock: Callable[[], float]) -> Verdict:
    started = clock()
    loaded = engine.answer(LoadText(str(model.path), 512, 1))
    if isinstance(loaded, Failed):
        return Verdict(passed=False, line=loaded.detail)
    ready = clock()
    answer = engine.answer(Complete(_CHAT, 32))
    if not isinstance(answer, Completed) or not answer.text.strip():
        return Verdict(passed=False, line=f"{model.name} gave no answer")
    rate = answer.tokens / (clock() - ready)
    line = f"{model.name} works ({rate:.0f} tokens/s, loaded in {ready - started:.1f} s)"
    return Verdict(passed=True, line=line)


def _test_vectors(model: VectorModel, engine: _Engine, clock: Callable[[], float]) -> Verdict:
    started = clock()
    loaded = engine.answer(LoadVectors(1))
    if isinstance(loaded, Failed):
        return Verdict(passed=False, line=loaded.detail)
    ready = clock()
    answer = engine.answer(Encode(_TEXTS))
    wanted = (len(_TEXTS), model.dimension)
    if not isinstance(answer, Encoded) or (answer.count, answer.dimension) != wanted:
        return Verdict(passed=False, line=f"{model.name} gave no vectors")
    rows = np.frombuffer(answer.vectors, "<f4").reshape(wanted)
    same, other = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
    figures = f"same meaning {same:.2f}, other {other:.2f}, loaded in {ready - started:.1f} s"
    if not same > other + 0.2:
        return Verdict(passed=False, line=f"{model.name} gives senseless vectors ({figures})")
    return Verdict(passed=True, line=f"{model.name} works ({figures})")
