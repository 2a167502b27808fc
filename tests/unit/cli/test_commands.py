import argparse

import pytest

from archivist.cli.commands import listed, whole
from helpers.console import Console


@pytest.mark.parametrize("text", ["0", "-3", "101", "9" * 30, "9" * 5000, "1.5", "", "x", "1_0"])
def test_a_number_outside_its_bounds_is_a_sentence(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="whole number from 1 to 100"):
        whole(1, 100)(text)


def test_the_bounds_themselves_fit() -> None:
    assert [whole(1, 100)(text) for text in ("1", "100")] == [1, 100]
    assert listed(str(2**63 - 1)) == 2**63 - 1
    with pytest.raises(argparse.ArgumentTypeError, match="as the lists show it"):
        listed(str(2**63))


@pytest.mark.parametrize(
    "verb",
    [
        ("undo", "0"),
        ("undo", "-3"),
        ("undo", "1" + "0" * 20),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--limit", "-1"),
        ("search", "x", "--limit", "9" * 30),
        ("lessons", "keep", "-1"),
        ("lessons", "keep", "9" * 23),
        ("lessons", "reject", "9" * 23),
        ("lessons", "later", "0"),
        ("lessons", "edit", "9" * 23, "--text", "x"),
        ("memory", "apply", "9" * 23, "--hunk", "1"),
        ("memory", "apply", "1", "--hunk", "9" * 23),
        ("memory", "reject", "9" * 23),
    ],
)
def test_no_number_is_taken_for_another(console: Console, verb: tuple[str, ...]) -> None:
    ran = console.throw_away(*verb)
    assert ran.code == 2
    assert "write a" in ran.err
    assert "number" in ran.err


def test_a_misuse_cannot_steer_the_terminal(console: Console) -> None:
    ran = console.run("stat\x1b[2Jus")
    assert ran.code == 2
    assert "\x1b" not in ran.err
