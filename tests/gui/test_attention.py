"""What keeps the tray's state true."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.gui.attention import Attention
from archivist.gui.desk import Desk
from archivist.services.bus import LessonsChanged
from archivist.services.tray_state import Mark, TrayState
from helpers import windows
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


class Shown:
    """What the tray was given."""

    def __init__(self) -> None:
        self.states: list[TrayState] = []
        self.counts: list[Waiting] = []

    def on(self, desk: Desk) -> Attention:
        return Attention(desk, self.states.append, counted=self.counts.append)


def test_it_follows_lessons_problems_and_pauses(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            shown = Shown()
            attention = shown.on(it.rooms.desk)
            attention.look_again()
            await until(lambda: shown.counts)
            waiting = await it.services.review.lessons()
            assert shown.counts[-1].lessons == len(waiting) > 0
            assert shown.states[-1].mark is Mark.ATTENTION

            await it.services.review.keep([waiting[0].id])
            await until(lambda: shown.counts[-1].lessons == len(waiting) - 1)
            await it.services.browse.report(Problem("It broke.", advice="Mend it.", key="broken"))
            await until(lambda: shown.states[-1].mark is Mark.PROBLEM)
            assert shown.states[-1].problems == "Problems (1)…"
            await it.services.browse.clear("broken")
            await until(lambda: shown.states[-1].mark is Mark.ATTENTION)
            await it.services.pause.until_resumed()
            await until(lambda: shown.states[-1].mark is Mark.PAUSED)
            await it.services.pause.resume()
            await until(lambda: shown.states[-1].mark is Mark.ATTENTION)
            attention.end()

    qrun(story())


def test_open_changes_are_counted_one_by_one(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(demo_profile) as it:
            lessons = await it.services.review.lessons()
            await it.services.review.keep([lesson.id for lesson in lessons])
            folder = demo_profile.home / "elsewhere"
            folder.mkdir()
            await it.services.proposals.enable(folder / "MEMORY.md")
            await it.services.proposals.propose()
            proposed = await it.services.proposals.proposals()
            hunks = sum(len(proposal.hunks) for proposal in proposed)
            assert (await it.services.waiting()).changes == hunks > 0

    qrun(story())


def test_a_burst_of_changes_is_one_question_and_a_slow_one_is_not_asked_twice(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            asked, at_once, answer = 0, 0, asyncio.Event()

            async def waiting() -> Waiting:
                nonlocal asked, at_once
                asked, at_once = asked + 1, at_once + 1
                assert at_once == 1
                await answer.wait()
                at_once -= 1
                return Waiting(asked)

            shown = Shown()
            services = replace(it.services, waiting=waiting)
            attention = shown.on(replace(it.rooms.desk, services=services))
            for _ in range(100):
                it.services.bus.tell(LessonsChanged())
            await until(lambda: asked == 1)
            it.services.bus.tell(LessonsChanged())
            looked: list[int] = []
            attention._settled.timeout.connect(lambda: looked.append(asked))
            await until(lambda: len(looked) == 2)
            assert looked == [1, 1]
            answer.set()
            await until(lambda: shown.counts == [Waiting(1), Waiting(2)])
            attention.end()

    qrun(story())


def test_a_count_that_fails_is_no_news_that_asks_again(
    qrun: Run, empty_profile: Profile, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:

            async def waiting() -> Waiting:
                raise Problem("The archive is busy.", advice="Wait.", key="busy")

            shown = Shown()
            services = replace(it.services, waiting=waiting)
            attention = shown.on(replace(it.rooms.desk, services=services))
            attention.look_again()
            await until(lambda: "not counted key=busy" in caplog.text)
            assert not attention._settled.isActive()
            assert await it.services.browse.problems() == []
            assert shown.counts == []
            attention.end()

    qrun(story())


def test_after_its_end_nothing_is_asked(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            shown = Shown()
            attention = shown.on(it.rooms.desk)
            attention.look_again()
            attention.end()
            assert not attention._settled.isActive()
            it.services.bus.tell(LessonsChanged())
            await it.services.pause.until_resumed()
            assert shown.states == []
            assert not attention._settled.isActive()

    qrun(story())
