import os
import sys

import pytest

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Outcome, Relation, Role, SessionSeen
from archivist.sources.claude_code import ClaudeCode
from unit.sources.shelf import Shelf
from unit.sources.story import FORK, SESSION, THINKING, Record, Story, queued, uid, use


@pytest.fixture
def reader() -> ClaudeCode:
    return ClaudeCode()


@pytest.fixture
def tell() -> Story:
    return Story()


# Tools.


def test_calls_belong_to_the_latest_turn_of_the_exchange(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("one"),
        tell.says(use("t1", "Read")),
        tell.result("t1"),
        tell.says("Found."),
        tell.says(use("t2", "Edit")),
        tell.says(THINKING),
        tell.says(use("t3", "Bash")),
        tell.user("two"),
        tell.says(use("t4", "Grep")),
    )
    rows = shelf.read(reader, path)
    assert rows.tools() == [
        ("", "Read", "ok"),
        ("Found.", "Edit", "pending"),
        ("Found.", "Bash", "pending"),
        ("", "Grep", "pending"),
    ]
    assert rows.texts() == ["one", "", "Found.", "two", ""]
    assert (rows.tally.assistant, rows.tally.tools) == (1, 4)


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected"


@pytest.mark.parametrize(
    "content, fields, outcome",
    [
        ("fine", {}, Outcome.OK),
        ("fine", {"is_error": False}, Outcome.OK),
        ("Exit code 1\nno", {"is_error": True}, Outcome.FAILED),
        ("<tool_use_error>not read yet</tool_use_error>", {"is_error": True}, Outcome.FAILED),
        ("<tool_use_error>not read yet</tool_use_error>", {}, Outcome.FAILED),
        (REFUSED, {"is_error": True}, Outcome.REJECTED),
        (
            "The user doesn't want to take this action right now.",
            {"is_error": True},
            Outcome.REJECTED,
        ),
        ("Claude requested permissions to write", {"is_error": True}, Outcome.FAILED),
        (REFUSED, {}, Outcome.OK),  # a file that says so
    ],
)
def test_the_outcome_of_a_call(
    shelf: Shelf, tell: Story, content: str, fields: Record, outcome: Outcome
) -> None:
    path = shelf.put(
        "a.jsonl", tell.user("go"), tell.says(use("t1")), tell.result("t1", content, **fields)
    )
    rows = shelf.read(ClaudeCode(), path)
    assert list(rows.answers.values()) == [(outcome, content)]
    assert rows.tally.failed == (outcome in {Outcome.FAILED, Outcome.REJECTED})
    assert rows.tally.rejected == (outcome is Outcome.REJECTED)


