import json

import pytest

from archivist.domain.json_text import Leaf, is_json, leaves, literal


@pytest.mark.parametrize(
    "text,told", [("{}", True), (' [1, "a"]', True), ('"a"', True), ("12", False), ("{a}", False)]
)
def test_json_that_can_hold_texts_is_known(text: str, told: bool) -> None:  # noqa: FBT001
    assert is_json(text) is told


def test_json_nested_too_deep_is_none() -> None:
    assert not is_json("[" * 200_000 + "]" * 200_000)


def test_the_leaves_have_their_places_and_names() -> None:
    text = (
        '{"a": "x\\n\\"y", "b": [1, "p", {"name": "N", "value": "v"}, "q"],'
        ' "c": {"value": "w"}, "d" : "é"}'
    )
    found = list(leaves(text))
    assert [leaf[2:] for leaf in found] == [
        ('x\n"y', "a"),
        ("p", ""),
        ("N", "name"),
        ("v", "N"),
        ("q", ""),
        ("w", "value"),
        ("é", "d"),
    ]
    assert all(json.loads(text[leaf.start : leaf.end]) == leaf.text for leaf in found)
    assert found[0] == Leaf(6, 14, 'x\n"y', "a")


def test_a_literal_is_escaped_as_the_one_it_replaces() -> None:
    assert literal("é", like='"a"') == '"\\u00e9"'
    assert literal("é", like='"ü"') == '"é"'
    assert literal("\ud800", like='"ü"') == '"\\ud800"'
