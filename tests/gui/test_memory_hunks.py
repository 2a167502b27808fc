"""The list of changes by itself: what is chosen, and how it is drawn."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPixmap

from archivist.domain.care import Care
from archivist.domain.knowledge import LessonId
from archivist.domain.memory_diff import DiffLine, Sign
from archivist.domain.proposals import HunkId
from archivist.domain.snippets import Span
from archivist.gui.application import Application
from archivist.gui.contrast import contrast
from archivist.gui.look import Look
from archivist.gui.memory.diff_rows import DiffRows
from archivist.gui.memory.hunk_list import HunkList
from archivist.services.memory_shown import HunkSource, HunkView
from helpers.palettes import PALETTES, palette

pytestmark = pytest.mark.gui

LINE = DiffLine(Sign.ADDED, None, 1, "- A rule")
HUNK = HunkView(HunkId(1), "Facts", "A rule", False, (LINE,), (), ())


@pytest.fixture
def look(qapp: Application) -> Look:
    return Look(qapp.palette())


def test_a_choice_ends_with_a_reason_for_care_that_was_not_seen(look: Look) -> None:
    hunks = HunkList(look)
    hunks.show_hunks([HUNK])
    hunks.choose(HUNK)
    assert hunks.chosen == [HunkId(1)]
    careful = replace(HUNK, cares=(Care.YOURS,))
    hunks.show_hunks([careful])
    assert hunks.chosen == []
    assert not hunks.cards[0].box.isChecked()
    hunks.choose(careful)
    hunks.show_hunks([HUNK])
    hunks.show_hunks([careful])
    assert hunks.chosen == [HunkId(1)]


def test_choices_outlive_other_changes(look: Look) -> None:
    hunks = HunkList(look)
    second = replace(HUNK, id=HunkId(2), text="Another")
    hunks.show_hunks([HUNK, second])
    hunks.choose(HUNK, chosen=False)
    hunks.show_hunks([second])
    hunks.show_hunks([second, HUNK])
    assert hunks.chosen == [HunkId(2)]


def test_the_new_wording_of_the_current_change_is_current(look: Look) -> None:
    hunks = HunkList(look)
    first, second, third = (
        replace(HUNK, id=HunkId(n), sources=(HunkSource(LessonId(n), "x", 1),)) for n in (1, 2, 3)
    )
    hunks.show_hunks([first, second, third])
    hunks.go(2)
    again = replace(third, id=HunkId(4))
    hunks.show_hunks([again, second])
    assert hunks.current is hunks.cards[0]
    hunks.show_hunks([second])
    assert hunks.current is hunks.cards[0]


def colours_in(rows: DiffRows, size: QSize) -> set[str]:
    rows.resize(size)
    picture = QPixmap(size)
    rows.render(picture)
    image = picture.toImage()
    pixels = ((x, y) for x in range(0, size.width(), 2) for y in range(0, size.height(), 2))
    return {QColor(image.pixel(x, y)).name() for x, y in pixels}


@pytest.mark.parametrize("theme", PALETTES)
def test_changed_words_have_a_ground_of_their_own_in_light_and_dark(
    qapp: Application, theme: str
) -> None:
    look = Look(palette(theme))
    old = DiffLine(Sign.REMOVED, 1, None, "- Answer in English", (Span(12, 19),))
    new = DiffLine(Sign.ADDED, None, 1, "- Answer in Chinese", (Span(12, 19),))
    seen = colours_in(DiffRows(look, [old, new]), QSize(600, 80))
    colours = look.colours
    expected = ("added_back", "added_word", "removed_back", "removed_word")
    assert {getattr(colours, name).name() for name in expected} <= seen
    assert contrast(colours.added, colours.added_word) >= 4.5
    assert contrast(colours.removed, colours.removed_word) >= 4.5


def test_a_changed_word_is_marked_behind_letters_outside_the_basic_plane(look: Look) -> None:
    line = DiffLine(Sign.ADDED, None, 1, "👩‍💻 ab", (Span(4, 6),))
    rows = DiffRows(look, [line])
    (mark,) = rows.laid_out(line, 300).formats()
    assert (mark.start, mark.length) == (6, 2)
