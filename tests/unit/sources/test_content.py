import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.sources.content import (
    BOUND,
    block_text,
    bounded,
    bounded_json,
    json_text,
    key_of,
    output_text,
)

PICTURE = b"\x89PNG" + bytes(range(256)) * 4
ENCODED = base64.b64encode(PICTURE).decode()
NOTE = f"[image: image/png, {len(PICTURE)} bytes, sha1 {hashlib.sha1(PICTURE).hexdigest()}]"


# Assembled from pieces, so that nothing takes them for real ones.
BEGIN = "-" * 5 + "BEGIN RSA PRIVATE KEY" + "-" * 5
END = "-" * 5 + "END RSA PRIVATE KEY" + "-" * 5
KEY_LINE = "MIIEow" + "Q" * 58
KEY = "\n".join([BEGIN, *[KEY_LINE] * 20, END])
LINE = "an ordinary line of output\n"


def filled(size: int) -> str:
    """Return whole lines of about so many characters."""
    return LINE * (size // len(LINE))


def test_an_output_goes_whole_to_the_gate() -> None:
    token = "ghp_" + "x" * 36
    text = "a" * 8180 + token + "b" * 100_000 + KEY
    assert bounded(text) == text
    assert output_text([{"type": "text", "text": text}]) == text
    assert json.loads(json_text({"a": text}))["a"] == text
    assert json.loads(bounded_json(json.dumps({"a": text})))["a"] == text


def test_an_enormous_output_loses_its_middle_at_line_breaks() -> None:
    text = filled(2 * BOUND)
    short = bounded(text)
    assert len(short) <= BOUND
    head, note, tail = short.partition("[")
    assert set(head.splitlines()) == set(tail.splitlines()[1:]) == {LINE.strip()}
    assert f"of {len(text)} characters left out]" in note + tail


def test_an_enormous_line_is_left_out_whole() -> None:
    assert bounded("x" * (BOUND + 1)) == f"[{BOUND + 1} of {BOUND + 1} characters left out]"


@pytest.mark.parametrize("shift", range(0, 1600, 111))
@pytest.mark.parametrize("ending", [END, ""], ids=["whole", "cut off"])
def test_no_half_of_a_key_block_is_left_at_a_cut(shift: int, ending: str) -> None:
    key = KEY.removesuffix(END) + ending
    head = filled(BOUND // 2 - shift)
    tail = filled(BOUND // 4 - shift)
    text = f"{head}{key}\n{filled(BOUND)}{key}\n.\n{tail}"
    short = bounded(text)
    begun, ended = short.count(BEGIN), short.count(END)
    if ending:
        assert begun == ended
        assert short.count(KEY_LINE) == 20 * begun
    else:
        assert "MIIEow" not in short or short.count(KEY_LINE) == 20 * begun
    assert short.startswith(LINE)
    assert short.endswith(LINE)


def test_a_long_address_is_not_cut_through() -> None:
    query = "?signature=" + "s" * 300
    assert block_text({"type": "input_image", "image_url": "https://a/b.png" + query}) == (
        "[image: https://a/b.png]"
    )
    assert block_text({"type": "input_image", "image_url": "data:image/svg+xml," + "s" * 300}) == (
        "[image: 319 characters]"
    )


def test_images_are_named_not_copied() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": ENCODED}
    assert block_text({"type": "image", "source": source}) == NOTE
    url = f"data:image/png;base64,{ENCODED}"
    assert block_text({"type": "input_image", "image_url": url}) == NOTE
    assert block_text({"type": "image_url", "image_url": {"url": url}}) == NOTE
    assert bounded(f"see {url} there") == f"see {NOTE} there"


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


def test_arguments_stay_json_when_they_are_bounded() -> None:
    url = f"data:image/png;base64,{ENCODED * 20}"
    text = json_text({"path": "a.py", "content": filled(2 * BOUND), "edits": [{"new": url}]})
    value = json.loads(text)
    assert value["path"] == "a.py"
    assert len(text) < BOUND
    assert "characters left out" in value["content"]
    assert value["edits"][0]["new"].startswith("[image: image/png")
    assert json.loads(bounded_json(json.dumps({"shot": url})))["shot"].startswith("[image:")
    assert "characters left out" in bounded_json("no json\n" * BOUND)


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
