"""What is said about a segment."""

from dataclasses import replace

import pytest

from archivist.domain.segment_list import ListedSegment, ReadTurn, SegmentContent
from archivist.domain.segments import CloseReason
from archivist.domain.transcripts import Outcome, Role
from archivist.domain.turns import SegmentId, SessionId, ToolCall, Turn, TurnId
from archivist.services.segment_text import (
    call_line,
    facts,
    lasted,
    markdown,
    outcome_word,
    redaction_notes,
    row_sentence,
    source_name,
    speaker,
    title_of,
    why_closed,
)

ROW = ListedSegment(
    id=SegmentId("seg-1"),
    source="claude-code",
    project="/home/a/code/api",
    state="recapped",
    reason="drift",
    start=0,
    end=24 * 60_000,
    turns=2,
    title="Why is the cache stale?",
    maker="rules",
    lessons=1,
)


def turn(text: str = "", *, role: Role = Role.USER, tools: tuple[ToolCall, ...] = ()) -> Turn:
    return Turn(TurnId(1), SessionId(1), 1, role, text, tools=tools)


def when(at: int | None) -> str:
    return "never" if at is None else f"at {at}"


def test_every_reason_has_a_sentence_of_its_own() -> None:
    said = {why_closed(reason) for reason in (None, *CloseReason)}
    assert len(said) == len(CloseReason) + 1
    assert all(sentence.endswith(".") and "(" not in sentence for sentence in said)
    assert "quake" in why_closed("quake")


def test_sources_are_called_as_their_makers_call_them() -> None:
    assert [source_name(each) for each in ("claude-code", "lm-studio", "aider", "clipboard")] == [
        "Claude Code",
        "LM Studio",
        "Aider",
        "Clipboard",
    ]


def test_a_row_is_one_sentence_for_those_who_hear_it() -> None:
    assert facts(ROW) == ["Claude Code", "api", "2 turns", "24 minutes"]
    assert row_sentence(ROW, when) == (
        "Segment, at 0, Claude Code, api, 2 turns, 24 minutes, 1 lesson: Why is the cache stale?"
    )
    found = replace(ROW, reason=None, lessons=0, hits=3, snippet="…the cache…", start=None)
    assert row_sentence(found, when) == (
        "Segment, never, Claude Code, api, 2 turns, open, 3 matches: …the cache…"
    )
    assert title_of(replace(ROW, title="")) == "No prompt"


@pytest.mark.parametrize(
    "milliseconds, said",
    [(10_000, "under a minute"), (60_000, "1 minute"), (7_200_000, "2 hours")],
)
def test_a_length_of_time_is_said_in_its_largest_unit(milliseconds: int, said: str) -> None:
    assert lasted(milliseconds) == said


@pytest.mark.parametrize(
    "arguments, line",
    [
        ('{"description": "d", "command": "git  log\\n-3"}', "git log -3"),
        ('{"cmd": ["ls", "-l"]}', "ls -l"),
        ('{"file_path": "/a/b.py", "content": "x"}', "/a/b.py"),
        ('{"todo": 1}', '{"todo": 1}'),
        ("*** Begin patch", "*** Begin patch"),
        ("[1]", "[1]"),
        ("x" * 200, "x" * 159 + "…"),
    ],
)
def test_a_call_is_shown_by_what_tells_most(arguments: str, line: str) -> None:
    assert call_line(ToolCall("Bash", arguments, Outcome.OK, "")) == line


def test_what_the_gate_took_out_is_said_by_kind_and_once() -> None:
    assert redaction_notes(ReadTurn(turn())) == []
    taken = ReadTurn(turn(), redacted=("api key", "password", "api key"))
    assert redaction_notes(taken) == ["Taken out: api key", "Taken out: password"]
    assert "not stored" in redaction_notes(ReadTurn(turn(), withheld=True))[0]
    (note,) = redaction_notes(ReadTurn(turn(), redacted=("text withheld",)))
    assert "tool was not stored" in note


def test_every_role_and_outcome_has_a_word() -> None:
    assert len({speaker(ReadTurn(turn(role=role))) for role in Role}) == len(Role)
    assert len({outcome_word(outcome) for outcome in Outcome}) == len(Outcome)


def test_a_segment_as_markdown() -> None:
    tool = ToolCall("Bash", '{"command": "pytest -q"}', Outcome.FAILED, "1 failed")
    turns = (
        ReadTurn(replace(turn("Run the *tests*"), at=1)),
        ReadTurn(turn("", role=Role.ASSISTANT, tools=(tool,)), redacted=("password",)),
    )
    content = SegmentContent(ROW, "s1", "User: run them", turns, (), 0, None)
    assert markdown(content, when) == (
        "# Why is the cache stale?\n\n"
        "- Claude Code · api · 2 turns · 24 minutes\n- at 0\n"
        "- Ended because the talk went on to another topic.\n\n"
        "## Recap, by rules\n\n> User: run them\n\n"
        "**You** · at 1\n\n> Run the *tests*\n\n"
        "**Assistant** · never\n\n- `Bash` `pytest -q` (failed)\n- Taken out: password\n"
    )
