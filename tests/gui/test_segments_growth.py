"""The segment browser beside a conversation that goes on, from its file to the window."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from archivist.domain.segment_list import Order
from helpers.claude import Writer, lines
from helpers.segment_browsing import Browser, browsing
from helpers.windows import Profile, until

pytestmark = [pytest.mark.gui, pytest.mark.long]

Run = Callable[[Coroutine[Any, Any, None]], None]
SETTLED = timedelta(minutes=3)
"""Longer than an exchange is waited for, shorter than a segment stays open in silence."""


@dataclass(slots=True)
class Talk:
    """A conversation whose records an assistant appends to its file."""

    writer: Writer
    path: Path

    def goes_on(self, *records: dict[str, Any], ago: timedelta = timedelta()) -> None:
        at = (datetime.now(UTC) - ago).isoformat().replace("+00:00", "Z")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(lines([{**record, "timestamp": at} for record in records]))


@asynccontextmanager
async def followed(profile: Profile) -> AsyncIterator[tuple[Browser, Talk]]:
    """Open the window while the real loop follows a conversation with one exchange that is over."""
    writer = Writer()
    folder = profile.home / ".claude" / "projects" / "-code-app"
    talk = Talk(writer, folder / f"{writer.session}.jsonl")
    began = (writer.user("Explain the flux capacitor"), writer.assistant(text="It holds the flux."))
    talk.goes_on(*began, ago=SETTLED)
    async with browsing(profile) as browser:
        stop = asyncio.Event()
        loop = browser.on.services.loop(browser.on.rooms.desk.supervisor)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(loop.run(stop))
            await until(lambda: browser.titles == ["open · Explain the flux capacitor"])
            await browser.rest()
            yield browser, talk
            browser.window.close()
            stop.set()
            await task


def test_what_is_said_in_an_open_segment_is_shown_while_it_goes_on(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with followed(empty_profile) as (browser, talk):
            assert "not in a segment yet" not in browser.text
            talk.goes_on(*[talk.writer.assistant(text=f"More of it: {n}.") for n in range(3)])
            await until(lambda: "More of it: 2." in browser.text)
            _, _, new = browser.text.partition("\nTurns that are not in a segment yet\n")
            assert [f"More of it: {n}." in new for n in range(3)] == [True] * 3
            talk.goes_on(talk.writer.user("Where is the almanac kept?"))
            await until(lambda: "almanac" in browser.text)
            assert browser.titles == ["open · Explain the flux capacitor"]
            await browser.search("almanac")
            assert browser.page.model.rowCount() == 1
            assert browser.page.preview.steps.label.text() == "1 match"

    qrun(story())


def test_a_conversation_that_just_began_is_found_and_stays_chosen_when_it_is_filed(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with followed(empty_profile) as (browser, _):
            other = Writer(2)
            talk = Talk(other, empty_profile.home / ".claude/projects/-code-b" / "b.jsonl")
            await browser.search("almanac")
            assert browser.page.results.nothing.isVisible()
            said = other.user("Where is the almanac kept?"), other.assistant(text="In the drawer.")
            talk.goes_on(*said)
            await until(lambda: browser.page.model.rowCount() == 1)
            await until(lambda: browser.titles[0].startswith("new · "))
            await browser.search("")
            assert browser.page.sidebar.item(0).text() == "All (2)"
            assert [title[:6] for title in browser.titles] == ["new · ", "open ·"]
            browser.page.bar.order_changed.emit(Order.OLDEST)
            await until(lambda: browser.titles[1].startswith("new · "))
            await browser.rest()
            browser.page.results.table.selectRow(1)
            await browser.rest()
            assert "Not in a segment yet" in browser.text
            assert "In the drawer." in browser.text
            # The next prompt ends the exchange: what was chosen is now in a segment.
            talk.goes_on(other.user("And the key?"))
            await until(lambda: browser.titles[1] == "open · Where is the almanac kept?")
            await until(lambda: browser.shown == browser.page.model.listing.ids[1])
            assert browser.page.results.current == browser.page.model.listing.ids[1]
            assert "And the key?" in browser.text

    qrun(story())


def test_what_is_selected_stays_selected_while_the_segment_grows(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with followed(empty_profile) as (browser, talk):
            await browser.search("flux")
            text = browser.page.preview.text
            browser.press(Qt.Key.Key_F3)
            browser.press(Qt.Key.Key_F3)
            assert browser.page.preview.steps.label.text() == "Match 2 of 2"
            talk.goes_on(*[talk.writer.assistant(text=f"More of it: {n}.") for n in range(20)])
            await until(lambda: "More of it: 19." in browser.text)
            assert text.textCursor().selectedText() == "flux"
            assert browser.page.preview.steps.label.text() == "Match 2 of 2"

    qrun(story())
