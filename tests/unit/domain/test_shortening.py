import json

from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.shortening import LIMIT, shorten, shorten_json


def test_a_short_text_stays_as_it_is() -> None:
    assert shorten("x" * LIMIT) == "x" * LIMIT


def test_a_long_text_keeps_its_head_and_tail_and_says_so() -> None:
    text = "a" * 8192 + "b" * 100_000 + "c" * 4096
    short = shorten(text)
    assert short.startswith("a" * 8192 + "\n")
    assert short.endswith("\n" + "c" * 4096)
    assert f"[100000 of {len(text)} characters left out]" in short


def test_json_stays_json_and_only_its_long_strings_change() -> None:
    text = '{"path": "a.py", "n": 1.50, "content": "' + "x" * 100_000 + '", "n": "é"}'
    short = shorten_json(text)
    assert short.startswith('{"path": "a.py", "n": 1.50, "content": "xxx')
    assert short.endswith('xxx", "n": "é"}')
    assert "characters left out" in json.loads(short)["content"]
    assert len(short) < LIMIT


def test_many_short_strings_stay() -> None:
    text = json.dumps([str(number) for number in range(10_000)])
    assert len(text) > LIMIT
    assert shorten_json(text) == text


def test_a_long_key_and_an_escaped_string_are_no_trouble() -> None:
    text = json.dumps({"k" * 20_000: '"\\\n' * 20_000})
    value = json.loads(shorten_json(text))
    assert "characters left out" in value["k" * 20_000]


def test_what_is_no_json_is_shortened_as_it_is() -> None:
    assert "characters left out" in shorten_json("no json " * 10_000)
    assert shorten_json('{"broken') == '{"broken'
    assert "characters left out" in shorten_json('{"broken": "' + "x" * 20_000)


leaf = st.text(max_size=5) | st.integers() | st.just("long " * 5000) | st.none()


@given(st.recursive(leaf, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_the_shape_of_json_stays(value: object) -> None:
    def shortened(node: object) -> object:
        if isinstance(node, str):
            return shorten(node)
        if isinstance(node, dict):
            return {key: shortened(item) for key, item in node.items()}
        return [shortened(item) for item in node] if isinstance(node, list) else node

    text = json.dumps(value)
    wanted = shortened(value) if len(text) > LIMIT else value
    assert json.loads(shorten_json(text)) == wanted
