import pytest

from archivist.domain.transcripts import ReadMode, Role, Source
from archivist.sources.claude_code import ClaudeCode
from unit.sources.shelf import Shelf
from unit.sources.story import SESSION, THINKING, Record, Story, queued, uid, use


@pytest.fixture
def reader() -> ClaudeCode:
    return ClaudeCode()


@pytest.fixture
def tell() -> Story:
    return Story()


# Turns.


def test_a_conversation_becomes_turns_with_all_that_is_known_of_them(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl", tell.user("Rename it"), tell.says(THINKING), tell.says("Renamed.", name="msg_1")
    )
    rows = shelf.read(reader, path)
    user, assistant = rows.turns.values()
    assert (user.key, user.role, user.text, user.at) == (
        uid(1),
        Role.USER,
        "Rename it",
        1795860001000,
    )
    assert (user.cwd, user.branch, user.model) == ("/home/anna/src/shop", "main", None)
    assert (assistant.key, assistant.text, assistant.model) == (uid(2), "Renamed.", "claude-opus-5")
    assert rows.sessions == {
        SESSION: {"cwd": "/home/anna/src/shop", "branch": "main", "at": 1795860001000}
    }
    assert (reader.source, reader.mode) == (Source.CLAUDE_CODE, ReadMode.APPEND)


def test_one_message_in_several_records_is_one_turn(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        tell.says("First.", name="m"),
        tell.says(use("t1"), name="m"),
        tell.result("t1"),
        tell.says("Second.", name="m"),
        tell.says("First.", name="m"),
        tell.says(use("t1"), name="m"),
    )
    rows = shelf.read(reader, path)
    assert rows.texts(Role.ASSISTANT) == ["First.\n\nSecond."]
    assert rows.tools() == [("First.\n\nSecond.", "Bash", "ok")]
    assert (rows.tally.assistant, rows.tally.tools) == (1, 1)


def test_a_growing_snapshot_takes_the_place_of_its_shorter_self(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        tell.says("I wi", name="m"),
        tell.says("I will look.", name="m"),
        tell.says("I will look.", "Done.", name="m"),
    )
    assert shelf.read(reader, path).texts(Role.ASSISTANT) == ["I will look.\n\nDone."]


def test_a_gateway_that_repeats_its_message_id_loses_no_answer(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("one"),
        tell.says("First answer.", name="same"),
        tell.user("two"),
        tell.says("Second answer.", name="same"),
    )
    rows = shelf.read(reader, path)
    assert rows.texts(Role.ASSISTANT) == ["First answer.", "Second answer."]
    assert rows.tally.assistant == 2


