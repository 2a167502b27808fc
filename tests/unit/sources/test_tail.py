"""Reading on is reading at once: however a transcript grows and however it is cut into reads."""

import itertools
import json
import os
import tracemalloc
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Chunk, Cursor, Seen, TurnSeen
from archivist.ports.sources import Reader
from archivist.sources import files
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.codex import Codex
from archivist.sources.records import LONGEST
from unit.sources.shelf import Rows, Shelf

Record = dict[str, Any]
NewReader = Callable[[], Reader]


def uid(number: int) -> str:
    return str(uuid.UUID(int=number + 1, version=4))


# Transcripts, generated.

TEXTS = st.text(
    st.characters(exclude_categories=[]) | st.sampled_from(["\u2028", "\0", "\ud83d", "語", "\r"]),
    max_size=12,
)


def dumped(record: Record, *, plain: bool = False) -> bytes:
    """A record as its writer would write it: escapes for what is no UTF-8, other text as it is."""
    text = json.dumps(record, ensure_ascii=plain)
    return text.encode("utf-8", "backslashreplace")


@st.composite
def claude_lines(draw: st.DrawFn) -> list[bytes]:
    """Lines of one session: grown messages, calls, results, copies, sub-agents, queued prompts."""
    lines: list[bytes] = []
    calls: list[str] = []
    for n in range(draw(st.integers(1, 14))):
        base: Record = {
            "uuid": uid(n),
            "parentUuid": uid(n - 1) if n else None,
            "sessionId": draw(st.sampled_from(["s1", "s1", "s1", "s2"])),
            "timestamp": f"2026-11-28T10:00:{n:02}Z",
            "isSidechain": draw(st.sampled_from([False, False, False, True])),
            "cwd": "/x",
        }
        kind = draw(
            st.sampled_from(["user", "says", "says", "use", "result", "queued", "title", "cut"])
        )
        message: Record = {"id": draw(st.sampled_from(["m1", "m2", "m3"])), "model": "opus"}
        match kind:
            case "user":
                record: Record = {"type": "user", "message": {"content": draw(TEXTS)}, **base}
            case "says":
                message["content"] = [
                    {"type": draw(st.sampled_from(["text", "text", "thinking"])), "text": text}
                    for text in draw(
                        st.lists(TEXTS | st.sampled_from(["a", "ab", "abc"]), max_size=3)
                    )
                ]
                record = {"type": "assistant", "message": message, **base}
            case "use":
                calls.append(f"t{draw(st.integers(0, 4))}")
                block: Record = {
                    "type": "tool_use",
                    "id": calls[-1],
                    "name": "Bash",
                    "input": {"a": draw(TEXTS)},
                }
                record = {"type": "assistant", "message": {**message, "content": [block]}, **base}
            case "result":
                call = draw(st.sampled_from([*calls, "lost"]))
                failed = draw(st.booleans())
                block = {"type": "tool_result", "tool_use_id": call, "is_error": failed}
                block["content"] = draw(TEXTS)
                record = {"type": "user", "message": {"content": [block]}, **base}
            case "queued":
                attachment = {"type": "queued_command", "prompt": draw(TEXTS)}
                record = {"type": "attachment", "attachment": attachment, "sessionId": "s1"}
            case "title":
                record = {"type": "ai-title", "aiTitle": draw(TEXTS), "sessionId": "s1"}
            case _:
                record = {"type": "system", "subtype": "compact_boundary", **base}
        lines.append(dumped(record, plain=draw(st.booleans())))
    return lines


@st.composite
def codex_lines(draw: st.DrawFn) -> list[bytes]:
    """Lines of one rollout, with or without a head, with events before, after or without items."""
    lines = [dumped({"type": "session_meta", "payload": {"id": uid(77)}})] * draw(st.integers(0, 2))
    only_events = draw(st.booleans())
    for n in range(draw(st.integers(1, 14))):
        kinds = ["user_message", "agent_message", "task_complete", "patch_apply_end"]
        kinds += [] if only_events else ["user", "assistant", "call", "output"]
        kind = draw(st.sampled_from(kinds))
        text, call = draw(TEXTS), f"c{draw(st.integers(0, 3))}"
        payload: Record = {"type": kind, "message": text, "call_id": call, "success": False}
        if kind in {"user", "assistant"}:
            content = [{"type": "input_text", "text": text}]
            payload = {"type": "message", "role": kind, "content": content}
        elif kind == "call":
            payload = {"type": "function_call", "name": "shell", "arguments": text, "call_id": call}
        elif kind == "output":
            output = draw(st.sampled_from(["ok", "Exit code: 1\nOutput:\n"]))
            payload = {"type": "function_call_output", "call_id": call, "output": output}
        is_event = kind in {"user_message", "agent_message", "task_complete", "patch_apply_end"}
        at = f"2026-11-28T10:00:{n // 2:02}Z"
        envelope = {"timestamp": at, "type": "event_msg" if is_event else "response_item"}
        lines.append(dumped({**envelope, "payload": payload}))
    return lines


