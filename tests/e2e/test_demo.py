"""The demo as a person runs it, and its lessons against the lists of its own README."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from helpers.program import Program, environment
from helpers.shared import ROOT

pytestmark = pytest.mark.long

README = (ROOT / "resources" / "demo" / "README.md").read_text(encoding="utf-8")
LEAST_FOUND = 0.9


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of one of the README's lists, and the sessions in which it stands."""

    part: str
    kind: str
    sessions: frozenset[str]
    quote: str


@dataclass(frozen=True, slots=True)
class Ran:
    """What the demo answered, and the profile that it left."""

    value: Mapping[str, Any]
    program: Program


def claims() -> Iterator[Claim]:
    ids = {
        name: path.removesuffix(".jsonl")[-36:]
        for name, path in re.findall(r"^\| (\S+) \| `(\S+)` \|", README, re.MULTILINE)
    }
    part = ""
    for line in README.splitlines():
        if line.startswith("## "):
            part = line[3:]
        elif found := re.fullmatch(r'- ([a-z -]+) \| ([\w, -]+) \| "(.*)"(?: \| [^"]*)?', line):
            names = found[2].split(", ")
            yield Claim(part, found[1], frozenset(ids[name] for name in names), found[3])


CLAIMS = list(claims())
WANTED = [claim for claim in CLAIMS if claim.part == "What should become a lesson"]
UNWANTED = [claim for claim in CLAIMS if claim.part == "What must not become a lesson"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "archivist", "demo", "--json", "--keep", str(folder)]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return Ran(json.loads(done.stdout), Program(folder / "profile", folder / "home"))


@pytest.fixture(scope="module")
def evidence(ran: Ran) -> list[tuple[str, int, str, str]]:
    """Each quote under a lesson: its session, its turn, the quote, the text of the turn."""
    with closing(sqlite3.connect(ran.program.profile / "archive.db")) as connection:
        texts = dict(connection.execute("select id, text from episode"))
    return [
        (item["session"], item["turn"], item["quote"], texts[item["turn"]])
        for lesson in ran.program.ask("lessons", "list")
        for item in lesson["evidence"]
    ]


def overlap(text: str, one: str, other: str) -> bool:
    first, second = text.find(one), text.find(other)
    if first < 0 or second < 0:
        return False
    return first < second + len(other) and second < first + len(one)


def test_the_figures(ran: Ran) -> None:
    value = ran.value
    assert value["second_import"] == 0
    assert value["undone"] is True
    assert set(value["redacted"]) == {"github token", "aws key id", "api key", "password"}
    assert value["new_turns"] > 250
    assert {"gap", "marker", "project", "idle"} <= value["reasons"].keys()
    assert set(value["makers"]) == {"rules"}
    assert set(value["by_lang"]) == {"en", "de", "zh", "ja"}
    assert 0 < value["written"] <= value["hunks"]
    assert value["refused"] > 5


def test_the_sample_is_made_by_the_small_model_where_there_is_one(ran: Ran) -> None:
    sample = ran.value["sample"]
    models = {model["role"]: model for model in ran.program.ask("models", "list")}
    if not models["text"]["name"]:
        assert sample is None
        pytest.skip("no text model is installed")
    assert sample["rules"]
    assert sample["text"]
    assert sample["maker"] == "rules" if sample["note"] else sample["maker"] != "rules"


def test_the_readme_lists_both_kinds_in_each_language() -> None:
    assert len(WANTED) > 40
    assert len(UNWANTED) > 40


def test_what_should_become_a_lesson_does(evidence: list[tuple[str, int, str, str]]) -> None:
    missed = [
        claim
        for claim in WANTED
        if not any(
            session in claim.sessions and overlap(text, quote, claim.quote)
            for session, _, quote, text in evidence
        )
    ]
    for claim in missed:
        sys.stdout.write(f"missed: {claim.kind}: {claim.quote}\n")
    assert len(missed) <= (1 - LEAST_FOUND) * len(WANTED)


@pytest.mark.parametrize(
    "claim",
    [claim for claim in UNWANTED if claim.kind != "revoked"],
    ids=lambda claim: f"{claim.kind}-{claim.quote[:24]}",
)
def test_what_must_not_become_a_lesson_does_not(
    claim: Claim, evidence: list[tuple[str, int, str, str]]
) -> None:
    assert [quote for _, _, quote, text in evidence if overlap(text, quote, claim.quote)] == []


def test_what_was_said_twice_is_one_lesson_and_a_copied_turn_counts_once(ran: Ran) -> None:
    lessons = ran.program.ask("lessons", "list")
    for claim in WANTED:
        found = [
            lesson
            for lesson in lessons
            if any(item["quote"] == claim.quote for item in lesson["evidence"])
        ]
        if found:
            (lesson,) = found
            assert {item["session"] for item in lesson["evidence"]} == claim.sessions
            assert len(lesson["evidence"]) == len(claim.sessions)
