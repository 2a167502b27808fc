"""The sentences of the memory window."""

import pytest

from archivist.domain.care import Care
from archivist.domain.knowledge import LessonId
from archivist.domain.memory_diff import DiffLine, Sign
from archivist.domain.memory_readers import FileReader
from archivist.domain.problems import FileProblem
from archivist.domain.proposals import HunkId, Target, TargetId
from archivist.gui.memory import words
from archivist.services.memory_shown import FileState, FileView, HunkSource, HunkView

pytestmark = pytest.mark.gui

MINUTE = 60_000
CLAUDE = (FileReader("Claude Code", 200, 25_000),)
TARGET = Target(TargetId(1), "/home/ada/code/api/MEMORY.md", "/home/ada/code/api", 0)
ADDED = DiffLine(Sign.ADDED, None, 7, "- Prefer pytest.")
REMOVED = DiffLine(Sign.REMOVED, 7, None, "- Prefer unittest.")


def view(state: FileState = FileState.READY, problem: FileProblem | None = None) -> FileView:
    return FileView(TARGET, state, problem, None, None, None, (), ())


def hunk(
    *cares: Care, lines: tuple[DiffLine, ...] = (ADDED,), sessions: tuple[int, ...] = (3,)
) -> HunkView:
    sources = tuple(HunkSource(LessonId(n), "x", n) for n in sessions)
    replaces = any(line.sign is Sign.REMOVED for line in lines)
    return HunkView(HunkId(1), "Preferences", "Prefer pytest.", replaces, lines, sources, cares)


def test_the_state_of_the_file_is_one_line() -> None:
    assert words.state_line(view(), None, 0) == ""
    assert words.state_line(view(), 0, 4 * MINUTE) == (
        "The file changed on disk 4 min ago; the proposal was redone on top of it."
    )
    assert "read-only" in words.state_line(view(FileState.READ_ONLY), 0, 0)
    assert "Writing the chosen changes makes it" in words.state_line(view(FileState.MISSING), 0, 0)
    problem = FileProblem("It is a link.", advice="Choose its target.")
    trouble = view(FileState.TROUBLE, problem)
    assert words.state_line(trouble, 0, 0) == "It is a link. Choose its target."


@pytest.mark.parametrize(
    "size, lines, readers, expected, over",
    [
        (900, 12, (), "Result: 900 bytes, 12 lines", False),
        (1, 1, (), "Result: 1 byte, 1 line", False),
        (1_900, 48, CLAUDE, "Result: 1.9 kB of 25.0 kB, 48 of 200 lines", False),
        (
            *(1_900, 201, CLAUDE),
            "Result: 1.9 kB of 25.0 kB, 201 of 200 lines. Claude Code does not load the rest.",
            True,
        ),
        (
            *(25_001, 20, CLAUDE),
            "Result: 25.0 kB of 25.0 kB, 20 of 200 lines. Claude Code does not load the rest.",
            True,
        ),
    ],
)
def test_the_budget(
    size: int, lines: int, readers: tuple[FileReader, ...], expected: str, *, over: bool
) -> None:
    assert words.budget(size, lines, readers) == expected
    assert words.is_over(size, lines, readers) is over


def test_a_change_is_told_in_words() -> None:
    assert words.told(hunk(), 2, 3) == ("Hunk 2 of 3, add 1 line under Preferences: Prefer pytest.")
    both = hunk(Care.YOURS, lines=(REMOVED, ADDED))
    assert words.told(both, 1, 1) == (
        "Hunk 1 of 1, replace 1 by 1 under Preferences: Prefer pytest. "
        "Attention: replaces a line you wrote."
    )
    assert words.rows_told(both.lines) == (
        "line 7, removed: - Prefer unittest.\nline 7, added: - Prefer pytest."
    )


def test_where_it_comes_from_and_what_it_replaces() -> None:
    assert words.origin(hunk()) == "from a lesson, 3 sessions"
    assert words.origin(hunk(sessions=(1,))) == "from a lesson, 1 session"
    assert words.origin(hunk(sessions=(0,))) == "from a lesson"
    assert words.origin(hunk(sessions=(1, 2))) == "from 2 lessons"
    assert words.replacing(hunk()) == ""
    assert words.replacing(hunk(lines=(REMOVED, ADDED))) == "replaces the older wording"
    assert words.replacing(hunk(Care.YOURS, lines=(REMOVED, ADDED))) == ""


def test_every_reason_for_care_has_words() -> None:
    assert len({words.care(reason) for reason in Care}) == len(Care)
    question = words.care_question(hunk(Care.HIDDEN, Care.ORDER))
    assert "hides characters; reads like an order to an assistant" in question


def test_the_file_its_scope_and_its_readers() -> None:
    assert words.entry(TARGET, 2) == "MEMORY.md · api (2)"
    assert words.entry(TARGET, 0) == "MEMORY.md · api"
    everywhere = Target(TargetId(1), "C:\\Users\\ada\\MEMORY.md", "", 0)
    assert words.entry(everywhere, 1) == "MEMORY.md · everywhere (1)"
    assert words.about(view()).startswith("Takes lessons of /home/ada/code/api; no assistant")
    assert words.read_by(CLAUDE) == "read by Claude Code"


def test_nothing_hides_in_a_path() -> None:
    bad = Target(TargetId(1), "/x/a\u202eb/MEMORY.md", "/x/a\u202eb", 0)
    shown = words.broken(bad.path) + words.entry(bad, 1) + words.scope_of(bad.project)
    assert shown.count("⟪U+202E⟫") == 3
    assert "\u202e" not in shown


def test_the_button_says_what_it_does() -> None:
    assert words.write_verb(2, FileState.READY) == "Write 2 ▸"
    assert words.write_verb(0, FileState.READY) == "Write"
    assert words.write_verb(2, FileState.MISSING) == "Create with 2 ▸"
