from archivist.domain.knowledge import LessonId
from archivist.domain.memory_diff import DiffLine, Sign, file_lines, hunk_lines, whole_file
from archivist.domain.memory_file import Hunk, place
from archivist.domain.snippets import Span

FILE = b"\xef\xbb\xbf# Notes\r\n\r\n## Preferences\r\n\r\n- Mine\r\n- Ours\r\n\r\n## Other\r\n"


def hunk(added: str, *, heading: str = "Preferences", removed: str = "") -> Hunk:
    return Hunk(heading, added, (LessonId(1),), preselected=True, removed=removed)


def drawn(rows: tuple[DiffLine, ...]) -> list[str]:
    """Write rows as `old new sign text`, with a dash for no number."""
    return [f"{row.old or '-'} {row.new or '-'} {row.sign}{row.text}" for row in rows]


def test_an_added_line_stands_between_its_neighbours() -> None:
    (rows,) = hunk_lines(FILE, [hunk("- A rule")])
    assert drawn(rows) == [
        "4 4  ",
        "5 5  - Mine",
        "6 6  - Ours",
        "- 7 +- A rule",
        "7 8  ",
        "8 9  ## Other",
    ]


def test_a_replaced_line_shows_both_wordings_and_the_words() -> None:
    (rows,) = hunk_lines(FILE, [hunk("- Ours too", removed="- Ours")])
    assert drawn(rows)[3:5] == ["6 - -- Ours", "- 6 +- Ours too"]
    assert rows[4].changed == (Span(7, 10),)
    assert drawn(rows)[5:] == ["7 7  ", "8 8  ## Other"]


def test_each_hunk_is_shown_as_if_it_were_alone() -> None:
    first, second = hunk_lines(FILE, [hunk("- One"), hunk("- Two")])
    assert [row.new for rows in (first, second) for row in rows if row.sign is Sign.ADDED] == [7, 7]


def test_a_last_line_without_end_is_no_change() -> None:
    (rows,) = hunk_lines(b"# Notes", [hunk("- A rule", heading="Facts")])
    assert drawn(rows) == ["1 1  # Notes", "- 2 +", "- 3 +## Facts", "- 4 +", "- 5 +- A rule"]


def test_a_file_that_is_not_there_begins_with_line_one() -> None:
    (rows,) = hunk_lines(None, [hunk("- A rule")])
    assert drawn(rows) == ["- 1 +## Preferences", "- 2 +", "- 3 +- A rule"]


def test_hidden_characters_are_shown_by_their_numbers() -> None:
    (rows,) = hunk_lines(b"- a\xe2\x80\x8bb\n## Preferences\n", [hunk("- c\u202ed")])
    texts = [row.text for row in rows]
    assert "- a⟪U+200B⟫b" in texts
    assert "- c⟪U+202E⟫d" in texts


def test_the_whole_file_has_every_line_of_the_result_and_marks_the_new_ones() -> None:
    after = place(FILE, [hunk("- A rule"), hunk("- Ours too", removed="- Ours")])
    rows = whole_file(FILE, after)
    lines = after.decode("utf-8-sig").split("\r\n")[:-1]
    assert [row.text for row in rows] == lines
    assert [row.new for row in rows] == list(range(1, len(lines) + 1))
    assert [row.text for row in rows if row.sign is Sign.ADDED] == ["- Ours too", "- A rule"]


def test_the_places_of_a_file_that_differ() -> None:
    old = b"".join(b"%d\n" % n for n in range(1, 21))
    new = old.replace(b"\n2\n", b"\ntwo\n").replace(b"\n18\n", b"\n18\nmore\n")
    first, second = file_lines(old, new)
    assert drawn(first)[:4] == ["1 1  1", "2 - -2", "- 2 +two", "3 3  3"]
    assert "- 19 +more" in drawn(second)
    assert file_lines(old, old) == []
