"""The segment browser by keys and clicks, on a real profile."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Never

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest

from archivist.domain.activity import Idle, Importing
from archivist.domain.segment_list import Order
from archivist.domain.turns import SegmentId
from archivist.gui.look import Type
from archivist.gui.places import Place, Room
from archivist.gui.segments.model import Column
from archivist.services.bus import ActivityChanged, LessonsChanged, SegmentsChanged
from helpers import audit
from helpers.segment_browsing import CTRL, SHIFT, browsing, change, tell
from helpers.windows import Profile, until

pytestmark = pytest.mark.gui

ONE_MORE = """
insert into segment select 'seg-new', session_id, project, 'open', null, 1, 1900000000000,
  1900000000000, null, 0, 1, null
from segment limit 1
"""
Run = Callable[[Coroutine[Any, Any, None]], None]


def test_it_opens_on_the_newest_segment_with_its_recap_first(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            assert browser.page.model.rowCount() == 92
            assert browser.page.bar.found.text() == "92 segments"
            assert browser.titles[0].startswith("はい、それでお願いします。")
            head, _, turns = browser.text.partition("\nTurns\n")
            assert "\nEnded because nothing more was said for some time.\n" in head
            assert "\nRecap  by rules\nユーザー：" in head
            assert turns.startswith("You  ")

    qrun(story())


def test_typing_finds_and_typing_on_cancels(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            asked: list[str] = []
            service = browser.on.services.segments
            find = service.find

            async def noted(text: str, **order: Any) -> Any:  # noqa: ANN401 - passed on
                asked.append(text)
                return await find(text, **order)

            service.find = noted  # type: ignore[method-assign]
            QTest.keyClicks(browser.page.bar.box, "r")
            for _ in range(5):
                await asyncio.sleep(0)
            assert asked == []
            await browser.search("refund mig")
            assert asked == ["refund mig"]
            assert browser.page.model.rowCount() == 3
            assert browser.page.bar.found.text().startswith("3 of 92 · ")
            assert browser.page.results.current == browser.page.model.listing.ids[0]
            row = browser.page.model.row(browser.page.model.index(0, 0))
            assert row is not None
            assert "refund" in row.snippet.lower()

    qrun(story())


def test_two_chinese_characters_are_enough_and_are_marked(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await browser.search("提交")
            assert browser.page.model.rowCount() == 3
            assert browser.page.preview.matches == 5
            selected = []
            for _ in range(6):
                browser.press(Qt.Key.Key_F3)
                cursor = browser.page.preview.text.textCursor()
                selected.append((cursor.selectedText(), cursor.position()))
            assert {text for text, _ in selected} == {"提交"}
            assert selected[5] == selected[0]
            assert len(set(selected)) == 5
            browser.press(Qt.Key.Key_F3, SHIFT)
            assert browser.page.preview.text.textCursor().position() == selected[4][1]
            match = browser.page.preview.steps.label.text()
            assert match == "Match 5 of 5"

    qrun(story())


def test_filters_write_into_the_search_text(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            page = browser.page
            QTest.mouseClick(page.bar._lessons, Qt.MouseButton.LeftButton)
            await browser.found("has:lesson")
            assert page.bar._lessons.text() == "✓ Has lessons"
            menu = page.bar._source.menu()
            menu.aboutToShow.emit()
            assert [action.text() for action in menu.actions()] == [
                "Any source",
                "Claude Code",
                "Codex",
            ]
            menu.actions()[2].trigger()
            await browser.found("has:lesson source:codex")
            assert page.bar._source.text() == "Codex"
            QTest.mouseClick(page.bar._lessons, Qt.MouseButton.LeftButton)
            await browser.found("source:codex")
            assert page.model.rowCount() == 13
            assert page.bar._lessons.text() == "Has lessons"

    qrun(story())


def test_the_left_pane_replaces_the_filters_and_keeps_the_words(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            page = browser.page
            entries = [page.sidebar.item(n).text() for n in range(page.sidebar.count())]
            assert entries[0] == "All (92)"
            assert "yoyaku (17)" in entries
            await browser.search("test source:codex")
            place = page.sidebar.visualItemRect(page.sidebar.item(entries.index("yoyaku (17)")))
            QTest.mouseClick(page.sidebar.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
            await browser.found("test project:yoyaku")
            assert page.sidebar.currentItem().text() == "yoyaku (17)"
            browser.press(Qt.Key.Key_B, CTRL)
            assert page.sidebar.isHidden()

    qrun(story())


def test_nothing_found_says_so_and_offers_ways_out(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await browser.search("zebra crossing source:codex on:today")
            nothing = browser.page.results.nothing
            assert nothing.sentence == "No match for “zebra crossing source:codex on:today”."
            assert [way.text() for way in nothing.ways] == [
                "Try fewer words",
                "Search all time",
                "Search without filters",
            ]
            assert browser.page.preview.content is None
            QTest.mouseClick(nothing.ways[0], Qt.MouseButton.LeftButton)
            await browser.found("zebra source:codex on:today")
            QTest.mouseClick(browser.page.results.nothing.ways[1], Qt.MouseButton.LeftButton)
            await browser.found("zebra")

    qrun(story())


@pytest.mark.allow_logs
def test_a_search_that_fails_is_shown_as_a_failure(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            page, store = browser.page, browser.on.services.segments._store

            async def broken(*_: object, **__: object) -> Never:
                raise sqlite3.OperationalError("no such table: episode_fts")

            hits = store.hits
            store.hits = broken  # type: ignore[method-assign]
            page.bar.set_text("refund")
            await until(lambda: "did not work" in page.results.nothing.sentence)
            assert page.results.currentWidget() is page.results.nothing
            assert page.bar.found.text() == ""
            store.hits = hits  # type: ignore[method-assign]
            QTest.mouseClick(page.results.nothing.ways[0], Qt.MouseButton.LeftButton)
            await until(lambda: page.results.currentWidget() is page.results.table)
            assert page.bar.found.text().startswith(f"{page.model.rowCount()} of 92 · ")

    qrun(story())


def test_a_loose_search_and_a_word_that_is_no_filter_are_said(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            hint = browser.page.bar.hint
            assert not hint.isVisible()
            await browser.search("refund zebra")
            assert hint.text() == "No turn holds all these words; these hold some of them."
            await browser.search("refund after:soon")
            assert "searched as text" in hint.text()
            await browser.search("refund")
            assert not hint.isVisible()

    qrun(story())


def test_the_keys_lead_through_the_window(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            page = browser.page
            browser.press(Qt.Key.Key_Down)
            assert page.results.table.hasFocus()
            browser.press(Qt.Key.Key_Down)
            await browser.rest()
            assert browser.content.row.id == page.model.listing.ids[1]
            browser.press(Qt.Key.Key_Return)
            assert page.preview.text.hasFocus()
            browser.press(Qt.Key.Key_Slash)
            assert page.bar.box.hasFocus()
            assert page.bar.text == ""
            await browser.search("a/b")
            browser.press(Qt.Key.Key_Down)
            browser.press(Qt.Key.Key_F, CTRL)
            assert page.bar.box.selectedText() == "a/b"
            browser.press(Qt.Key.Key_Escape)
            assert page.bar.text == ""
            assert browser.window.isVisible()
            browser.press(Qt.Key.Key_Escape)
            assert not browser.window.isVisible()

    qrun(story())


def test_a_segment_is_copied_as_markdown(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            browser.page.results.table.setFocus()
            browser.press(Qt.Key.Key_C, CTRL)
            (text,) = browser.on.clipboard.texts
            assert text.startswith("# はい、それでお願いします。")
            assert "\n**Assistant** · " in text
            assert "2 turns" in browser.window.statusBar().currentMessage()

    qrun(story())


def test_the_transcript_is_opened_or_its_absence_shown(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            opened_paths: list[Path] = []

            async def note(path: Path) -> None:
                opened_paths.append(path)

            service = browser.on.services.segments
            service._opener.open = note  # type: ignore[method-assign]
            content = browser.content
            assert content.file is not None
            moved = Path(content.file)
            browser.press(Qt.Key.Key_O, CTRL)
            await browser.rest()
            if moved.exists():  # where the archive was made, not where the profile was copied to
                assert opened_paths == [moved]
                moved.rename(moved.with_suffix(".away"))
                browser.press(Qt.Key.Key_O, CTRL)
                await browser.rest()
                moved.with_suffix(".away").rename(moved)
            assert f"{moved} is no longer there." in browser.window.banner.message

    qrun(story())


def test_long_turns_are_folded_until_wanted(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(empty_profile) as browser:
            lines = [f"line {n}" for n in range(40)]
            said = "\n".join(["Look at this:", "```python", *lines, "```", "needle"])
            await tell(browser.on, said)
            await until(lambda: browser.page.preview.content)
            assert "line 9\nShow all 44 lines" in browser.text
            assert "line 10" not in browser.text
            assert "Look at this:\n python \nline 0\n" in browser.text
            at = browser.page.preview.text.document().find("line 0")
            mono = browser.on.rooms.desk.look.font(Type.MONO)
            assert at.charFormat().font().family() == mono.family()
            # A match that the fold would hide unfolds its turn.
            await browser.search("needle")
            assert "line 39" in browser.text
            await browser.search("")
            assert "line 39" not in browser.text
            turn = browser.content.turns[0].turn.id
            browser.page.preview.text.anchorClicked.emit(QUrl(f"turn:{turn}"))
            assert "line 39\nneedle" in browser.text
            assert "Show all" not in browser.text

    qrun(story())


def test_another_window_asks_for_a_turn(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            row = browser.page.model.row(browser.page.model.index(40, 0))
            assert row is not None
            shown = await browser.on.services.segments.preview(row.id)
            turn = shown.content.turns[-1].turn.id
            await browser.search("提交")
            browser.on.rooms.go(Room.SEGMENTS, Place(row.id, turn))
            await until(lambda: browser.page.results.current == row.id)
            await browser.rest()
            assert browser.page.bar.text == ""
            assert browser.page.preview.text.hasFocus()
            assert (
                browser.page.preview.text.textCursor().position()
                == browser.page.preview._written.turns[turn]
            )

    qrun(story())


def test_a_segment_that_is_not_there_is_told(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            browser.on.rooms.go(Room.SEGMENTS, Place(SegmentId("seg-gone")))
            await until(lambda: "There is no segment seg-gone." in browser.window.banner.message)

    qrun(story())


def test_lessons_of_a_segment_are_a_way_to_the_lesson_window(
    qrun: Run, demo_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await browser.search("has:lesson")
            wanted: list[object] = []
            browser.page.preview.lesson_wanted.disconnect()
            browser.page.preview.lesson_wanted.connect(wanted.append)
            content = browser.content
            browser.press(Qt.Key.Key_L, CTRL)
            browser.page.preview.text.anchorClicked.emit(QUrl(f"lesson:{content.lessons[-1].id}"))
            assert wanted == [content.lessons[0].id, content.lessons[-1].id]
            assert f"\n{content.lessons[0].text}   ◌ waiting" in browser.text

    qrun(story())


def test_what_is_new_appears_and_nothing_jumps(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            table = browser.page.results.table
            table.selectRow(50)
            table.verticalScrollBar().setValue(100)
            await browser.rest()
            chosen = browser.page.results.current
            assert chosen is not None
            await change(browser.on, ONE_MORE)
            height = table.rowHeight(0)
            browser.on.services.bus.tell(SegmentsChanged())
            await until(lambda: browser.page.model.rowCount() == 93)
            await browser.rest()
            assert browser.page.results.current == chosen
            assert table.verticalScrollBar().value() == 100 + height
            await until(lambda: browser.titles[0] == "open · No prompt")
            assert browser.page.sidebar.item(0).text() == "All (93)"
            browser.on.services.bus.tell(LessonsChanged())
            await until(lambda: not browser.window._soon.isActive())
            await browser.rest()
            assert table.verticalScrollBar().value() == 100 + height

    qrun(story())


def test_the_order_is_chosen_and_remembered(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            browser.page.results.table.horizontalHeader().sectionClicked.emit(Column.WHEN)
            await until(lambda: browser.titles[0].startswith("I'm starting a small service"))
            assert browser.page.bar.shown_order is Order.OLDEST
            browser.window.close()
        async with browsing(demo_profile) as browser:
            assert browser.titles[0].startswith("I'm starting a small service")

    qrun(story())


def test_an_import_shows_how_far_it_is_and_can_be_stopped(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            line = browser.window.activity
            assert not line.bar.isVisible()
            browser.on.services.bus.tell(ActivityChanged(Importing(3, 13, 40, "/x")))
            assert line.text.text() == "Reading file 4 of 13, 40 new turns."
            assert (line.bar.value(), line.bar.maximum()) == (3, 13)
            QTest.mouseClick(line.stop, Qt.MouseButton.LeftButton)
            assert browser.on.running.asked == ["cancel"]
            browser.on.services.bus.tell(ActivityChanged(Idle()))
            assert not line.bar.isVisible()
            assert not line.stop.isVisible()

    qrun(story())


def test_an_empty_archive_waits_for_a_conversation(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(empty_profile) as browser:
            nothing = browser.page.results.nothing
            assert nothing.sentence.startswith("Waiting for your next conversation.")
            QTest.mouseClick(nothing.ways[0], Qt.MouseButton.LeftButton)
            assert browser.on.running.asked == ["read"]

    qrun(story())


def test_with_every_source_off_nothing_is_recorded(qrun: Run, empty_profile: Profile) -> None:
    async def story() -> None:
        empty_profile.folder.mkdir()
        settings = empty_profile.folder / "settings.toml"
        settings.write_text('[sources]\noff = ["claude-code", "codex"]\n')
        async with browsing(empty_profile) as browser:
            nothing = browser.page.results.nothing
            assert nothing.sentence.startswith("Nothing is being recorded")
            QTest.mouseClick(nothing.ways[0], Qt.MouseButton.LeftButton)
            await until(lambda: "off" not in settings.read_text())

    qrun(story())


def test_every_control_has_a_name_and_is_reached_by_tab(qrun: Run, demo_profile: Profile) -> None:
    async def story() -> None:
        async with browsing(demo_profile) as browser:
            await browser.search("refund")
            assert audit.nameless(browser.window) == []
            assert audit.unreached(browser.window) == []
            spoken = browser.page.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
            assert spoken.startswith("Segment, ")
            assert "Claude Code, orders-api, " in spoken

    qrun(story())


def test_nothing_that_was_said_is_taken_for_html_or_hides(
    qrun: Run, empty_profile: Profile
) -> None:
    async def story() -> None:
        async with browsing(empty_profile) as browser:
            await tell(browser.on, "<b>bold</b> & <a href='turn:1'>x</a>\u202e\u200b end")
            await until(lambda: browser.page.preview.content)
            text = browser.text
            assert "<b>bold</b> & <a href='turn:1'>x</a>⟪U+202E⟫⟪U+200B⟫ end" in text
            tip = browser.page.model.index(0, Column.TITLE).data(Qt.ItemDataRole.ToolTipRole)
            assert "&lt;b&gt;bold&lt;/b&gt; &amp;" in tip
            await change(browser.on, "update segment set project = '/code/<b>bold<b>'")
            browser.window.refresh()
            await browser.rest()
            sidebar = browser.page.sidebar
            tips = [sidebar.item(row).toolTip() for row in range(sidebar.count())]
            assert "<span>&lt;b&gt;bold&lt;b&gt; (1)</span>" in tips

    qrun(story())