def test_a_result_without_a_call_in_the_file_is_no_failure(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put("a.jsonl", tell.user("go"), tell.result("lost", "no", is_error=True))
    rows = shelf.read(reader, path)
    assert rows.answers == {}
    assert rows.tally.failed == 0


def test_results_keep_text_and_name_images(shelf: Shelf, reader: ClaudeCode, tell: Story) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD" * 5_000_000}
    content = [{"type": "text", "text": "shot"}, {"type": "image", "source": source}]
    path = shelf.put("a.jsonl", tell.user("go"), tell.says(use("t1")), tell.result("t1", content))
    ((_, output),) = shelf.read(reader, path).answers.values()
    assert output.startswith("shot\n[image: image/png, 15000000 bytes, sha1 ")
    assert len(output) < 200


def test_calls_of_the_server_are_calls(shelf: Shelf, reader: ClaudeCode, tell: Story) -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
    fault = {"type": "web_search_tool_result_error", "error_code": "too_many_requests"}
    answer = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": fault}
    rows = shelf.read(
        reader, shelf.put("a.jsonl", tell.user("go"), tell.says("Searching.", call, answer))
    )
    assert rows.tools() == [("Searching.", "web_search", "failed")]
    assert rows.tally.failed == 1


# Sessions.


def test_a_session_without_words_or_calls_is_none(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    probe = [
        {"type": "permission-mode", "permissionMode": "default", "sessionId": SESSION},
        tell.user("<command-name>/usage</command-name><command-args></command-args>"),
        tell.user("<local-command-stdout>12 %</local-command-stdout>"),
        tell.says("Warm."),
        {"type": "ai-title", "aiTitle": "Nothing", "sessionId": SESSION},
    ]
    rows = shelf.read(reader, shelf.put("a.jsonl", *probe))
    assert (rows.turns, rows.sessions) == ({}, {})
    assert rows.tally.assistant == 1
    rows = shelf.read(reader, shelf.put("b.jsonl", *probe, tell.user("real")))
    assert rows.texts() == ["Warm.", "real"]
    assert rows.sessions[SESSION]["title"] == "Nothing"


def test_what_is_known_of_a_session_is_told_as_soon_as_a_record_has_it(
    shelf: Shelf, tell: Story
) -> None:
    first = tell.user("go")
    for field in ("cwd", "gitBranch", "timestamp"):
        del first[field]
    later = tell.says("One.", gitBranch="")
    last = tell.user("on", cwd="/elsewhere", gitBranch="next")
    title = {"type": "ai-title", "aiTitle": "Shop", "sessionId": SESSION}
    told, cursor = [], None
    for number, record in enumerate([first, later, last, title]):
        path = shelf.folder / "a.jsonl"
        if number == 0:
            shelf.put("a.jsonl", record)
        else:
            shelf.append(path, record)
        for chunk in ClaudeCode().read(path, cursor, settled=False):
            told += [seen for seen in chunk.seen if isinstance(seen, SessionSeen)]
            cursor = chunk.cursor
    assert told == [
        SessionSeen(SESSION),
        SessionSeen(SESSION, cwd="/home/anna/src/shop", at=1795860002000),
        SessionSeen(SESSION, branch="next"),
        SessionSeen(SESSION, title="Shop"),
    ]


def test_a_queued_prompt_without_uuid_tells_of_its_session(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    first = {**queued(tell, "go"), "cwd": "/x", "gitBranch": "main"}
    rows = shelf.read(reader, shelf.put("a.jsonl", first))
    assert rows.sessions[SESSION] == {"cwd": "/x", "branch": "main", "at": 1795863600000}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are no text")
@pytest.mark.parametrize(
    "name", [b"caf\xe9.jsonl", b"agent-\xe9.jsonl", b"s\xff/subagents/agent-1.jsonl"]
)
def test_the_name_of_a_file_may_be_no_text(shelf: Shelf, tell: Story, name: bytes) -> None:
    records = [tell.user("go"), tell.says("Done.")]
    for record in records:
        del record["sessionId"]
    root = shelf.folder / os.fsdecode(b"projects/p\xe9")
    shelf.put(os.fsdecode(b"projects/p\xe9/" + name), *records, b"{cut")
    reader = ClaudeCode()
    (path,) = reader.files(root.parent)
    assert reader.claims(path, path.read_bytes())
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "Done."]
    for session in rows.sessions:
        session.encode()
    path.unlink()
    with pytest.raises(FileProblem) as caught:
        list(reader.read(path, None, settled=True))
    assert "no longer there" in caught.value.message
    (caught.value.message + caught.value.key).encode()


def test_a_title_that_the_person_gave_stands(shelf: Shelf, reader: ClaudeCode, tell: Story) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        {"type": "summary", "summary": "Of another file", "leafUuid": uid(500)},
        {"type": "summary", "summary": "Old", "leafUuid": uid(1)},
        {"type": "ai-title", "aiTitle": "Made up", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION},
        {"type": "ai-title", "aiTitle": "Made up again", "sessionId": SESSION},
    )
    assert shelf.read(reader, path).sessions[SESSION]["title"] == "Mine"


def test_a_compaction_is_told_once_and_its_summary_is_no_turn(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    boundary = tell.record("system", subtype="compact_boundary", parentUuid=None)
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        boundary,
        tell.user("This session is being continued", isCompactSummary=True),
        tell.says("On we go."),
        tell.user("Summary of an older build", isCompactSummary=True),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "On we go."]
    assert [seen.session for seen in rows.compacted] == [SESSION, SESSION]


def test_a_fork_repeats_nothing_and_names_its_parent(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    story = [tell.user("one"), queued(tell, "more"), tell.says("First."), tell.says(use("t1"))]
    copied = [
        {
            **record,
            "sessionId": FORK,
            **(
                {"forkedFrom": {"sessionId": SESSION, "messageUuid": record["uuid"]}}
                if "uuid" in record
                else {}
            ),
        }
        for record in story
    ]
    on = Story(FORK, 50, tell.parent)
    old = shelf.put(f"{SESSION}.jsonl", *story)
    new = shelf.put(f"{FORK}.jsonl", *copied, on.user("two"), on.says("Second."))
    rows = shelf.read(reader, old, new)
    assert rows.texts() == ["one", "more", "First.", "two", "Second."]
    assert [turn.session for turn in rows.turns.values()] == [SESSION] * 3 + [FORK] * 2
    assert (rows.sessions[FORK]["parent"], rows.sessions[FORK]["relation"]) == (
        SESSION,
        Relation.FORK,
    )
    assert (rows.tally.user, rows.tally.queued, rows.tally.assistant) == (2, 1, 2)


def test_a_background_copy_with_short_ids_repeats_nothing(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    story = [tell.user("one", uuid="r1"), tell.says("First.", uuid="r2")]
    copied = [{**record, "sessionId": FORK, "sessionKind": "bg"} for record in story]
    on = Story(FORK, 50, "r2")
    other = Story(uid(902), 70)
    rows = shelf.read(
        reader,
        shelf.put("a.jsonl", *story),
        shelf.put("b.jsonl", *copied, on.user("two", uuid="r3")),
        shelf.put("c.jsonl", other.user("another r1", uuid="r1")),
    )
    assert rows.texts() == ["one", "First.", "two", "another r1"]
    assert rows.sessions[FORK]["relation"] is Relation.FORK


def test_sessions_within_one_file_are_told_apart_and_linked(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    first = [tell.user("a"), tell.says("b"), tell.user("c"), tell.record("progress", data={})]
    resumed = Story("resumed", 20, tell.parent)
    forked = Story("forked", 40, first[1]["uuid"])
    path = shelf.put(
        "a.jsonl",
        *first,
        {"type": "mode", "mode": "normal", "sessionId": "resumed"},
        resumed.user("d"),
        forked.user("e"),
    )
    rows = shelf.read(reader, path)
    links = {name: (row.get("parent"), row.get("relation")) for name, row in rows.sessions.items()}
    assert links == {
        SESSION: (None, None),
        "resumed": (SESSION, Relation.RESUME),
        "forked": (SESSION, Relation.FORK),
    }
    assert rows.tally.user == 4


# Sub-agents.


@pytest.mark.parametrize(
    "name",
    [
        f"{SESSION}/subagents/agent-a1.jsonl",
        f"{SESSION}/subagents/workflows/w1/agent-a1.jsonl",
        "agent-a1.jsonl",
    ],
)
@pytest.mark.parametrize("marks", [{"isSidechain": True, "agentId": "a1"}, {}, {"sessionId": None}])
def test_a_file_of_a_sub_agent(
    shelf: Shelf, reader: ClaudeCode, tell: Story, name: str, marks: Record
) -> None:
    path = shelf.put(
        f"{SESSION}/{name}" if name.startswith("agent") else name,
        tell.user("Count the lines", **marks),
        tell.says("Ten.", use("t1"), **marks),
        tell.result("t1", "no", is_error=True) | marks,
    )
    rows = shelf.read(reader, path)
    session = f"{SESSION}/agent-a1"
    assert [(turn.session, turn.role) for turn in rows.turns.values()] == [
        (session, Role.TASK),
        (session, Role.ASSISTANT),
    ]
    assert (rows.sessions[session]["parent"], rows.sessions[session]["relation"]) == (
        SESSION,
        Relation.SUBAGENT,
    )
    tally = rows.tally
    assert (tally.user, tally.assistant, tally.tools, tally.failed) == (1, 1, 1, 1)


def test_sub_agents_inline_stand_apart_and_are_not_counted(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        tell.says("Asking.", use("task", "Task")),
        tell.user("Part one", isSidechain=True, parentUuid=None),
        tell.says("One.", use("t1"), isSidechain=True),
        tell.user("Part two", isSidechain=True, parentUuid=None),
        tell.says("Two.", isSidechain=True),
        tell.user("Third", isSidechain=True, agentId="a3"),
        tell.result("task"),
        tell.says("Both done."),
    )
    rows = shelf.read(reader, path)
    assert [turn.session.removeprefix(SESSION) for turn in rows.turns.values()] == [
        "",
        "",
        f"/agent-{uid(3)}",
        f"/agent-{uid(3)}",
        f"/agent-{uid(5)}",
        f"/agent-{uid(5)}",
        "/agent-a3",
        "",
    ]
    tally = rows.tally
    assert (tally.user, tally.assistant, tally.tools) == (1, 2, 1)


def test_a_main_record_below_a_sidechain_record_is_main(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        tell.user("task", isSidechain=True, parentUuid=None),
        tell.says("Main answer."),
    )
    rows = shelf.read(reader, path)
    assert next(t for t in rows.turns.values() if t.text == "Main answer.").session == SESSION


# Ill-formed fields.


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, [1], {"a": 1}, True, 1e300])
@pytest.mark.parametrize(
    "field",
    ["type", "uuid", "parentUuid", "sessionId", "timestamp", "message", "cwd", "isSidechain",
     "agentId", "origin", "forkedFrom", "attachment", "toolDenialKind", "leafUuid"],
)  # fmt: skip
def test_no_type_of_a_field_breaks_the_file(
    shelf: Shelf, reader: ClaudeCode, tell: Story, field: str, value: object
) -> None:
    odd = [
        {**record, field: value}
        for record in (
            tell.user("a"),
            tell.says("b", use("t")),
            queued(tell, "c"),
            tell.result("t"),
        )
    ]
    rows = shelf.read(reader, shelf.put("a.jsonl", *odd, tell.user("last")))
    assert rows.texts()[-1] == "last"


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, [1], [[]], [{"type": 5}], True])
@pytest.mark.parametrize("field", ["content", "id", "model"])
def test_no_type_of_a_message_field_breaks_the_file(
    shelf: Shelf, reader: ClaudeCode, tell: Story, field: str, value: object
) -> None:
    odd = [tell.user("a"), tell.says("b", use("t1")), tell.result("t1")]
    for record in odd:
        record["message"][field] = value
    rows = shelf.read(reader, shelf.put("a.jsonl", *odd, tell.user("last")))
    assert rows.texts()[-1] == "last"
