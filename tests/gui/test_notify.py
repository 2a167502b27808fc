"""When notifications are sent, and where they are shown; the real service is part of test_app."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from archivist.domain.activity import Archiving
from archivist.domain.jobs import Stage
from archivist.domain.waiting import Waiting
from archivist.gui import notify
from archivist.gui.notify import DesktopNotices, Notifier
from archivist.services.notices import Notice
from archivist.settings import with_value
from helpers import windows
from helpers.windows import Opened, Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]
MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


class Desktop:
    """A desktop's notification service that works or does not."""

    works = True
    sent: list[Notice]

    def __init__(self, review: Callable[[str], None]) -> None:
        self.review = review

    async def send(self, told: Notice) -> bool:
        Desktop.sent.append(told)
        return Desktop.works


@pytest.fixture(autouse=True)
def _desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    Desktop.works, Desktop.sent = True, []
    monkeypatch.setattr(notify, "DesktopNotices", Desktop)
    monkeypatch.setattr(notify, "_HAS_DESKTOP_BUS", True)
    monkeypatch.setattr(notify, "CALM_MS", 1)
    away = Qt.ApplicationState.ApplicationInactive  # whatever the test before has left
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: away)


class Told:
    """What a notifier has shown beside the tray."""

    def __init__(self) -> None:
        self.beside: list[str] = []
        self.day = MONDAY

    def notifier(self, it: Opened, *, setting: str = "daily") -> Notifier:
        it.services.activities.worked(at=1)
        changed = with_value(it.services.settings, "general.notifications", setting)
        services = replace(it.services, settings=changed)
        return Notifier(
            replace(it.rooms.desk, services=services),
            beside_tray=lambda title, text: self.beside.append(f"{title}. {text}"),
            review=self.beside.append,
            today=lambda: self.day,
        )


def test_new_lessons_are_told_once_a_day(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            told = Told()
            notifier = told.notifier(it)
            notifier.news(Waiting(lessons=2))
            await until(lambda: Desktop.sent)
            notifier.news(Waiting(lessons=3))
            await until(lambda: not notifier._calm.isActive())
            assert len(Desktop.sent) == 1
            told.day = TUESDAY
            notifier.news(Waiting(lessons=3))
            await until(lambda: len(Desktop.sent) == 2)
            assert [notice.summary for notice in Desktop.sent] == [
                "2 lessons wait for you",
                "3 lessons wait for you",
            ]
            assert told.beside == []

    qrun(story())


async def told_of_two(it: Opened) -> None:
    notifier = Told().notifier(it)
    notifier.news(Waiting(lessons=2))
    await until(lambda: not notifier._calm.isActive())


def test_it_is_remembered_over_a_restart(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        for _ in range(2):
            async with windows.opened(empty_profile) as it:
                await told_of_two(it)
                await until(lambda: Desktop.sent)
        assert len(Desktop.sent) == 1

    qrun(story())


def test_switched_off_nothing_is_told(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            told = Told()
            notifier = told.notifier(it, setting="none")
            notifier.news(Waiting(lessons=2))
            await until(lambda: not notifier._calm.isActive())
            await until(lambda: not it.rooms.desk.supervisor._live)
            assert Desktop.sent == []
            assert told.beside == []

    qrun(story())


def test_nothing_is_told_while_a_window_is_in_front(
    qrun: Run, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    active = Qt.ApplicationState.ApplicationActive
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: active)

    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            notifier = Told().notifier(it)
            notifier.news(Waiting(lessons=2))
            await until(lambda: not notifier._calm.isActive())
            await until(lambda: not it.rooms.desk.supervisor._live)
            assert Desktop.sent == []

    qrun(story())


def test_where_the_desktop_shows_none_the_tray_does(qrun: Run, empty_profile: Profile) -> None:
    Desktop.works = False

    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            told = Told()
            notifier = told.notifier(it)
            notifier.news(Waiting(lessons=1))
            await until(lambda: told.beside)
            assert told.beside[0].startswith("1 lesson waits for you. ")

    qrun(story())


def test_in_the_middle_of_the_work_nothing_is_told_and_then_the_last_number(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            activities = it.services.activities
            notifier = Told().notifier(it)
            for lessons in (1, 6):
                activities.archiving(Archiving(lessons, 9, Stage.LESSONS, "rules"), at=1)
                notifier.news(Waiting(lessons=lessons))
                await until(lambda: not notifier._calm.isActive())
            assert Desktop.sent == []
            notifier.news(Waiting(lessons=11))
            activities.archiving(None, at=2)
            await until(lambda: Desktop.sent)
            assert [notice.summary for notice in Desktop.sent] == ["11 lessons wait for you"]

    qrun(story())


def test_before_the_sources_were_read_nothing_is_told(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with windows.opened(empty_profile) as it:
            notifier = Told().notifier(it)
            it.services.activities._last = None
            notifier.news(Waiting(lessons=2))
            await until(lambda: not notifier._calm.isActive())
            assert Desktop.sent == []
            it.services.activities.worked(at=3)
            await until(lambda: Desktop.sent)

    qrun(story())


@pytest.fixture
def clicked() -> list[str]:
    return []


@pytest.fixture
def notices(clicked: list[str], monkeypatch: pytest.MonkeyPatch) -> DesktopNotices:
    """Our side of the service, with one notice shown under the number 41."""
    monkeypatch.undo()
    made = DesktopNotices(clicked.append)
    made._ours = 41
    return made


def test_a_click_on_our_notice_opens_the_review_with_its_token(
    notices: DesktopNotices, clicked: list[str]
) -> None:
    notices.on_activation_token(41, "token-1")
    notices.on_action_invoked(41, "review")
    notices.on_action_invoked(41, "default")
    assert clicked == ["token-1", ""]


def test_a_click_on_another_program_s_notice_does_nothing(
    notices: DesktopNotices, clicked: list[str]
) -> None:
    notices.on_activation_token(7, "theirs")
    notices.on_action_invoked(7, "review")
    notices.on_action_invoked(0, "default")
    notices.on_action_invoked(41, "settings")
    notices.on_action_invoked(41, "review")
    assert clicked == [""]


def test_before_anything_was_sent_no_click_is_ours(
    notices: DesktopNotices, clicked: list[str]
) -> None:
    notices._ours = 0
    notices.on_action_invoked(0, "default")
    assert clicked == []
