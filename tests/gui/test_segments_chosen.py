"""What is done is done with the chosen row, also while another segment is still in sight."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from archivist.domain.turns import SegmentId, TurnId
from archivist.gui.places import Place, Room
from archivist.services.bus import SegmentsChanged, TurnsArrived
from archivist.services.segment_list import Listing, Preview
from helpers.segment_browsing import CTRL, Browser, browsing, change, tell
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


@asynccontextmanager
async def slowly(browser: Browser) -> AsyncIterator[list[SegmentId]]:
    """Let previews wait until this ends; gives what was asked for."""
    service, go_on = browser.on.services.segments, asyncio.Event()
    preview, asked = service.preview, list[SegmentId]()

    async def slow(segment: SegmentId, listing: Listing | None = None) -> Preview:
        asked.append(segment)
        if listing is not None:  # for the pane, not for what is done
            await go_on.wait()
        return await preview(segment, listing)

    service.preview = slow  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        service.preview = preview  # type: ignore[method-assign]
        go_on.set()


async def prompt_of(browser: Browser, segment: SegmentId) -> str:
    shown = await browser.on.services.segments.preview(segment)
    return shown.content.turns[0].turn.text


def test_the_chosen_segment_is_copied_and_not_the_one_still_in_sight(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            ids, copied = browser.page.model.listing.ids, browser.on.clipboard.texts
            browser.page.results.table.setFocus()
            async with slowly(browser):
                browser.press(Qt.Key.Key_End, CTRL)
                browser.press(Qt.Key.Key_C, CTRL)
                await until(lambda: len(copied) == 1)
                browser.press(Qt.Key.Key_Up)
                buttons = browser.page.preview.findChildren(QPushButton)
                (copy,) = [each for each in buttons if each.text() == "Copy as Markdown"]
                QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
                await until(lambda: len(copied) == 2)
            for text, segment in zip(copied, (ids[-1], ids[-2]), strict=True):
                assert (await prompt_of(browser, segment)).split("\n")[0] in text

    qrun(story())


def test_lessons_steps_and_unfolding_are_those_of_the_chosen_segment(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await browser.search("test has:lesson")
            pane, ids = browser.page.preview, browser.page.model.listing.ids
            wanted: list[object] = []
            pane.lesson_wanted.disconnect()
            pane.lesson_wanted.connect(wanted.append)
            link = f"lesson:{browser.content.lessons[0].id}"
            second = (await browser.on.services.segments.preview(ids[1])).content
            browser.page.results.table.setFocus()
            async with slowly(browser):
                browser.press(Qt.Key.Key_Down)
                pane.text.anchorClicked.emit(QUrl(link))
                browser.press(Qt.Key.Key_L, CTRL)
                await until(lambda: wanted)
                browser.press(Qt.Key.Key_F3)
                browser.press(Qt.Key.Key_E, CTRL)
                assert pane._at < 0
            await until(lambda: browser.shown == ids[1])
            assert wanted == [second.lessons[0].id]
            assert pane._at == 0
            assert pane._unfolded == {read.turn.id for read in second.turns}

    qrun(story())


def test_what_was_shown_before_leaves_when_the_chosen_segment_takes_long(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            pane, ids = browser.page.preview, browser.page.model.listing.ids
            browser.page.results.table.setFocus()
            async with slowly(browser):
                browser.press(Qt.Key.Key_Down)
                assert browser.text != ""  # not at once: it would flicker
                await until(lambda: browser.text == "")
                assert pane.text.placeholderText() == "Reading…"
            await until(lambda: browser.shown == ids[1])
            # Back on a row that is still in sight, nothing is waited for.
            async with slowly(browser):
                browser.press(Qt.Key.Key_Down)
                browser.press(Qt.Key.Key_Up)
                assert browser.shown == ids[1]
                assert not pane._old.isActive()

    qrun(story())


def test_home_and_end_go_to_the_first_and_the_last_row(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            table, ids = browser.page.results.table, browser.page.model.listing.ids
            table.setFocus()
            browser.press(Qt.Key.Key_End)
            assert browser.page.results.current == ids[-1]
            browser.press(Qt.Key.Key_Home)
            assert browser.page.results.current == ids[0]

    qrun(story())


def test_a_turn_that_another_window_asked_for_is_shown_in_spite_of_a_refresh(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            pane = browser.page.preview
            segment, turn = await place_of_a_late_turn(browser)
            async with slowly(browser) as asked:
                browser.on.rooms.go(Room.SEGMENTS, Place(segment, turn))
                await until(lambda: asked == [segment])
                browser.on.services.bus.tell(SegmentsChanged())
                await until(lambda: asked == [segment, segment])
            await until(lambda: browser.shown == segment)
            assert pane.text.textCursor().position() == pane._written.turns[turn]
            # Once it is shown, the next refresh leaves the person where they are.
            browser.page.enter_list()
            browser.window.refresh()
            await browser.rest()
            assert browser.page.results.table.hasFocus()

    qrun(story())


def test_what_the_person_chooses_meanwhile_makes_way_for_nothing(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            segment, turn = await place_of_a_late_turn(browser)
            async with slowly(browser) as asked:
                browser.on.rooms.go(Room.SEGMENTS, Place(segment, turn))
                await until(lambda: asked == [segment])
                browser.page.results.table.selectRow(3)
                browser.window.refresh()
                await until(lambda: len(asked) == 3)
            await browser.rest()
            assert browser.shown == browser.page.model.listing.ids[3]

    qrun(story())


async def place_of_a_late_turn(browser: Browser) -> tuple[SegmentId, TurnId]:
    """Return a segment further down, and its last turn."""
    segment = browser.page.model.listing.ids[40]
    shown = await browser.on.services.segments.preview(segment)
    return segment, shown.content.turns[-1].turn.id


def test_names_with_an_ampersand_are_shown_as_they_are(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await change(browser.on, "update segment set project = '/code/r&d'")
            browser.window.refresh()
            await browser.rest()
            await browser.search("project:r&d")
            assert browser.page.bar._project.text() == "r&&d"
            assert browser.page.model.rowCount() == 92

    qrun(story())


def test_a_closed_window_reads_nothing(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            asked: list[str] = []
            find = browser.on.services.segments.find

            async def noted(text: str, **order: Any) -> Listing:  # noqa: ANN401 - passed on
                asked.append(text)
                return await find(text, **order)

            browser.on.services.segments.find = noted  # type: ignore[method-assign]
            bus = browser.on.services.bus
            bus.tell(SegmentsChanged())
            browser.page.bar.set_text("refund")
            browser.page.results.table.selectRow(5)
            browser.window.close()
            assert not browser.window._soon.isActive()
            assert not browser.page.preview._old.isActive()
            await browser.rest()
            bus.tell(TurnsArrived("codex", "/x", 1))
            assert not browser.window._soon.isActive()
            assert asked == []
            browser.on.rooms.go(Room.SEGMENTS)
            await browser.found("refund")
            assert asked == ["refund"]

    qrun(story())


@pytest.mark.long
def test_the_size_of_a_long_turn_is_said_in_what_it_has_much_of(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(empty_profile) as browser:
            hay = f"needle {'in the hay ' * 18}"
            await tell(browser.on, f"Look:\n{hay * 1_600}")
            await until(lambda: browser.page.preview.content)
            assert "Show the first 60,000 of 328,005 characters" in browser.text
            assert "Show all" not in browser.text
            browser.press(Qt.Key.Key_E, CTRL)
            assert "268,005 more characters are in the transcript." in browser.text
            await browser.search("needle")
            label = browser.page.preview.steps.label
            assert label.text() == "More than 295 matches"
            browser.press(Qt.Key.Key_F3)
            assert label.text() == "Match 1 of more than 295"

    qrun(story())
