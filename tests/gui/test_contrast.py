from PySide6.QtGui import QColor

from archivist.gui.contrast import READABLE, contrast, luminance, mixed, readable

BLACK, WHITE = QColor("black"), QColor("white")


def test_the_contrast_is_that_of_the_standard() -> None:
    assert contrast(BLACK, WHITE) == 21
    assert contrast(WHITE, WHITE) == 1
    # 4.54:1 is the well-known figure of #767676 on white.
    assert round(contrast(QColor("#767676"), WHITE), 2) == 4.54
    assert round(luminance(QColor("#ff0000")), 4) == 0.2126


def test_a_mix_lies_between() -> None:
    assert mixed(WHITE, BLACK, 0.0) == BLACK
    assert mixed(WHITE, BLACK, 1.0) == WHITE
    assert mixed(WHITE, BLACK, 0.5).red() == 128


def test_a_readable_colour_stays_as_it_is() -> None:
    green = QColor("#1a7f37")
    assert readable(green, WHITE).name() == green.name()


def test_an_unreadable_colour_is_moved_just_far_enough() -> None:
    yellow = QColor("#ffdd00")
    moved = readable(yellow, WHITE)
    assert READABLE <= contrast(moved, WHITE) < 6
    assert moved.hue() == yellow.hue()


def test_it_is_readable_on_every_colour_behind_it() -> None:
    behind = [QColor("#202020"), QColor("#3a3a3a"), QColor("#103010")]
    moved = readable(QColor("#303030"), *behind)
    assert all(contrast(moved, back) >= READABLE for back in behind)


def test_where_nothing_is_readable_on_all_the_better_end_is_taken() -> None:
    assert readable(QColor("#888888"), WHITE, BLACK, least=10).name() in {"#000000", "#ffffff"}