@st.composite
def damaged(draw: st.DrawFn, lines: st.SearchStrategy[list[bytes]]) -> bytes:
    """The bytes of a file, as crashes and other programs leave them."""
    data = b""
    whole = draw(lines)
    for line in whole:
        harm = draw(
            st.sampled_from(["", "", "", "", "stub", "glued", "nul", "rubbish", "again", "blank"])
        )
        match harm:
            case "stub":
                data += line[: draw(st.integers(0, len(line)))] + line
            case "glued":
                data += line + draw(st.sampled_from(whole))
            case "nul":
                cut = draw(st.integers(0, len(line)))
                data += line[:cut] + b"\0" * draw(st.integers(1, 5)) + line[cut:]
            case "rubbish":
                data += draw(st.binary(max_size=9)) + b"\n" + line
            case "again":
                data += line + b"\n" + line
            case "blank":
                data += b"\r\n\n" + line
            case _:
                data += line
        data += draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    return data[:-1] if draw(st.booleans()) else data


FORMS = st.one_of(
    st.tuples(st.just(ClaudeCode), damaged(claude_lines())),
    st.tuples(st.just(Codex), damaged(codex_lines())),
)


def everything(read: list[Chunk]) -> list[Seen]:
    return [seen for chunk in read for seen in chunk.seen]


@given(form=FORMS, draws=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_following_a_file_is_reading_it_at_once(
    form: tuple[NewReader, bytes], draws: st.DataObject, tmp_path: Path
) -> None:
    new_reader, data = form
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    at_once = Rows().add(new_reader().read(path, None, settled=True))

    cuts = draws.draw(st.lists(st.integers(0, len(data)), max_size=8).map(sorted), label="cuts")
    path.write_bytes(b"")
    reader, cursor, rows, done = new_reader(), None, Rows(), 0
    for cut in [*cuts, len(data)]:
        with path.open("ab") as file:
            file.write(data[done:cut])
        done = cut
        if draws.draw(st.booleans(), label="restart"):
            reader = new_reader()
        # Whether events without items are the conversation is decided when a rollout is quiet.
        may_settle = new_reader is ClaudeCode and draws.draw(st.booleans(), label="settled")
        settled = cut == len(data) or may_settle
        for chunk in reader.read(path, cursor, settled=settled):
            rows.add([chunk])
            cursor = chunk.cursor
    assert rows == at_once
    assert cursor is not None
    assert list(reader.read(path, cursor, settled=True)) == []
    assert list(new_reader().read(path, cursor, settled=False)) == []


STORY = b"".join(
    dumped(record) + b"\n"
    for record in [
        {"type": "user", "uuid": uid(1), "sessionId": "s", "message": {"content": "語 \ud83d go"}},
        {
            "type": "assistant", "uuid": uid(2), "sessionId": "s",
            "message": {"id": "m", "content": [{"type": "text", "text": "One.\u2028"}]},
        },
        {
            "type": "assistant", "uuid": uid(3), "sessionId": "s",
            "message": {"id": "m", "content": [
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"a": "b\0"}}]},
        },
        {
            "type": "user", "uuid": uid(4), "sessionId": "s",
            "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "é"}]},
        },
        {
            "type": "assistant", "uuid": uid(5), "sessionId": "s",
            "message": {"id": "m", "content": [{"type": "text", "text": "Two."}]},
        },
    ]
)  # fmt: skip


@pytest.mark.parametrize("restart", [False, True], ids=["one reader", "a new reader each time"])
def test_a_file_that_grows_byte_by_byte(tmp_path: Path, *, restart: bool) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(STORY)
    at_once = everything(list(ClaudeCode().read(path, None, settled=True)))
    path.write_bytes(b"")
    reader, cursor = ClaudeCode(), None
    seen: list[Seen] = []
    with path.open("ab", buffering=0) as file:
        for byte in STORY:
            file.write(bytes([byte]))
            reader = ClaudeCode() if restart else reader
            (chunk,) = reader.read(path, cursor, settled=False)
            seen += chunk.seen
            cursor = chunk.cursor
    assert seen == at_once
    assert cursor is not None
    assert cursor.offset == len(STORY)


