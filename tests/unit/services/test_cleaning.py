import json
import os
from pathlib import Path

import pytest

from archivist.domain.transcripts import (
    Compacted,
    Outcome,
    Role,
    Seen,
    SessionSeen,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)
from archivist.services.cleaning import Cleaning, stored_name
from archivist.shipped import gate

TOKEN = "ghp_" + "aZ3x9Q" * 6


def test_no_field_that_is_stored_carries_a_secret_past_the_gate() -> None:
    cleaning = Cleaning(gate())
    seen: list[Seen] = [
        SessionSeen("s", parent=TOKEN, cwd=f"/code/{TOKEN}", branch=f"fix-{TOKEN}", title=TOKEN),
        TurnSeen("u", "s", Role.USER, TOKEN, cwd=f"/x/{TOKEN}", branch=TOKEN, model=TOKEN),
        ToolCalled("u", f"call {TOKEN}", f"tool {TOKEN}", f'{{"a": {{"b": "{TOKEN}"}}}}'),
        ToolAnswered("u", f"call {TOKEN}", Outcome.OK, f"out {TOKEN}"),
        Compacted(f"s {TOKEN}"),
    ]
    cleaned = [cleaning.clean(item) for item in seen]
    assert TOKEN not in repr(cleaned)
    assert cleaning.found["u"].count("github token") == 4
    called, answered = cleaned[2], cleaned[3]
    assert isinstance(called, ToolCalled)
    assert isinstance(answered, ToolAnswered)
    assert called.call == answered.call


@pytest.mark.parametrize("before", [8_170, 12_000, 20_000])
def test_a_long_output_is_shortened_after_the_gate(before: int) -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" for _ in range(25))
    begin, end = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
    text = f"{'x ' * (before // 2)}\n{begin}\n{body}\n{end}\n{'y ' * 2_000}"
    cleaning = Cleaning(gate())
    answered = cleaning.clean(ToolAnswered("u", "c", Outcome.OK, text))
    called = cleaning.clean(ToolCalled("u", "c", "Write", json.dumps({"content": text})))
    assert isinstance(answered, ToolAnswered)
    assert isinstance(called, ToolCalled)
    for kept in (answered.output, json.loads(called.arguments)["content"]):
        assert len(kept) <= 16 * 1024
        assert "MIIEvQIBADANBg" not in kept


def test_ids_of_every_day_stay_as_they_are() -> None:
    cleaning = Cleaning(gate())
    call = ToolCalled("u", "toolu_01ABCdefGHIjklMNOpqrSTUv", "Bash", "{}")
    session = SessionSeen("7acd37a8-2745-4b58-a8a9-46164b22ad9e", cwd="/home/anna/code/app")
    assert cleaning.clean(call) == call
    assert cleaning.clean(session) == session


@pytest.mark.skipif(os.name != "posix", reason="file names of POSIX are bytes")
def test_a_name_of_any_bytes_can_be_stored_and_two_stay_two() -> None:
    odd = Path(os.fsdecode(b"/home/anna/caf\xe9.jsonl"))
    assert stored_name(odd, gate()) == "/home/anna/caf\\xe9.jsonl"
    one, other = (Path(f"/x/{TOKEN}{end}.jsonl") for end in "ab")
    names = {stored_name(path, gate()) for path in (one, other)}
    assert len(names) == 2
    assert TOKEN not in repr(names)