def test_a_gateway_that_repeats_its_message_id_may_repeat_its_words_too(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("one"),
        tell.says("Done.", name="same"),
        tell.user("two"),
        tell.says("Done.", name="same"),
        tell.says("Done.", name="same"),  # a copy: no prompt came in between
        queued(tell, "three"),
        tell.says("Done.", name="same"),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["one", "Done.", "two", "Done.", "three", "Done."]
    assert rows.tally.assistant == 3


@pytest.mark.parametrize("renamed", [False, True], ids=["same uuids", "other uuids"])
def test_a_longer_history_that_is_written_again_adds_nothing(
    shelf: Shelf, reader: ClaudeCode, tell: Story, *, renamed: bool
) -> None:
    story = [
        tell.user("one"),
        tell.says("Done.", name="same"),
        {**queued(tell, "two"), "uuid": uid(80)},
        tell.says("Done.", name="same"),
        {**queued(tell, "three"), "uuid": uid(81)},
        tell.user("three"),
        tell.says("Done.", "More.", name="same"),
    ]
    again = [
        {**r, "uuid": uid(100 + n)} if renamed and r["type"] == "assistant" else r
        for n, r in enumerate(story)
    ]
    rows = shelf.read(reader, shelf.put("a.jsonl", *story, *again, *again[:2], tell.user("four")))
    assert rows.texts() == ["one", "Done.", "two", "Done.", "three", "Done.\n\nMore.", "four"]
    assert (rows.tally.user, rows.tally.queued, rows.tally.assistant) == (3, 1, 3)


def test_an_old_record_that_is_written_again_does_not_grow_a_later_message(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    first = tell.says("First.", name="same")
    path = shelf.put(
        "a.jsonl", tell.user("one"), first, tell.user("two"), tell.says("Two.", name="same"), first
    )
    assert shelf.read(reader, path).texts() == ["one", "First.", "two", "Two."]


@pytest.mark.parametrize("renamed", [False, True], ids=["same uuids", "other uuids"])
def test_a_history_that_is_written_again_adds_nothing(
    shelf: Shelf, reader: ClaudeCode, tell: Story, *, renamed: bool
) -> None:
    story = [tell.user("go"), tell.says("Yes.", use("t1")), tell.result("t1")]
    again = [
        {**r, "uuid": uid(100 + n)} if renamed and r["type"] == "assistant" else r
        for n, r in enumerate(story)
    ]
    once = shelf.read(reader, shelf.put("a.jsonl", *story))
    twice = shelf.read(reader, shelf.put("b.jsonl", *story, *again, *again))
    assert twice.texts() == once.texts() == ["go", "Yes."]
    assert twice.tally == once.tally


def test_records_without_any_id_are_counted_once(shelf: Shelf, reader: ClaudeCode) -> None:
    user = {"type": "user", "timestamp": "2026-01-01T00:00:00Z", "message": {"content": "hi"}}
    later = {**user, "timestamp": "2026-01-01T00:01:00Z"}
    says = {
        "type": "assistant",
        "timestamp": "2026-01-01T00:00:05Z",
        "message": {"content": [{"type": "text", "text": "hello"}]},
    }
    rows = shelf.read(reader, shelf.put("chat.jsonl", user, says, user, says, later))
    assert rows.texts() == ["hi", "hello", "hi"]
    assert set(rows.sessions) == {"chat"}
    assert (rows.tally.user, rows.tally.assistant) == (2, 1)


@pytest.mark.parametrize(
    "message, fields",
    [
        pytest.param({"model": "<synthetic>"}, {}, id="synthetic"),
        pytest.param({}, {"isApiErrorMessage": True}, id="api error"),
        pytest.param({"content": [THINKING, {"type": "text", "text": "\n\n"}]}, {}, id="blank"),
        pytest.param({"content": None}, {}, id="no content"),
    ],
)
def test_what_is_no_answer_is_no_turn(
    shelf: Shelf, reader: ClaudeCode, tell: Story, message: Record, fields: Record
) -> None:
    answer = tell.says("API Error: 529", **fields)
    answer["message"].update(message)
    rows = shelf.read(reader, shelf.put("a.jsonl", tell.user("go"), answer))
    assert rows.texts() == ["go"]
    assert rows.tally.assistant == 0


# What a person typed.


@pytest.mark.parametrize(
    "content",
    [
        "<local-command-caveat>Caveat</local-command-caveat>",
        "Caveat: The messages below were generated by the user",
        "<local-command-stdout>See ya!</local-command-stdout>",
        "<local-command-stderr>no</local-command-stderr>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification>\n<task-id>1</task-id></task-notification>",
        '<teammate-message teammate_id="bob">hi</teammate-message>',
        "[Request interrupted by user for tool use]",
        [{"type": "text", "text": "[Request interrupted by user]"}],
        "Stop hook feedback:\nrun the tests",
        "This session is being continued from a previous conversation that ran out of context.",
        "<system-reminder>\nThe list changed.\n</system-reminder>",
        "<ide_opened_file>The user opened a.py</ide_opened_file>",
        [{"type": "text", "text": "<ide_selection>lines 1 to 4</ide_selection>"}],
        "<command-name>/exit</command-name>\n<command-args></command-args>",
        "<command-message>init is running</command-message>\n<command-name>/init</command-name>",
        "   \n ",
        [],
        None,
        7,
    ],
)
def test_what_a_program_wrote_is_no_prompt(
    shelf: Shelf, reader: ClaudeCode, tell: Story, content: object
) -> None:
    rows = shelf.read(reader, shelf.put("a.jsonl", tell.user(content), tell.user("real")))
    assert rows.texts() == ["real"]
    assert rows.tally.user == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"promptSource": "system"},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_marks_of_the_record_tell_what_nobody_typed(
    shelf: Shelf, reader: ClaudeCode, tell: Story, fields: Record
) -> None:
    rows = shelf.read(reader, shelf.put("a.jsonl", tell.user("no", **fields), tell.user("yes")))
    assert rows.texts() == ["yes"]


@pytest.mark.parametrize(
    "content, wanted",
    [
        ("<ide_opened_file>a.py</ide_opened_file>\nFix it", "Fix it"),
        (
            [
                {"type": "text", "text": "<ide_selection>x</ide_selection>"},
                {"type": "text", "text": "Fix it"},
            ],
            "Fix it",
        ),
        ("Fix it\n<system-reminder>be nice</system-reminder>", "Fix it"),
        ("Why does <system-reminder>x</system-reminder> appear?", None),
        ("<command-name>/review</command-name><command-args>PR 7</command-args>", "/review PR 7"),
        (
            "<command-name>/go</command-name>\n<command-args>all\nof it</command-args>",
            "/go all\nof it",
        ),
        ("What does <command-name> mean?", None),
        ("<div>broken</div>", None),
    ],
)
def test_wrappers_are_taken_off_and_the_prompt_is_kept(
    shelf: Shelf, reader: ClaudeCode, tell: Story, content: object, wanted: str | None
) -> None:
    rows = shelf.read(reader, shelf.put("a.jsonl", tell.user(content)))
    assert rows.texts() == [wanted or content]


def test_a_picture_in_a_prompt_is_named(shelf: Shelf, reader: ClaudeCode, tell: Story) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}
    content = [{"type": "text", "text": "look"}, {"type": "image", "source": source}]
    rows = shelf.read(reader, shelf.put("a.jsonl", tell.user(content)))
    assert rows.texts()[0].startswith("look\n\n[image: image/png, 5 bytes, sha1 aaf4c6")