def test_a_last_line_without_newline_waits_until_the_file_is_quiet(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY[:-1])
    reader = ClaudeCode()
    (first,) = reader.read(path, None, settled=False)
    assert first.cursor.offset == STORY[:-1].rindex(b"\n") + 1
    assert list(reader.read(path, first.cursor, settled=False)) == []
    (second,) = reader.read(path, first.cursor, settled=True)
    assert [seen.text for seen in second.seen if isinstance(seen, TurnSeen)] == ["One.\n\nTwo."]
    assert list(reader.read(path, second.cursor, settled=True)) == []
    shelf.append(path, b"\n", {"type": "user", "uuid": uid(9), "message": {"content": "on"}})
    (third,) = ClaudeCode().read(path, second.cursor, settled=False)
    assert len([seen for seen in third.seen if isinstance(seen, TurnSeen)]) == 1


def test_half_a_last_record_is_never_told(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY[:-9])
    (chunk,) = ClaudeCode().read(path, None, settled=True)
    assert chunk.cursor.offset < len(STORY) - 9
    assert chunk.tally.bad_lines == 0
    assert list(ClaudeCode().read(path, chunk.cursor, settled=True)) == []
    shelf.append(path, STORY[-9:])
    (chunk,) = ClaudeCode().read(path, chunk.cursor, settled=False)
    assert [seen.text for seen in chunk.seen if isinstance(seen, TurnSeen)] == ["One.\n\nTwo."]


