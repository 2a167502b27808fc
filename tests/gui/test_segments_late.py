"""The segment browser where answers come slowly, or too late."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import Qt

from archivist.domain.turns import SegmentId
from archivist.services.segment_list import Listing, Preview
from helpers.segment_browsing import browsing
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

Run = Callable[[Coroutine[Any, Any, None]], None]


def test_only_a_slow_search_says_that_it_searches(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            said: list[str] = []
            say = browser.page.bar.say

            def noted(found: str, hint: str = "") -> None:
                said.append(found)
                say(found, hint)

            browser.page.bar.say = noted  # type: ignore[method-assign]
            await browser.search("refund")
            assert "Searching…" not in said
            service = browser.on.services.segments
            find, go_on = service.find, asyncio.Event()

            async def slow(text: str, **order: Any) -> Any:  # noqa: ANN401 - passed on
                await go_on.wait()
                return await find(text, **order)

            service.find = slow  # type: ignore[method-assign]
            browser.page.bar.set_text("refunds")
            await until(lambda: browser.page.bar.found.text() == "Searching…")
            go_on.set()
            await browser.found("refunds")
            assert browser.page.bar.found.text() != "Searching…"

    qrun(story())


def test_a_preview_that_comes_late_does_not_replace_that_of_the_chosen_row(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            first, second = browser.page.model.listing.ids[:2]
            service, go_on = browser.on.services.segments, asyncio.Event()
            preview, asked = service.preview, list[SegmentId]()

            async def slow(segment: SegmentId, listing: Listing | None = None) -> Preview:
                asked.append(segment)
                if segment == first:
                    await go_on.wait()
                return await preview(segment, listing)

            service.preview = slow  # type: ignore[method-assign]
            browser.window.refresh()
            await until(lambda: asked == [first])
            browser.page.results.table.setFocus()
            browser.press(Qt.Key.Key_Down)
            await until(lambda: browser.shown == second)
            go_on.set()
            await browser.rest()
            assert browser.content.row.id == second

    qrun(story())


def test_a_preview_that_comes_late_is_not_shown_beside_an_empty_list(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            service, go_on = browser.on.services.segments, asyncio.Event()
            preview, asked = service.preview, list[SegmentId]()

            async def slow(segment: SegmentId, listing: Listing | None = None) -> Preview:
                asked.append(segment)
                await go_on.wait()
                return await preview(segment, listing)

            service.preview = slow  # type: ignore[method-assign]
            browser.page.results.table.setFocus()
            browser.press(Qt.Key.Key_Down)
            await until(lambda: asked)
            browser.page.bar.set_text("zzzqqq")
            await until(browser.page.results.nothing.isVisible)
            go_on.set()
            await browser.rest()
            assert browser.page.preview.content is None

    qrun(story())
