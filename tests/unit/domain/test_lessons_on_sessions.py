"""The rules on real assistant sessions: the bars of the project, where the data is at hand."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helpers.shared import ROOT, shared_folder, why_missing

SHARED = shared_folder()

pytestmark = pytest.mark.skipif(SHARED is None, reason=why_missing("data/sessions"))


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def gold() -> dict[str, Any]:
    assert SHARED is not None
    data = (SHARED / "data/sessions/dev.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(data)
    return parsed


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return module(ROOT / "tests/bench/lessons.py")


def test_the_bars_are_reached(gold: dict[str, Any], bench: ModuleType) -> None:
    rules = bench.measure(gold["sessions"])["rules"]
    assert rules["precision"] >= 0.50
    assert rules["recall"] >= 0.35
    assert rules["traps"] <= 0.08


def test_the_benchmark_counts_as_the_scorer_of_the_data_does(
    gold: dict[str, Any], bench: ModuleType
) -> None:
    assert SHARED is not None
    scorer = module(SHARED / "bench/score_sessions.py")
    predicted = {
        session["id"]: {
            "lessons": [
                {"turn": draft.turn, "quote": draft.quote, "kind": draft.kind.value}
                for draft in bench.propose(session)
            ]
        }
        for session in gold["sessions"]
    }
    theirs = scorer.score(gold, predicted)[0]
    ours = bench.measure(gold["sessions"])["rules"]
    for group, figures in [("TOTAL", ours), *ours["by_lang"].items()]:
        for mine, his in [("precision", "precision"), ("recall", "recall"), ("traps", "traps_hit")]:
            assert figures[mine] == pytest.approx(theirs[group][his], abs=1e-4), (group, mine)
        assert figures["kind"] == pytest.approx(theirs[group]["kind"], abs=1e-4)


def test_every_quote_is_exact(gold: dict[str, Any], bench: ModuleType) -> None:
    for session in gold["sessions"]:
        texts = {turn["i"]: turn["text"] for turn in session["turns"] if turn["role"] == "user"}
        for draft in bench.propose(session):
            assert draft.quote in texts[draft.turn]
