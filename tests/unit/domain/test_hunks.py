import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archivist.domain.headings import split_lines
from archivist.domain.hunks import (
    Change,
    Clash,
    Conflict,
    apply_changes,
    changes,
    file_diff,
    merge,
    unified,
)

LETTERS = st.lists(st.sampled_from([b"a", b"b", b"c", b""]), max_size=8)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
FILES = st.builds(
    lambda lines, end, closed: end.join(lines) + (end if closed else b""),
    LETTERS,
    ENDS,
    st.booleans(),
)


@given(FILES, FILES)
def test_changes_turn_the_old_file_into_the_new(old: bytes, new: bytes) -> None:
    lines = split_lines(old)
    found = changes(lines, split_lines(new))
    assert b"".join(apply_changes(lines, found)) == new
    assert all(a.end < b.start for a, b in pairwise(found)), "they touch"
    assert bool(found) == (old != new)


@given(FILES, FILES)
def test_what_only_one_side_changed_is_taken(base: bytes, other: bytes) -> None:
    assert merge(base, other, base) == other
    assert merge(base, base, other) == other
    assert merge(base, other, other) == other


@given(FILES, FILES, FILES)
def test_the_sides_can_be_swapped(base: bytes, ours: bytes, theirs: bytes) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    if isinstance(one, Conflict):
        assert isinstance(other, Conflict)
        assert [c.ours for c in one.clashes] == [c.theirs for c in other.clashes]
    else:
        assert one == other


def edited(lines: list[str], edits: list[tuple[int, str]], side: str) -> list[str]:
    """Apply edits at positions; new lines are unique, so that no tool can align them otherwise."""
    result: list[str] = []
    for number, line in enumerate([*lines, ""]):
        kinds = [kind for at, kind in edits if at == number]
        if "insert" in kinds:
            result.append(f"{side} new {number}")
        if "both" in kinds:
            result.append(f"same new {number}")
        if not line or "delete" in kinds:
            continue
        result.append(f"{side} {line}" if "change" in kinds else line)
    return result


EDITS = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from(["insert", "both", "delete", "change"])),
    max_size=4,
)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here to compare with")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 8), EDITS, EDITS, st.sampled_from(["\n", "\r\n"]))
def test_merges_like_git(
    tmp_path: Path,
    size: int,
    mine: list[tuple[int, str]],
    other: list[tuple[int, str]],
    end: str,
) -> None:
    base = [f"line {number}" for number in range(size)]
    versions = [edited(base, mine, "our"), base, edited(base, other, "their")]
    texts = ["".join(line + end for line in version).encode() for version in versions]
    paths = [tmp_path / name for name in ("ours", "base", "theirs")]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    git = subprocess.run(
        ["git", "merge-file", "-p", "-q", *map(str, paths)], capture_output=True, check=False
    )
    result = merge(texts[1], texts[0], texts[2])
    if git.returncode == 0:
        assert result == git.stdout
    else:
        assert isinstance(result, Conflict)


def test_a_contradiction_is_a_value_with_its_place() -> None:
    result = merge(b"a\nb\nc\n", b"a\nours\nc\n", b"a\ntheirs\nc\n")
    assert result == Conflict((Clash(1, (b"b\n",), (b"ours\n",), (b"theirs\n",)),))


def test_line_ends_of_the_three_kinds_are_kept() -> None:
    base = b"a\r\nb\nc\rd"
    assert merge(base, b"new\n" + base, base + b"\r\nend") == b"new\na\r\nb\nc\rd\r\nend"


def test_a_diff_for_reading() -> None:
    lines = split_lines(b"1\n2\n3\n4\n5\n6\n")
    change = Change(3, 4, (b"four\n", b"4\xe2\x80\x8b\n"))
    assert unified(lines, change, title="## Facts").splitlines() == [
        "@@ -1,6 +1,7 @@ ## Facts",
        " 1",
        " 2",
        " 3",
        "-4",
        "+four",
        "+4⟪U+200B⟫",
        " 5",
        " 6",
    ]


def test_a_last_line_that_only_gets_its_end_is_context() -> None:
    assert file_diff(b"a\nb", b"a\nb\nc") == "@@ -1,2 +1,3 @@\n a\n b\n+c"
    assert file_diff(b"a\nb\nc\n" + b"x\n" * 9, b"A\nb\nC\n" + b"x\n" * 8 + b"y\n") == "\n".join(
        [
            *("@@ -1,6 +1,6 @@", "-a", "+A", " b", "-c", "+C", " x", " x", " x"),
            *("@@ -9,4 +9,4 @@", " x", " x", " x", "-x", "+y"),
        ]
    )
    assert file_diff(None, b"a\n") == "@@ -0,0 +1 @@\n+a"
    assert file_diff(b"same", b"same") == ""
