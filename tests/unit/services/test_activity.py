import asyncio
from datetime import datetime

import pytest

from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.domain.jobs import Stage
from archivist.domain.pause import Paused
from archivist.services.activity import Activities, describe
from archivist.services.bus import ActivityChanged, Bus


class Seconds:
    """A clock of seconds that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def activities() -> tuple[Activities, list[Activity], Seconds]:
    bus, told, seconds = Bus(), list[Activity](), Seconds()
    bus.listen(ActivityChanged, lambda event: told.append(event.activity))
    return Activities(bus, seconds=seconds), told, seconds


async def test_progress_is_told_at_most_ten_times_a_second_and_its_end_always() -> None:
    kept, told, seconds = activities()
    for number in range(100):
        kept.importing(Importing(number, 100, 0, "a"), at=1)
        seconds.now += 0.01
    assert 9 <= len(told) <= 11
    kept.importing(None, at=7)
    assert told[-1] == Idle(7)


async def test_the_last_progress_is_told_when_nothing_comes_after_it() -> None:
    bus, told = Bus(), list[Activity]()
    heard = asyncio.Event()

    def hear(event: ActivityChanged) -> None:
        told.append(event.activity)
        if len(told) == 2:
            heard.set()

    bus.listen(ActivityChanged, hear)
    kept = Activities(bus)
    for number in range(50):
        kept.archiving(Archiving(number, 50 - number, Stage.RECAP, "rules"), at=1)
    assert told == [Archiving(0, 50, Stage.RECAP, "rules")]
    await asyncio.wait_for(heard.wait(), 5)
    assert told[1] == Archiving(49, 1, Stage.RECAP, "rules")


def test_another_kind_of_work_is_told_at_once() -> None:
    kept, told, _ = activities()
    reading = Importing(0, 1, 0, "a")
    step = Archiving(0, 5, Stage.RECAP, "rules")
    kept.archiving(step, at=1)
    kept.importing(reading, at=1)
    kept.importing(None, at=2)
    kept.archiving(None, at=3)
    assert told == [step, reading, step, Idle(3)]


def test_a_pause_is_shown_when_nothing_runs() -> None:
    kept, told, _ = activities()
    kept.paused(Paused(5))
    kept.importing(Importing(0, 1, 0, "a"), at=1)
    kept.importing(None, at=2)
    kept.paused(None)
    assert told == [Paused(5), Importing(0, 1, 0, "a"), Paused(5), Idle(2)]
    assert kept.current == Idle(2)


def test_what_was_nothing_is_not_told_and_ends_nothing() -> None:
    kept, told, _ = activities()
    kept.importing(None, at=5)
    kept.archiving(None, at=6)
    assert told == []
    assert kept.current == Idle(None)
    kept.worked(at=7)
    assert told == [Idle(7)]


@pytest.mark.parametrize(
    "activity,sentence",
    [
        (Idle(), "Waiting for the next conversation."),
        (Idle(5), "Up to date since T5."),
        (Importing(0, 3, 1, "a"), "Reading file 1 of 3, 1 new turn."),
        (Importing(3, 3, 20, "a"), "Reading file 3 of 3, 20 new turns."),
        (Archiving(0, 0, None, "rules"), "Archiving: putting turns into segments."),
        (Archiving(3, 6, Stage.RECAP, "rules"), "Archiving, step 4 of 9: a recap by rules."),
        (Archiving(3, 6, Stage.RECAP, "M {x}"), "Archiving, step 4 of 9: a recap by M {x}."),
        (Archiving(0, 1, Stage.VECTOR, "rules"), "Archiving, step 1 of 1: indexing by meaning."),
        (Archiving(0, 1, Stage.EVENTS, "rules"), "Archiving, step 1 of 1: decisions and facts."),
        (Archiving(0, 1, Stage.FACETS, "rules"), "Archiving, step 1 of 1: decisions and facts."),
        (Archiving(0, 1, Stage.LESSONS, "rules"), "Archiving, step 1 of 1: lessons."),
        (Paused(None), "Paused until you resume it."),
        (Paused(9), "Paused until T9."),
    ],
)
def test_each_activity_is_one_sentence(activity: Activity, sentence: str) -> None:
    assert describe(activity, when=lambda at: f"T{at}") == sentence


def test_without_words_of_its_own_a_time_is_that_of_the_clock() -> None:
    noon = datetime.now().astimezone().replace(hour=12, minute=5)
    assert describe(Paused(int(noon.timestamp() * 1000))) == "Paused until 12:05."
