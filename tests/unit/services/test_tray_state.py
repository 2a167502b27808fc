"""What the tray shows for what is known."""

import pytest

from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.domain.pause import Paused
from archivist.domain.waiting import Waiting
from archivist.services.tray_state import Mark, starting, tray_state

READING = Importing(3, 9, 120, "/home/x/a.jsonl")
ARCHIVING = Archiving(1, 8, None, "rules")


@pytest.mark.parametrize(
    "waiting, activity, is_paused, mark",
    [
        (Waiting(), Idle(), False, Mark.IDLE),
        (Waiting(), READING, False, Mark.WORKING),
        (Waiting(), ARCHIVING, False, Mark.WORKING),
        (Waiting(lessons=1), ARCHIVING, False, Mark.ATTENTION),
        (Waiting(changes=1), Idle(), False, Mark.ATTENTION),
        (Waiting(lessons=1, problems=1), ARCHIVING, False, Mark.PROBLEM),
        (Waiting(1, 1, 1), Paused(None), True, Mark.PAUSED),
        (Waiting(), READING, True, Mark.PAUSED),  # read by hand in a pause
    ],
)
def test_the_picture_tells_what_matters_most(
    waiting: Waiting, activity: Activity, mark: Mark, *, is_paused: bool
) -> None:
    assert tray_state(waiting, activity, is_paused=is_paused).mark is mark


def test_nothing_waits() -> None:
    state = tray_state(Waiting(), Idle(), is_paused=False)
    assert state.lessons == "Review lessons…"
    assert state.changes == "Memory changes…"
    assert state.problems == ""
    assert state.tooltip == "Archivist\nWaiting for the next conversation."


def test_counts_stand_in_menu_and_tooltip() -> None:
    state = tray_state(Waiting(3, 1, 2), READING, is_paused=False)
    assert state.lessons == "Review lessons (3)…"
    assert state.changes == "Memory changes (1)…"
    assert state.problems == "Problems (2)…"
    assert state.status == "Reading file 4 of 9, 120 new turns."
    assert state.tooltip.split("\n") == [
        "Archivist",
        "Reading file 4 of 9, 120 new turns.",
        "3 lessons to review",
        "1 memory change",
        "2 problems",
    ]
    assert "a.jsonl" not in state.tooltip


def test_counts_stop_at_nine() -> None:
    state = tray_state(Waiting(9, 10, 400), Idle(), is_paused=False)
    assert state.lessons == "Review lessons (9)…"
    assert state.changes == "Memory changes (9+)…"
    assert state.problems == "Problems (9+)…"
    assert "9+ memory changes" in state.tooltip
    assert "400" not in state.tooltip


def test_a_pause_is_told_by_word() -> None:
    state = tray_state(Waiting(), Paused(None), is_paused=True)
    assert state.is_paused
    assert state.status == "Paused until you resume it."


def test_before_the_archive_is_open() -> None:
    assert starting().status == "Starting."
    assert starting().mark is Mark.IDLE