def test_an_unchanged_file_is_not_opened(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf.put("s.jsonl", STORY)
    (chunk,) = ClaudeCode().read(path, None, settled=True)
    monkeypatch.setattr(Path, "open", None)
    assert list(ClaudeCode().read(path, chunk.cursor, settled=True)) == []


def first_cursor(path: Path) -> Cursor:
    return list(ClaudeCode().read(path, None, settled=True))[-1].cursor


def prompts(chunks: list[Chunk]) -> list[str]:
    return [seen.text for seen in everything(chunks) if isinstance(seen, TurnSeen)]


def test_a_file_that_shrank_is_read_from_its_start(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY)
    cursor = first_cursor(path)
    path.write_bytes(STORY[: STORY.index(b"\n") + 1])
    assert prompts(list(ClaudeCode().read(path, cursor, settled=True))) == ["語 \ufffd go"]


def test_a_file_that_was_written_anew_is_read_from_its_start(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY)
    reader = ClaudeCode()
    cursor = list(reader.read(path, None, settled=True))[-1].cursor
    other = STORY.replace(b"go", b"no")
    path.write_bytes(other)
    os.utime(path, ns=(1, cursor.mtime_ns + 1))
    assert prompts(list(reader.read(path, cursor, settled=True)))[0] == "語 \ufffd no"


def test_a_file_put_in_its_place_is_read_from_its_start(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY)
    cursor = first_cursor(path)
    shelf.put("other", STORY).replace(path)
    assert len(prompts(list(ClaudeCode().read(path, cursor, settled=True)))) == 3


def test_a_cursor_that_was_not_kept_can_be_used_again(shelf: Shelf) -> None:
    """The rows of a chunk were not committed: the reader is ahead of what the archive knows."""
    path = shelf.put("s.jsonl", STORY[: STORY.index(b"\n") + 1])
    reader = ClaudeCode()
    (first,) = reader.read(path, None, settled=False)
    shelf.append(path, STORY[STORY.index(b"\n") + 1 :])
    lost = list(reader.read(path, first.cursor, settled=False))
    assert everything(list(reader.read(path, first.cursor, settled=False))) == everything(lost)


def test_a_read_that_was_given_up_midway_can_be_done_again(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", *(prompt(n, "x" * 2000) for n in range(2000)))
    reader = ClaudeCode()
    chunks = reader.read(path, None, settled=True)
    first = next(chunks)
    del chunks
    assert 500 <= len(first.seen) < 700
    rest = list(reader.read(path, first.cursor, settled=True))
    assert len({t.key for t in everything([first, *rest]) if isinstance(t, TurnSeen)}) == 2000
    assert rest[-1].tally.user == 2000


def prompt(number: int, text: str) -> Record:
    return {"type": "user", "uuid": uid(number), "sessionId": "s", "message": {"content": text}}


def test_chunks_are_small_and_end_where_their_cursor_stands(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", *(prompt(n, "x" * 300_000) for n in range(100)))
    chunks = list(ClaudeCode().read(path, None, settled=True))
    offsets = [0, *(chunk.cursor.offset for chunk in chunks)]
    assert len(chunks) > 3
    assert all(b - a < 9 * 1024 * 1024 for a, b in itertools.pairwise(offsets))
    for chunk in chunks[:-1]:  # a run that ended here goes on, though the file is as it was
        assert list(ClaudeCode().read(path, chunk.cursor, settled=True))[-1].tally.user == 100
    assert list(ClaudeCode().read(path, chunks[-1].cursor, settled=True)) == []


def test_a_line_of_50_megabytes_is_one_turn(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", prompt(1, "x" * 50_000_000), prompt(2, "next"))
    texts = prompts(list(ClaudeCode().read(path, None, settled=True)))
    assert [len(text) for text in texts] == [50_000_000, 4]


def test_a_record_that_is_too_long_is_counted_and_never_held(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", prompt(1, "before"))
    with path.open("r+b") as file:
        file.seek(0, os.SEEK_END)
        file.seek(LONGEST + 10_000_000)
        file.write(b"\n")
    shelf.append(path, prompt(2, "after"))
    tracemalloc.start()
    try:
        chunks = list(ClaudeCode().read(path, None, settled=True))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert prompts(chunks) == ["before", "after"]
    assert chunks[-1].tally.bad_lines == 1
    assert peak < 40 * 1024 * 1024


def test_the_beginning_of_a_long_line_is_searched_once(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shelf.put("s.jsonl", dumped(prompt(1, "x" * 20_000_000))[:-1])
    reader = ClaudeCode()
    (chunk,) = reader.read(path, None, settled=False)
    asked: list[int] = []
    real = files.read_range

    def counted(path: Path, start: int, length: int) -> bytes:
        data = real(path, start, length)
        asked.append(len(data))
        return data

    monkeypatch.setattr("archivist.sources.records.read_range", counted)
    for _ in range(5):
        shelf.append(path, b"y" * 1000)
        (chunk,) = reader.read(path, chunk.cursor, settled=False)
    assert sum(asked) < 10_000
    monkeypatch.undo()
    shelf.append(path, b"\n", prompt(2, "after"))
    chunks = list(reader.read(path, chunk.cursor, settled=False))
    assert prompts(chunks) == ["after"]
    assert chunks[-1].tally.bad_lines == 1


def test_the_state_of_many_files_is_bounded(shelf: Shelf) -> None:
    reader = ClaudeCode()
    cursors = {}
    for n in range(80):
        path = shelf.put(f"{n}.jsonl", prompt(n, "first"))
        cursors[path] = list(reader.read(path, None, settled=True))[-1].cursor
    assert len(reader._tail._live) == 32
    for n, (path, cursor) in enumerate(cursors.items()):
        shelf.append(path, prompt(n, "first"), prompt(1000 + n, "second"))
        (chunk,) = reader.read(path, cursor, settled=False)
        assert prompts([chunk]) == ["second"]
        assert chunk.tally.user == 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_saved_as_utf_16_is_read(shelf: Shelf, encoding: str) -> None:
    text = "\ufeff" + json.dumps(prompt(1, "語")) + "\r\n" + json.dumps(prompt(2, "two"))
    path = shelf.put("s.jsonl", text.encode(encoding))
    reader = ClaudeCode()
    (first,) = reader.read(path, None, settled=False)
    assert prompts([first]) == ["語"]
    shelf.append(path, "\r\n".encode(encoding))
    (second,) = reader.read(path, first.cursor, settled=False)
    assert prompts([second]) == ["語", "two"]
    assert list(reader.read(path, second.cursor, settled=True)) == []


def test_a_file_that_vanished_is_a_problem(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", STORY)
    cursor = first_cursor(path)
    path.unlink()
    with pytest.raises(FileProblem, match="no longer there"):
        list(ClaudeCode().read(path, cursor, settled=True))


def test_a_file_that_vanishes_while_it_is_read_is_a_problem(shelf: Shelf) -> None:
    path = shelf.put("s.jsonl", *(prompt(n, "x" * 5000) for n in range(3000)))
    chunks = ClaudeCode().read(path, None, settled=True)
    next(chunks)
    path.unlink()
    with pytest.raises(FileProblem):
        list(chunks)


def test_a_bug_in_a_parser_leaves_no_half_state_behind(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shelf.put("s.jsonl", prompt(1, "one"))
    reader = ClaudeCode()
    (chunk,) = reader.read(path, None, settled=False)
    shelf.append(path, prompt(2, "two"), prompt(3, "three"))
    with monkeypatch.context() as patch:
        patch.setattr("archivist.sources.claude_records.typed_prompt", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            list(reader.read(path, chunk.cursor, settled=False))
    (again,) = reader.read(path, chunk.cursor, settled=False)
    assert prompts([again]) == ["two", "three"]
    assert again.tally.user == 3


def test_an_empty_file_has_a_tally(shelf: Shelf) -> None:
    (chunk,) = ClaudeCode().read(shelf.put("s.jsonl"), None, settled=True)
    assert chunk.seen == ()
    assert replace(chunk.tally, user=0) == chunk.tally
