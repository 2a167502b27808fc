import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain import anchors
from archivist.domain.anchors import Anchors

LITERALS = ("pass", "token", "ken", "://", "sk-", "sk-ant-", " -p", "aaa", "_x_", "key", "1.0-")


def naive(text: bytes) -> set[tuple[int, bytes]]:
    """Return every place of every literal, found one by one."""
    lower, found = text.lower(), set[tuple[int, bytes]]()
    for literal in (one.encode() for one in LITERALS):
        at = lower.find(literal)
        while at >= 0:
            found.add((at, literal))
            at = lower.find(literal, at + 1)
    return found


@given(st.lists(st.sampled_from([*LITERALS, "TOKEN", "Key", "a", "s", "k", "-", " ", "ß"])))
def test_every_place_of_every_literal_is_found(parts: list[str]) -> None:
    text = "".join(parts).encode("ascii", "replace")
    found = list(Anchors(LITERALS).find(text))
    assert len(found) == len(set(found))
    assert set(found) == naive(text)


def test_a_literal_across_two_blocks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "_BLOCK", 8)
    for shift in range(20):
        text = b"x" * shift + b"sk-ant-token key" + b"y" * shift
        assert set(Anchors(LITERALS).find(text)) == naive(text)


@pytest.mark.parametrize("text", [b"", b"k", b"ke"])
def test_a_text_shorter_than_any_literal_has_none(text: bytes) -> None:
    assert list(Anchors(LITERALS).find(text)) == []


@pytest.mark.parametrize("literal", ["ab", "Abc", "äbc", ""])
def test_a_literal_that_could_not_be_found_is_refused(literal: str) -> None:
    with pytest.raises(ValueError):
        Anchors([literal])
