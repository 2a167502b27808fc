"""The segment browser's questions, on a real archive."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from archivist.domain.problems import FileProblem, Refused
from archivist.domain.segment_list import Narrowing, Order
from archivist.domain.transcripts import Outcome, Role, ToolAnswered, ToolCalled
from archivist.domain.turns import SegmentId
from archivist.services.segment_list import SegmentList
from archivist.store.segment_list import SegmentListStore
from archivist.store.segment_search import BY_TIME, IDS, narrowing_values
from helpers.archiving import filer_over
from helpers.lessons import close_segments, learn
from helpers.stored import Stored, said, stored

DAY = 86_400_000
NOON = 1_789_992_000_000
"""A Monday noon in UTC; the tests below stay away from midnight in every time zone."""


@dataclass(slots=True)
class Shown:
    """Opens nothing; notes what it was asked to open."""

    paths: list[Path] = field(default_factory=list)

    async def open(self, path: Path) -> None:
        self.paths.append(path)


def service(archive: Stored, opener: Shown | None = None) -> SegmentList:
    return SegmentList(
        SegmentListStore(archive.database), opener=opener or Shown(), clock=archive.clock
    )


@asynccontextmanager
async def talks(folder: Path) -> AsyncIterator[Stored]:
    """Three segments of three sessions, a day apart; the last one is today and open."""
    async with stored(folder) as archive:
        archive.clock.now = NOON + 2 * DAY + 600_000  # the last exchange is over
        for number, (text, answer, project) in enumerate(
            (
                ("How do we invalidate the cache?", "The key lacks the version.", "/code/api"),
                ("缓存为什么没有更新？", "因为键里没有版本号。", "/code/web shop"),
                ("Rename the cache module", "Renamed, two tests fail.", "/code/api"),
            )
        ):
            at = NOON + number * DAY
            await archive.take_in(
                said(f"u{number}", text, at=at, session=f"s{number}", cwd=project),
                said(
                    f"a{number}", answer, role=Role.ASSISTANT, at=at + 5_000, session=f"s{number}"
                ),
                path=f"{folder}/t{number}.jsonl",
            )
            if number < 2:
                await close_segments(archive)
        await filer_over(archive).file_all()
        yield archive


async def titles(archive: Stored, text: str, order: Order = Order.BEST) -> list[str]:
    listing = await service(archive).find(text, order=order)
    return [row.title for row in await service(archive).rows(listing, listing.ids)]


FIRST, SECOND, THIRD = (
    "How do we invalidate the cache?",
    "缓存为什么没有更新？",
    "Rename the cache module",
)


async def test_without_words_all_are_listed_newest_first(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        assert await titles(archive, "") == [THIRD, SECOND, FIRST]
        assert await titles(archive, "  !! ") == [THIRD, SECOND, FIRST]
        assert await titles(archive, "", Order.OLDEST) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    "text, found",
    [
        ("project:api", [THIRD, FIRST]),
        ('project:"web shop"', [SECOND]),
        ("project:/code/api", [THIRD, FIRST]),
        ("project:ap", []),
        ("project:%", []),
        ("source:claude", [THIRD, SECOND, FIRST]),
        ("source:claude-code", [THIRD, SECOND, FIRST]),
        ("source:codex", []),
        ("is:open", [THIRD]),
        ("is:sealed", [SECOND, FIRST]),
        ("on:today", [THIRD]),
        ("after:yesterday", [THIRD, SECOND]),
        ("before:yesterday", [FIRST]),
        ("after:2d before:today project:api", [FIRST]),
        ("has:lesson", []),
    ],
)
async def test_filters_narrow_the_list(tmp_path: Path, text: str, found: list[str]) -> None:
    async with talks(tmp_path) as archive:
        assert await titles(archive, text) == found


async def test_words_find_segments_and_filters_narrow_them(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        assert set(await titles(archive, "cache")) == {FIRST, THIRD}
        assert await titles(archive, "cache", Order.OLDEST) == [FIRST, THIRD]
        assert await titles(archive, "cache is:open") == [THIRD]
        assert await titles(archive, "inval") == [FIRST]
        assert await titles(archive, "缓存") == [SECOND]
        assert await titles(archive, "zebra") == []


async def test_a_row_shows_the_best_turn_with_its_matches(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        browser = service(archive)
        listing = await browser.find("version key")
        (row,) = await browser.rows(listing, listing.ids)
        assert row.snippet == "The key lacks the version."
        assert [row.snippet[s.start : s.end] for s in row.spans] == ["key", "version"]
        assert (row.turns, row.hits, row.source) == (2, 1, "claude-code")
        assert (row.start, row.project, row.reason) == (NOON, "/code/api", "exit")


async def test_where_no_turn_holds_all_words_those_with_some_are_shown_and_said(
    tmp_path: Path,
) -> None:
    async with talks(tmp_path) as archive:
        listing = await service(archive).find("cache zebra")
        assert listing.loosely
        assert len(listing.ids) == 2
        exact = await service(archive).find("cache module")
        assert not exact.loosely
        assert len(exact.ids) == 1


async def test_rows_of_segments_that_are_gone_are_left_out(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        browser = service(archive)
        listing = await browser.find("")
        asked = [listing.ids[2], SegmentId("seg-x"), listing.ids[0]]
        rows = await browser.rows(listing, asked)
        assert [row.id for row in rows] == [asked[0], asked[2]]


async def test_a_preview_has_turns_tools_redactions_and_places(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("u1", "Run the cache tests", at=NOON, cwd="/code/api"),
            said("a1", "Running.", role=Role.ASSISTANT, at=NOON + 1),
            ToolCalled("a1", "c1", "Bash", '{"command": "pytest"}', NOON + 2),
            ToolAnswered("a1", "c1", Outcome.FAILED, "1 failed"),
        )
        async with archive.database.write() as connection:
            await connection.execute(
                "update episode set redacted = 'api key, password', withheld = 1 where seq = 2"
            )
        await close_segments(archive)
        browser = service(archive)
        listing = await browser.find("cache")
        shown = await browser.preview(listing.ids[0], listing)
        asked, answered = shown.content.turns
        assert [answered.redacted, answered.withheld] == [("api key", "password"), True]
        assert [tool.outcome for tool in answered.turn.tools] == [Outcome.FAILED]
        assert (asked.redacted, asked.withheld) == ((), False)
        (span,) = shown.spans[asked.turn.id]
        assert asked.turn.text[span.start : span.end] == "cache"
        assert (shown.content.session, shown.content.file) == ("s1", "/t.jsonl")
        assert (await browser.preview(listing.ids[0])).spans == {}


async def test_lessons_are_counted_and_those_rejected_are_not(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, "I prefer pytest over unittest.", "I prefer small commits.")
        browser = service(archive)
        listing = await browser.find("has:lesson")
        (row,) = await browser.rows(listing, listing.ids)
        assert row.lessons == 2
        shown = await browser.preview(row.id)
        assert [each.text for each in shown.content.lessons] == [
            "I prefer pytest over unittest.",
            "I prefer small commits.",
        ]
        async with archive.database.write() as connection:
            await connection.execute("update lesson set state = 'rejected'")
        assert (await browser.find("has:lesson")).ids == ()
        assert [each.lessons for each in await browser.rows(listing, listing.ids)] == [0]
        assert (await browser.counts()).with_lessons == 0


async def test_the_numbers_beside_the_list(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        counts = await service(archive).counts()
        assert (counts.all, counts.today, counts.open) == (3, 1, 1)
        assert counts.week in (2, 3)  # Monday noon is in this week or the one before
        assert list(counts.projects.items()) == [("/code/api", 2), ("/code/web shop", 1)]
        assert counts.sources == ("claude-code",)


async def test_an_empty_archive_lists_nothing(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        listing = await service(archive).find("")
        assert (listing.ids, listing.query) == ((), None)
        assert (await service(archive).counts()).all == 0


async def test_a_search_that_fails_is_no_empty_result(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        async with archive.database.write() as connection:
            await connection.execute("drop table episode_fts")
        with pytest.raises(Exception, match="episode_fts"):
            await service(archive).find("cache")


async def test_only_the_recorded_transcript_is_opened(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        opener = Shown()
        browser = service(archive, opener)
        listing = await browser.find("", order=Order.OLDEST)
        transcript = tmp_path / "t0.jsonl"
        with pytest.raises(FileProblem, match=r"t0\.jsonl is no longer there"):
            await browser.open_transcript(listing.ids[0])
        transcript.touch()
        assert await browser.open_transcript(listing.ids[0]) == transcript
        assert await browser.open_folder(listing.ids[0]) == tmp_path
        assert opener.paths == [transcript, tmp_path]


async def test_a_segment_without_a_file_or_that_is_unknown_is_refused(tmp_path: Path) -> None:
    async with talks(tmp_path) as archive:
        browser = service(archive)
        listing = await browser.find("")
        async with archive.database.write() as connection:
            await connection.execute("update session set file_id = null")
        with pytest.raises(Refused, match="not read from a file"):
            await browser.open_transcript(listing.ids[0])
        for ask in (browser.open_transcript, browser.preview):
            with pytest.raises(Refused, match="There is no segment seg-x"):
                await ask(SegmentId("seg-x"))


async def test_the_list_is_read_from_an_index_alone(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive, archive.database.read() as connection:
        plan = await connection.execute_fetchall(
            f"explain query plan {IDS} {BY_TIME[Order.NEWEST]}", narrowing_values(Narrowing())
        )
        steps = [str(row["detail"]) for row in plan]
        assert "SCAN g USING COVERING INDEX segment_list" in steps
        assert not any("TEMP B-TREE FOR ORDER" in step for step in steps)
