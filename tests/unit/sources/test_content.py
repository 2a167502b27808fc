import base64
import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from archivist.sources.content import (
    OUTPUT_LIMIT,
    block_text,
    json_text,
    key_of,
    output_text,
    shorten,
    shorten_json,
)

PICTURE = b"\x89PNG" + bytes(range(256)) * 4
ENCODED = base64.b64encode(PICTURE).decode()
NOTE = f"[image: image/png, {len(PICTURE)} bytes, sha1 {hashlib.sha1(PICTURE).hexdigest()}]"


def test_a_short_output_stays_as_it_is() -> None:
    assert shorten("x" * OUTPUT_LIMIT) == "x" * OUTPUT_LIMIT


def test_a_long_output_keeps_its_head_and_tail_and_says_so() -> None:
    text = "a" * 8192 + "b" * 100_000 + "c" * 4096
    short = shorten(text)
    assert short.startswith("a" * 8192 + "\n")
    assert short.endswith("\n" + "c" * 4096)
    assert f"[100000 of {len(text)} characters left out]" in short


def test_images_are_named_not_copied() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": ENCODED}
    assert block_text({"type": "image", "source": source}) == NOTE
    url = f"data:image/png;base64,{ENCODED}"
    assert block_text({"type": "input_image", "image_url": url}) == NOTE
    assert block_text({"type": "image_url", "image_url": {"url": url}}) == NOTE
    assert shorten(f"see {url} there") == f"see {NOTE} there"


def test_documents_and_broken_images_have_a_note_too() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "not base64!"}
    assert block_text({"type": "document", "source": source}).startswith(
        "[document: application/pdf"
    )
    assert block_text({"type": "document", "source": {"type": "text", "data": "plain"}}) == "plain"
    assert block_text({"type": "image", "source": {"type": "url", "url": "https://a/b"}}) == (
        "[image: https://a/b]"
    )
    assert block_text({"type": "image"}) == "[image: unknown]"
    assert block_text({"type": "input_image", "image_url": 5}) == ""


def test_an_output_of_blocks_is_one_text() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "other"}, "two", None, {"type": "text"}]
    assert output_text(blocks) == "one\ntwo"
    assert output_text(None) == ""
    assert output_text({"a": 1}) == '{"a":1}'


def test_arguments_stay_json_when_they_are_shortened() -> None:
    text = json_text({"path": "a.py", "content": "x" * 100_000, "edits": [{"new": "y" * 50_000}]})
    value = json.loads(text)
    assert value["path"] == "a.py"
    assert len(text) < 30_000
    assert "characters left out" in value["content"]
    assert json.loads(shorten_json(json.dumps({"patch": "z" * 100_000})))["patch"].endswith("z")
    assert "characters left out" in shorten_json("no json " * 10_000)


def test_deep_arguments_do_not_raise() -> None:
    value: object = "end"
    for _ in range(600):
        value = {"a": value}
    assert json.loads(json_text(value))["a"]["a"]
    for _ in range(100_000):
        value = [value]
    assert json.loads(json_text(value)) == "[nested too deeply]"
    # Freed level by level: so deep a value would exhaust the stack of older Pythons at once.
    while isinstance(value, list):
        value = value.pop()


@given(st.lists(st.text(), min_size=1, max_size=3), st.lists(st.text(), min_size=1, max_size=3))
def test_keys_tell_parts_apart(one: list[str], other: list[str]) -> None:
    clean = [[part.replace("\0", "") for part in parts] for parts in (one, other)]
    assert (key_of(*clean[0]) == key_of(*clean[1])) == (clean[0] == clean[1])