# Prompts typed while the assistant was busy.


def test_a_queued_prompt_is_a_turn_at_its_place(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        tell.says("On it."),
        queued(tell, [{"type": "text", "text": "and the docs"}]),
        queued(tell, "<task-notification>done</task-notification>"),
        queued(tell, "x", commandMode="task-notification"),
        queued(tell, "y", origin={"kind": "task-notification"}),
        tell.says("Docs too."),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "On it.", "and the docs", "Docs too."]
    assert [turn.queued for turn in rows.turns.values()] == [False, False, True, False]
    assert (rows.tally.user, rows.tally.queued) == (1, 1)


def test_a_queued_prompt_that_is_given_out_later_is_one_turn(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl", tell.user("go"), queued(tell, "next"), tell.user("next"), tell.user("next")
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "next", "next"]
    assert (rows.tally.user, rows.tally.queued) == (3, 0)


def test_a_prompt_with_the_words_of_an_answered_queued_one_is_a_turn(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        queued(tell, "continue"),
        tell.says(use("t1")),
        tell.says("Continued."),
        tell.user("continue"),
        tell.says("And on."),
    )
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go", "continue", "", "Continued.", "continue", "And on."]
    assert (rows.tally.user, rows.tally.queued) == (2, 1)


def test_a_queued_prompt_is_given_out_after_a_call_too(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    path = shelf.put(
        "a.jsonl",
        tell.user("go"),
        queued(tell, "next"),
        tell.says(use("t1")),
        tell.result("t1"),
        tell.user("next"),
    )
    rows = shelf.read(reader, path)
    assert rows.texts("user") == ["go", "next"]
    assert (rows.tally.user, rows.tally.queued) == (2, 0)
