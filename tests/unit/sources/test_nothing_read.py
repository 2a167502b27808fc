"""Files of which nothing, or not the last line, can be read: told, and never lost."""

import json

import pytest

from archivist.domain.transcripts import Chunk, TurnSeen
from archivist.sources.claude_code import ClaudeCode
from unit.sources.shelf import Shelf
from unit.sources.story import Story

_tell = Story()
ONE = json.dumps(_tell.user("one")).encode()
TWO = json.dumps(_tell.user("two")).encode()


def texts(chunk: Chunk) -> list[str]:
    return [seen.text for seen in chunk.seen if isinstance(seen, TurnSeen)]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\r".join([ONE, TWO, b""]), id="CR line ends"),
        pytest.param(b"\x28\xb5\x2f\xfd rubbish", id="binary"),
        pytest.param(b"\0" * 5000, id="NULs"),
        pytest.param(b"\0" * 5000 + b"\n", id="a line of NULs"),
        pytest.param(b'{"type":"us', id="half a record"),
        pytest.param("rubbish".encode("utf-16"), id="UTF-16"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_a_bad_line(shelf: Shelf, content: bytes) -> None:
    path = shelf.put("s.jsonl", content)
    (chunk,) = ClaudeCode().read(path, None, settled=False)
    assert chunk.tally.bad_lines == 0
    (chunk,) = ClaudeCode().read(path, chunk.cursor, settled=True)
    assert (chunk.seen, chunk.tally.bad_lines) == ((), 1)


def test_a_last_line_in_utf_16_is_taken_when_the_file_is_quiet(shelf: Shelf) -> None:
    text = "\ufeff" + ONE.decode() + "\n" + TWO.decode()
    path = shelf.put("s.jsonl", text.encode("utf-16-le"))
    reader = ClaudeCode()
    (chunk,) = reader.read(path, None, settled=False)
    (chunk,) = reader.read(path, chunk.cursor, settled=True)
    assert texts(chunk) == ["one", "two"]
    assert list(reader.read(path, chunk.cursor, settled=True)) == []


def test_a_bad_line_that_was_only_not_finished_is_forgotten(shelf: Shelf) -> None:
    whole = ONE + b"\n"
    path = shelf.put("s.jsonl", whole[:20])
    (chunk,) = ClaudeCode().read(path, None, settled=True)
    assert chunk.tally.bad_lines == 1
    shelf.append(path, whole[20:])
    (chunk,) = ClaudeCode().read(path, chunk.cursor, settled=True)
    assert (texts(chunk), chunk.tally.bad_lines) == (["one"], 0)


@pytest.mark.parametrize("content", [b"", b"\n\r\n", b"  "])
def test_a_blank_file_has_no_bad_line(shelf: Shelf, content: bytes) -> None:
    (chunk,) = ClaudeCode().read(shelf.put("s.jsonl", content), None, settled=True)
    assert chunk.tally.bad_lines == 0
