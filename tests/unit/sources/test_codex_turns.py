import pytest

from archivist.domain.transcripts import Outcome, ReadMode, Role, Source
from archivist.sources.codex import Codex
from unit.sources.shelf import Rows, Shelf
from unit.sources.tape import OWN, Tape, rollout


@pytest.fixture
def reader() -> Codex:
    return Codex()


@pytest.fixture
def tape() -> Tape:
    return Tape()


# Turns.


def test_a_conversation_becomes_turns_with_all_that_is_known_of_them(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.item("message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
        tape.user("<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
        tape.context(),
        tape.user("Rename it"),
        tape.event("user_message", message="Rename it"),
        tape.event("agent_message", message="Renamed."),
        tape.item("reasoning", summary=[], encrypted_content="xyz"),
        tape.says("Renamed."),
    )
    rows = shelf.read(reader, path)
    user, assistant = rows.turns.values()
    assert (user.text, user.role, user.session, user.at) == (
        "Rename it",
        Role.USER,
        OWN,
        1795860005000,
    )
    assert (user.cwd, user.branch, user.model) == ("/home/anna/src/shop", "main", None)
    assert (assistant.text, assistant.role, assistant.model) == (
        "Renamed.",
        Role.ASSISTANT,
        "gpt-5.5",
    )
    assert rows.sessions == {
        OWN: {"cwd": "/home/anna/src/shop", "branch": "main", "at": 1795860001000}
    }
    assert (rows.tally.user, rows.tally.assistant) == (1, 1)
    assert (reader.source, reader.mode) == (Source.CODEX, ReadMode.APPEND)


def test_equal_records_are_told_apart_and_copies_of_the_file_are_not(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    again = tape.user("again")
    lines = [tape.meta(), again, again, tape.says("Yes."), tape.user("again")]
    one = shelf.put(rollout(OWN), *lines)
    other = shelf.put(f"archived_sessions/rollout-2026-11-28T10-00-00-{OWN}.jsonl", *lines)
    assert shelf.read(reader, one, other).texts() == ["again", "again", "Yes.", "again"]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd></environment_context>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe nice\n</INSTRUCTIONS>",
        "<user_instructions>\nbe nice\n</user_instructions>",
        "<INSTRUCTIONS>x</INSTRUCTIONS>",
        "<permissions instructions>x</permissions instructions>",
        "<turn_aborted>\n<turn_id>1</turn_id></turn_aborted>",
        "<subagent_notification>{}</subagent_notification>",
        "<skill>\n<name>x</name></skill>",
        "<goal_context>x</goal_context>",
        "<user_shell_command>ls</user_shell_command>",
        '<hook_prompt hook="x">y</hook_prompt>',
        "<codex_internal_context>x</codex_internal_context>",
        "<recommended_plugins>x</recommended_plugins>",
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py",
        " \n",
    ],
)
def test_what_a_program_wrote_is_no_prompt(
    shelf: Shelf, reader: Codex, tape: Tape, text: str
) -> None:
    path = shelf.put(rollout(OWN), tape.meta(), tape.user(text), tape.user("real"))
    rows = shelf.read(reader, path)
    assert rows.texts() == ["real"]
    assert rows.tally.user == 1


@pytest.mark.parametrize(
    "texts, wanted",
    [
        (["# Context from my IDE setup:\n\n## My request for Codex:\nFix it\n"], "Fix it"),
        (
            ["# Files mentioned by the user:\n\n## a.py\n\n## My request for Codex:\nFix it"],
            "Fix it",
        ),
        (["<recommended_plugins>x</recommended_plugins>\nFix it"], "Fix it"),
        (["# AGENTS.md instructions for /x", "<environment_context>y", "Fix it"], "Fix it"),
        (["# Title\n\nSome text of mine"], "# Title\n\nSome text of mine"),
        (["one", "two"], "one\n\ntwo"),
    ],
)
def test_context_is_taken_off_and_the_prompt_is_kept(
    shelf: Shelf, reader: Codex, tape: Tape, texts: list[str], wanted: str
) -> None:
    path = shelf.put(rollout(OWN), tape.meta(), tape.user(*texts))
    assert shelf.read(reader, path).texts() == [wanted]


def test_pictures_are_named(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    url = "data:image/png;base64," + "QUJD" * 100
    content = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": url}]
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.item("message", role="user", content=content),
        tape.item("image_generation_call", id="ig1", status="completed", result="QUJD" * 100),
    )
    rows = shelf.read(reader, path)
    assert rows.texts()[0].startswith("look\n\n[image: image/png, 300 bytes, sha1 ")
    ((outcome, output),) = rows.answers.values()
    assert outcome is Outcome.OK
    assert output.startswith("[image: image/png, 300 bytes, sha1 ")


def test_a_compaction_is_one_event_and_its_history_is_not_read(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}
    ]
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.user("go"),
        tape.line("compacted", {"message": "summary", "replacement_history": history}),
        tape.event("context_compacted"),
        tape.says("On."),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "On."]
    assert len(rows.compacted) == 1


