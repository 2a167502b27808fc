"""When the person is told of new lessons."""

import pytest

from archivist.domain.waiting import Waiting
from archivist.services.notices import Known, notice, noticed, parsed, written

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


def after(known: Known, lessons: int, *, day: str = MONDAY, is_here: bool = False) -> Known:
    return noticed(known, Waiting(lessons), day=day, is_here=is_here)


def test_new_lessons_are_told_once_a_day() -> None:
    first = after(Known(), 3)
    assert first == Known(MONDAY, 3)  # another day than before: a notice
    assert after(first, 7).day == MONDAY
    assert after(first, 7, day=TUESDAY) == Known(TUESDAY, 7)


def test_the_same_lessons_are_not_told_again_the_next_day() -> None:
    told = after(Known(), 3)
    assert after(told, 3, day=TUESDAY) == told


def test_lessons_that_came_later_the_same_day_are_told_the_next_day() -> None:
    told = after(after(Known(), 3), 5)
    assert after(told, 5, day=TUESDAY) == Known(TUESDAY, 5)


def test_what_was_reviewed_counts_from_anew() -> None:
    reviewed = after(after(Known(), 3), 0)
    assert reviewed == Known(MONDAY, 0)
    assert after(reviewed, 1, day=TUESDAY) == Known(TUESDAY, 1)


def test_nothing_is_told_to_somebody_who_looks_at_it() -> None:
    seen = after(Known(), 3, is_here=True)
    assert seen == Known("", 3)
    assert after(seen, 3) == seen


def test_nothing_new_is_no_notice() -> None:
    assert after(Known(), 0) == Known()


def test_the_words_of_a_notice() -> None:
    assert notice(Waiting(1)).summary == "1 lesson waits for you"
    assert notice(Waiting(12)).summary == "12 lessons wait for you"
    assert notice(Waiting(1)).action == "Review"


def test_it_is_remembered() -> None:
    assert parsed(written(Known(MONDAY, 3))) == Known(MONDAY, 3)
    assert parsed(written(Known())) == Known()


@pytest.mark.parametrize("text", ["", "x", "2026-11-30 many", "2026-11-30 -3", "2026-11-30 ³"])
def test_what_else_is_found_there_is_nothing(text: str) -> None:
    assert parsed(text) == Known()
