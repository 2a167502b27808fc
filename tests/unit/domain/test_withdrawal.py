import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.headings import BOM, split_lines
from archivist.domain.hunks import Conflict, changes
from archivist.domain.knowledge import LessonId
from archivist.domain.memory_file import Hunk, blocked, place
from archivist.domain.withdrawal import withdraw

NOTES = b"# Notes\n"
WRITTEN = b"# Notes\n\n## Facts\n\n- one\n\n## Patterns\n\n- two\n"


def hunk(text: str, heading: str = "Preferences") -> Hunk:
    return Hunk(heading, f"- {text}", (LessonId(1),), preselected=True)


@pytest.mark.parametrize("before", [None, b"", NOTES, b"# T", BOM + b"a\r\n"])
def test_an_untouched_file_is_as_it_was(before: bytes | None) -> None:
    after = place(before, [hunk("new")])
    assert withdraw(before, after, after) == (before or b"")


@pytest.mark.parametrize(
    "current, after",
    [
        # the heading that is still in use stays, the other goes
        (WRITTEN + b"- mine\n", b"# Notes\n\n## Patterns\n\n- mine\n"),
        (WRITTEN.replace(b"- one\n", b"- one\n- mine\n"), b"# Notes\n\n## Facts\n\n- mine\n"),
        (WRITTEN.replace(b"- one", b"text\n\n- one"), b"# Notes\n\n## Facts\n\ntext\n\n"),
        # what a person took out already, or moved the place of
        (WRITTEN.replace(b"- one\n", b""), NOTES),
        (WRITTEN.replace(b"## Facts", b"## Truths"), b"# Notes\n\n## Truths\n\n"),
        (b"- one\n" + WRITTEN.replace(b"- one\n", b""), NOTES),
        (b"intro\n" + WRITTEN, b"intro\n# Notes\n"),
        (WRITTEN.replace(b"# Notes", b"# My notes"), b"# My notes\n"),
        # an editor changed line ends, or the end of the file
        (WRITTEN.replace(b"\n", b"\r\n"), b"# Notes\r\n"),
        (WRITTEN.rstrip(b"\n"), b"# Notes"),
        (WRITTEN + b"last", b"# Notes\n\n## Patterns\n\nlast"),
    ],
)
def test_edits_around_the_written_lines_stay(current: bytes, after: bytes) -> None:
    assert withdraw(NOTES, WRITTEN, current) == after


@pytest.mark.parametrize(
    "current", [WRITTEN.replace(b"one", b"one, edited"), WRITTEN.replace(b"- two", b"* two")]
)
def test_a_written_line_that_was_changed_is_a_conflict(current: bytes) -> None:
    result = withdraw(NOTES, WRITTEN, current)
    assert isinstance(result, Conflict)
    assert result.clashes[0].theirs


OLD, NEW = b"# T\n\n- old\n- x\n", b"# T\n\n- new\n- x\n"


@pytest.mark.parametrize(
    "current, after",
    [
        (NEW + b"- mine\n", OLD + b"- mine\n"),
        (NEW.replace(b"- x", b"- mine\n- x"), OLD.replace(b"- x", b"- mine\n- x")),
        (NEW.replace(b"- new", b"- mine\n- new"), OLD.replace(b"- old", b"- mine\n- old")),
    ],
)
def test_a_replaced_line_comes_back_in_its_place(current: bytes, after: bytes) -> None:
    assert withdraw(OLD, NEW, current) == after


@pytest.mark.parametrize("current", [b"# T\n\n- newer\n- x\n", b"# T\n\n- x\n", b"# T\n"])
def test_a_replaced_line_whose_place_is_lost_is_a_conflict(current: bytes) -> None:
    assert isinstance(withdraw(OLD, NEW, current), Conflict)


def test_a_line_that_was_only_removed_comes_back_between_edits() -> None:
    assert withdraw(b"a\nold\nb\n", b"a\nb\n", b"a\nmine\nb\n") == b"a\nmine\nold\nb\n"
    assert isinstance(withdraw(b"a\nold\nb\n", b"a\nb\n", b"all else\n"), Conflict)


LINES = st.lists(
    st.sampled_from("# T|## Preferences|## Facts|- a|text|  more|```|".split("|")), max_size=8
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, bytes, bytes, list[bytes]]:
    """A file before and after a write, what a person made of it, and the lines they added."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    before = "".join(line + end for line in draw(LINES)).encode()
    titles = ["Preferences", "Facts"]
    if blocked(before, titles):
        before = b""
    after = place(before, [hunk("rule one"), hunk("rule two", "Facts")])
    lines, added = split_lines(after), []
    for number in range(draw(st.integers(0, 4))):
        line = f"- by hand {number}{end}".encode()
        lines.insert(draw(st.integers(0, len(lines))), line)
        added.append(line)
    for _ in range(draw(st.integers(0, 2))):
        mine = [n for n, line in enumerate(lines) if line not in added]
        if mine:
            del lines[draw(st.sampled_from(mine))]
    return before, after, b"".join(lines), added


@given(edited())
def test_hand_lines_stay_and_ours_go(case: tuple[bytes, bytes, bytes, list[bytes]]) -> None:
    before, after, current, added = case
    result = withdraw(before, after, current)
    if isinstance(result, Conflict):
        return
    assert b"rule one" not in result
    assert b"rule two" not in result
    assert [line for line in split_lines(result) if line.startswith(b"- by hand")] == [
        line for line in split_lines(current) if line.startswith(b"- by hand")
    ]
    assert len(added) == result.count(b"by hand")
    lost = [
        line
        for change in changes(split_lines(current), split_lines(result))
        for line in split_lines(current)[change.start : change.end]
        if line.strip() and not b"".join(change.lines).startswith(line)
    ]
    assert all(line in split_lines(after) for line in lost), "only what was written goes"


@given(edited())
def test_insertions_alone_are_never_a_conflict(
    case: tuple[bytes, bytes, bytes, list[bytes]],
) -> None:
    before, after, current, added = case
    kept = [line for line in split_lines(current) if line not in added]
    if kept == split_lines(after):
        assert not isinstance(withdraw(before, after, current), Conflict)