def test_a_title_may_come_late(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.user("go"),
        tape.event("thread_name_updated", thread_name="Shop"),
    )
    assert shelf.read(reader, path).sessions[OWN]["title"] == "Shop"


def test_a_session_without_words_or_calls_is_none(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    path = shelf.put(rollout(OWN), tape.meta(), tape.context(), tape.event("token_count"))
    rows = shelf.read(reader, path)
    assert (rows.turns, rows.sessions) == ({}, {})


# Calls.


@pytest.mark.parametrize(
    "output, outcome, text",
    [
        ("Plan updated", Outcome.OK, "Plan updated"),
        ('{"output":"ok\\n","metadata":{"exit_code":0}}', Outcome.OK, "ok\n"),
        ('{"output":"no\\n","metadata":{"exit_code":2}}', Outcome.FAILED, "no\n"),
        ('{"success":false,"error":"x"}', Outcome.FAILED, '{"success":false,"error":"x"}'),
        ('{"exit_code":1}', Outcome.OK, '{"exit_code":1}'),
        ('{"broken', Outcome.OK, '{"broken'),
        ("Exit code: 0\nWall time: 1 s\nOutput:\nok", Outcome.OK, None),
        ("Exit code: 1\nWall time: 1 s\nOutput:\nno", Outcome.FAILED, None),
        (
            "Chunk ID: a\nWall time: 1 s\nProcess exited with code 7\nOutput:\n",
            Outcome.FAILED,
            None,
        ),
        ("Wall time: 1 s\nProcess running with session ID 3\nOutput:\n", Outcome.PENDING, None),
        ("log:\nProcess exited with code 7", Outcome.OK, None),
        ("patch rejected: empty patch", Outcome.FAILED, None),
        ("apply_patch verification failed: no such line", Outcome.FAILED, None),
        ("execution error: Io(NotFound)", Outcome.FAILED, None),
        ("unsupported call: foo", Outcome.FAILED, None),
        ("aborted by user after 3.1s", Outcome.FAILED, None),
        ("exec command rejected by user", Outcome.REJECTED, None),
        (
            "patch rejected: outside of the project; rejected by user approval settings",
            Outcome.FAILED,
            None,
        ),
        ({"content": "no", "success": False}, Outcome.FAILED, "no"),
        ({"content": [{"type": "text", "text": "ok"}], "success": True}, Outcome.OK, "ok"),
        ({"stdout": "a", "stderr": "b", "exitCode": 3}, Outcome.FAILED, "a\nb"),
        ([{"type": "input_text", "text": "ok"}], Outcome.OK, "ok"),
        (None, Outcome.OK, ""),
    ],
)
def test_the_outcome_of_a_call(
    shelf: Shelf, tape: Tape, output: object, outcome: Outcome, text: str | None
) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.user("go"),
        tape.says("Running."),
        tape.call(),
        tape.output(output),
    )
    rows = shelf.read(Codex(), path)
    assert list(rows.answers.values()) == [(outcome, output if text is None and output else text)]
    assert rows.tally.failed == (outcome in {Outcome.FAILED, Outcome.REJECTED})
    assert rows.tally.rejected == (outcome is Outcome.REJECTED)


def test_calls_belong_to_the_latest_turn_of_the_exchange(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.user("one"),
        tape.call("c1", "shell"),
        tape.output("ok", "c1"),
        tape.says("Found."),
        tape.call("c2", "apply_patch"),
        tape.call("c2", "shell"),
        tape.item("custom_tool_call", name="exec", input="run()", call_id="c3"),
        tape.item("custom_tool_call_output", call_id="c3", output="Script completed"),
        tape.user("two"),
        tape.item("local_shell_call", id="c4", action={"command": ["ls"]}),
        tape.item("web_search_call", status="completed", action={"query": "q"}),
    )
    rows = shelf.read(reader, path)
    assert rows.tools() == [
        ("", "shell", "ok"),
        ("Found.", "apply_patch", "pending"),
        ("Found.", "exec", "ok"),
        ("", "local_shell", "pending"),
        ("", "web_search", "ok"),
    ]
    assert rows.tally.tools == 5
    assert all(turn.at is not None for turn in rows.turns.values())


