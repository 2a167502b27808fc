"""Turns that are in no segment yet are listed, found, counted and read like all others."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist.domain.segment_list import Order, SegmentHit, session_of_unfiled
from archivist.domain.transcripts import Role
from archivist.domain.turns import SegmentId
from archivist.services.bus import SegmentsChanged
from archivist.services.segment_list import SegmentList
from archivist.services.segment_text import markdown, row_sentence, standing
from archivist.store.segment_list import SegmentListStore
from helpers.archiving import filer_over
from helpers.stored import Stored, said, stored

NOON = 1_789_992_000_000
MINUTE = 60_000


class NoOpener:
    """Opens nothing."""

    async def open(self, path: Path) -> None:
        raise AssertionError(path)


def browser_of(archive: Stored) -> SegmentList:
    return SegmentList(SegmentListStore(archive.database), opener=NoOpener(), clock=archive.clock)


async def say(archive: Stored, key: str, text: str, *, at: int, session: str = "s1") -> None:
    role = Role.ASSISTANT if key.startswith("a") else Role.USER
    turn = said(key, text, role=role, at=at, session=session, cwd=f"/code/{session}")
    await archive.take_in(turn, path=f"/{session}.jsonl")


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Stored]:
    """A conversation that just began, beside an open segment of another one; none is over."""
    async with stored(folder) as archive:
        archive.clock.now = NOON
        await say(archive, "u1", "Explain the flux capacitor", at=NOON - 10 * MINUTE)
        await say(archive, "a1", "It holds the flux.", at=NOON - 9 * MINUTE)
        await filer_over(archive).file_all()
        await say(archive, "u2", "And the plutonium?", at=NOON - MINUTE)
        await say(archive, "u3", "Where is the almanac kept?", at=NOON - 5_000, session="s2")
        await say(archive, "a3", "In the drawer.", at=NOON - 1_000, session="s2")
        await filer_over(archive).file_all()
        yield archive


async def titles(browser: SegmentList, text: str) -> list[str]:
    listing = await browser.find(text)
    return [row.title for row in await browser.rows(listing, listing.ids)]


ALMANAC, FLUX = "Where is the almanac kept?", "Explain the flux capacitor"


async def test_a_conversation_without_a_segment_has_a_row_of_its_own(tmp_path: Path) -> None:
    async with running(tmp_path) as archive:
        browser = browser_of(archive)
        listing = await browser.find("")
        rows = await browser.rows(listing, listing.ids)
        assert [(row.title, row.turns, row.is_unfiled) for row in rows] == [
            (ALMANAC, 2, True),
            (FLUX, 3, False),
        ]
        assert (rows[0].project, rows[0].start, rows[0].end) == (
            "/code/s2",
            NOON - 5_000,
            NOON - 1_000,
        )
        assert rows[0].reason is None
        assert ", not in a segment yet: Where is" in row_sentence(rows[0], str)
        counts = await browser.counts()
        assert (counts.all, counts.open) == (2, 2)
        assert counts.projects == {"/code/s2": 1, "/code/s1": 1}


async def test_its_turns_are_read_and_become_a_segment(tmp_path: Path) -> None:
    async with running(tmp_path) as archive:
        browser = browser_of(archive)
        listing = await browser.find("drawer")
        content = (await browser.preview(listing.ids[0], listing)).content
        assert [read.turn.text for read in content.turns] == [ALMANAC, "In the drawer."]
        assert (content.unfiled, content.session, content.file) == (2, "s2", "/s2.jsonl")
        assert standing(content).startswith("Not in a segment yet")
        assert "Not in a segment yet" in markdown(content, str)
        archive.clock.now += 10 * MINUTE
        await filer_over(archive).file_all()
        after = await browser.find("drawer")
        assert after.ids == (await browser.filed(listing.ids[0]),)
        assert after.ids != listing.ids
        assert await browser.rows(after, listing.ids) == []
        assert await browser.filed(after.ids[0]) is None


async def test_new_turns_are_shown_with_the_open_segment_of_their_session(tmp_path: Path) -> None:
    async with running(tmp_path) as archive:
        browser = browser_of(archive)
        listing = await browser.find("plutonium")
        preview = await browser.preview(listing.ids[0], listing)
        assert preview.content.row.title == FLUX
        assert (len(preview.content.turns), preview.content.unfiled) == (3, 1)
        assert list(preview.spans) == [preview.content.turns[-1].turn.id]
        assert preview.content.row.end == NOON - MINUTE
        assert standing(preview.content).startswith("Still open")


@pytest.mark.parametrize(
    "text, found",
    [
        ("is:open", [ALMANAC, FLUX]),
        ("is:sealed", []),
        ("project:s2", [ALMANAC]),
        ("kept project:s1", []),
        ("kept project:s2", [ALMANAC]),
        ("kept source:codex", []),
        ("source:claude is:open kept", [ALMANAC]),
        ("on:today plutonium", [FLUX]),
        ("flux project:s1", [FLUX]),
        ("kept has:lesson", []),
        ("before:2026-01-01", []),
    ],
)
@pytest.mark.parametrize("is_many", [0, 1])
async def test_filters_narrow_them_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, found: list[str], is_many: int
) -> None:
    """Whether few turns hold the words, or so many that only those that pass are weighed."""
    monkeypatch.setattr("archivist.store.segment_list.IS_MANY", f"select {is_many}")
    async with running(tmp_path) as archive:
        assert await titles(browser_of(archive), text) == found


async def test_of_a_session_that_is_being_imported_the_newest_turns_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.store.unfiled.MOST", 1)
    async with running(tmp_path) as archive:
        browser = browser_of(archive)
        content = (await browser.preview((await browser.find("")).ids[0])).content
        assert [read.turn.text for read in content.turns] == ["In the drawer."]
        assert standing(content).endswith("The newest 1 turns are shown.")


@pytest.mark.parametrize("name", ["unfiled-", "unfiled-x", f"unfiled-{'9' * 30}", "seg-1"])
def test_other_ids_stand_for_no_session(name: str) -> None:
    assert session_of_unfiled(SegmentId(name)) is None


async def test_it_is_told_that_a_segment_became_longer(tmp_path: Path) -> None:
    async with running(tmp_path) as archive:
        heard: list[SegmentsChanged] = []
        archive.bus.listen(SegmentsChanged, heard.append)
        await filer_over(archive).file_all()
        assert heard == []
        archive.clock.now += 10 * MINUTE
        assert await filer_over(archive).file_all() == 0
        assert len(heard) == 1


async def test_of_many_hits_the_best_that_pass_the_filters_are_shown_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.store.segment_list.MOST_HITS", 3)
    monkeypatch.setattr("archivist.services.segment_list.MOST_HITS", 3)
    async with stored(tmp_path) as archive:
        archive.clock.now = NOON
        for number in range(6):
            await say(archive, f"u{number}", "flux flux flux", at=NOON, session=f"s{number}")
        await say(archive, "u9", f"flux {'and much else ' * 20}", at=NOON, session="rare")
        browser = browser_of(archive)
        everywhere = await browser.find("flux")
        assert (len(everywhere.ids), everywhere.is_cut) == (3, True)
        rare = await browser.find("flux project:rare")
        assert [hit.turns for hit in rare.hits.values()] == [1]
        assert not rare.is_cut
        assert isinstance(rare.hits[rare.ids[0]], SegmentHit)


async def test_a_search_that_was_given_up_does_not_hold_up_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = """
    with recursive c(n) as (select begun() union all select n + 1 from c where n < 1000000000)
    select count(*), 1, 1 from c
    """
    monkeypatch.setattr("archivist.store.segment_list.HITS", endless)
    monkeypatch.setattr("archivist.store.segment_list.HITS_BY", {Order.BEST: ""})
    begun = threading.Semaphore(0)

    def begin() -> int:
        begun.release()
        return 1

    async with running(tmp_path) as archive:
        async with archive.database.read() as one, archive.database.read() as other:
            for connection in (one, other):  # all there are
                await connection.create_function("begun", 0, begin)
        browser = browser_of(archive)
        searches = [asyncio.ensure_future(browser.find("flux")) for _ in range(2)]
        for _ in searches:
            await asyncio.to_thread(begun.acquire, timeout=10)
        for search in searches:
            search.cancel()
        async with asyncio.timeout(10):
            assert len((await browser.find("")).ids) == 2