def test_a_failure_that_only_an_event_tells_is_a_failed_call(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    err = {"Err": "tool call error: timeout"}
    invocation = {"server": "docs", "tool": "lookup", "arguments": {"q": 1}}
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.user("go"),
        tape.says("Patching."),
        tape.event("patch_apply_end", call_id="p1", success=True, stdout="Success"),
        tape.event("patch_apply_end", call_id="p2", success=False, stderr="context mismatch"),
        tape.event("mcp_tool_call_end", call_id="m1", invocation=invocation, result=err),
        tape.event("mcp_tool_call_end", call_id="m2", invocation=invocation, result={"Ok": {}}),
    )
    rows = shelf.read(reader, path)
    assert rows.tools() == [
        ("Patching.", "apply_patch", "failed"),
        ("Patching.", "lookup", "failed"),
    ]
    assert (rows.tally.tools, rows.tally.failed) == (2, 2)


@pytest.mark.parametrize("first", ["event", "output"])
def test_a_failure_told_twice_counts_once(
    shelf: Shelf, reader: Codex, tape: Tape, first: str
) -> None:
    event = tape.event("patch_apply_end", call_id="c1", success=False, stderr="mismatch")
    output = tape.output("Exit code: 1\nOutput:\nmismatch")
    news = [event, output] if first == "event" else [output, event]
    path = shelf.put(rollout(OWN), tape.meta(), tape.user("go"), tape.call(), *news)
    rows = shelf.read(reader, path)
    assert rows.tools() == [("", "shell", "failed")]
    assert (rows.tally.tools, rows.tally.failed) == (1, 1)


# Files without response items, and without envelopes.


@pytest.mark.parametrize("ending", ["next prompt", "end mark", "end of file"])
def test_events_are_the_conversation_where_there_is_nothing_else(
    shelf: Shelf, reader: Codex, tape: Tape, ending: str
) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.event("user_message", message="one"),
        tape.event("agent_message", message="First."),
        *([tape.event("task_complete")] if ending == "end mark" else []),
        *([tape.event("user_message", message="two")] if ending == "next prompt" else []),
    )
    (early,) = list(reader.read(path, None, settled=False))[-1:]
    assert (early.tally.user, early.tally.assistant) == (1 + (ending == "next prompt"), 1)
    assert bool(early.seen) == (ending != "end of file")
    rows = Rows().add([early]).add(reader.read(path, early.cursor, settled=True))
    assert rows.texts()[:2] == ["one", "First."]


def test_events_before_the_first_item_are_repeats(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    path = shelf.put(
        rollout(OWN),
        tape.meta(),
        tape.event("user_message", message="one"),
        tape.user("one"),
        tape.says("First."),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["one", "First."]
    assert rows.tally.user == 1


def test_items_that_repeat_events_which_were_believed_too_early_add_nothing(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    path = shelf.put(rollout(OWN), tape.meta(), tape.event("user_message", message="one"))
    (early,) = reader.read(path, None, settled=True)
    shelf.append(path, tape.user("one"), tape.says("First."), tape.user("one"))
    rows = Rows().add([early]).add(reader.read(path, early.cursor, settled=True))
    assert rows.texts() == ["one", "First.", "one"]
    assert rows.tally.user == 2


def test_the_shapes_of_2025_without_envelopes(shelf: Shelf, reader: Codex) -> None:
    at = "2025-09-10T12:00:00Z"
    path = shelf.put(
        "session.jsonl",
        {"id": OWN, "timestamp": at, "instructions": None, "git": {"branch": "old"}},
        {"record_type": "state"},
        {"timestamp": at, "role": "user", "content": "hello"},
        {"timestamp": at, "type": "tool_call", "function": {"name": "git"}, "arguments": "status"},
        {"timestamp": at, "type": "tool_call", "function": {"name": "ls"}, "arguments": {"a": 1}},
        {"timestamp": at, "type": "tool_result", "name": "git", "result": "clean"},
        {"timestamp": at, "type": "tool_result", "name": "ls", "result": {"exitCode": 2}},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi."}],
        },
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c9"},
        {"type": "function_call_output", "call_id": "c9", "output": "Exit code: 1\nOutput:\n"},
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["hello", "", "Hi."]
    assert rows.tools() == [("", "git", "ok"), ("", "ls", "failed"), ("Hi.", "shell", "failed")]
    assert rows.sessions[OWN]["branch"] == "old"


def test_a_file_without_a_head_is_named_after_itself(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    assert set(shelf.read(reader, shelf.put(rollout(OWN), tape.user("go"))).sessions) == {OWN}
    assert set(shelf.read(reader, shelf.put("own name.jsonl", tape.user("go"))).sessions) == {
        "own name"
    }
