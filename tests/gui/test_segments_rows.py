"""The rows of the segment browser: read a page at a time, and quick however many there are."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from archivist.domain.segment_list import ListedSegment
from archivist.domain.snippets import Span
from archivist.domain.turns import SegmentId
from archivist.gui.application import Application
from archivist.gui.look import Look
from archivist.gui.segments.model import PAGE, Column, SegmentModel
from archivist.gui.segments.results import Results
from archivist.services.segment_list import Listing

pytestmark = pytest.mark.gui

MANY = 200_000
TRIES = 3
ROW = ListedSegment(
    id=SegmentId("seg-0"),
    source="claude-code",
    project="/home/a/code/api",
    state="recapped",
    reason="drift",
    start=1_790_000_000_000,
    end=1_790_000_600_000,
    turns=12,
    title="为什么缓存没有更新 and why is the cache stale after a deploy of the staging server",
    maker="rules",
    lessons=2,
)


def listed(count: int) -> Listing:
    return Listing(ids=tuple(SegmentId(f"seg-{n:08d}") for n in range(count)))


def rows(ids: Sequence[SegmentId]) -> list[ListedSegment]:
    return [replace(ROW, id=ident) for ident in ids]


def answering(model: SegmentModel) -> list[int]:
    """Let every page that is wanted be read at once; return how many rows were read each time."""
    read: list[int] = []

    def answer() -> None:
        ids = model.take_wanted()
        read.append(len(ids))
        model.put(model.listing, rows(ids))

    model.wanted.connect(answer, Qt.ConnectionType.QueuedConnection)
    return read


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def shown(look: Look) -> Results:
    results = Results(SegmentModel(), look)
    results.resize(700, 900)
    results.show()
    return results


def settle() -> None:
    QApplication.sendPostedEvents()


def test_only_the_pages_in_sight_are_read(qapp: Application) -> None:
    results = shown(Look(qapp.palette()))
    read = answering(results.model)
    results.show_listing(listed(MANY), [], wanted=None, jumps=True)
    results.table.grab()
    settle()
    assert read == [PAGE]
    assert results.model.index(0, Column.SOURCE).data() == "Claude Code"
    results.table.scrollTo(results.model.index(MANY - 1, 0))
    results.table.grab()
    settle()
    assert read == [PAGE, PAGE]
    assert results.model.index(MANY - 1, Column.TURNS).data() == "12"


def test_rows_that_are_not_read_yet_hold_their_place(qapp: Application) -> None:
    model = SegmentModel()
    asked: list[bool] = []
    model.wanted.connect(lambda: asked.append(True))
    model.show(listed(PAGE + 1), [])
    assert model.index(0, Column.TITLE).data() == "…"
    assert model.index(0, Column.WHEN).data() is None
    assert model.index(PAGE, Column.TITLE).data() == "…"
    assert asked == [True]
    ids = model.take_wanted()
    assert len(ids) == PAGE + 1
    model.put(listed(3), rows(ids))  # for another listing
    assert model.index(0, Column.TITLE).data() == "…"
    model.put(model.listing, rows(ids))
    assert model.index(0, Column.TITLE).data() == ROW.title


def test_the_list_opens_at_once_and_scrolls_without_a_stutter(qapp: Application) -> None:
    results = shown(Look(qapp.palette()))
    answering(results.model)
    many = listed(MANY)

    def open_it() -> None:
        results.show_listing(many, rows(many.ids[:PAGE]), wanted=None, jumps=True)
        results.table.grab()

    def close_it() -> None:
        results.show_listing(listed(1), [], wanted=None, jumps=True)

    opened = []
    for _ in range(TRIES):
        close_it()
        opened.append(seconds(open_it))
    assert min(opened) < 0.100

    bar = results.table.verticalScrollBar()

    def step(value: int) -> None:
        bar.setValue(value)
        results.table.viewport().grab()
        settle()

    places = range(0, bar.maximum(), bar.maximum() // 100)
    best = float("inf")
    for _ in range(TRIES):
        steps = sorted(seconds(partial(step, at)) for at in places)
        best = min(best, steps[int(len(steps) * 0.95)])
    assert best < 0.016


def test_what_answers_is_marked_in_the_row_and_the_rest_is_not(qapp: Application) -> None:
    look = Look(qapp.palette())
    results = shown(look)
    title = "the cache key"
    found = replace(ROW, snippet=title, spans=(Span(4, 9),), id=SegmentId("seg-00000001"))
    plain = replace(found, spans=(), id=SegmentId("seg-00000000"))
    results.show_listing(listed(3), [plain, found], wanted=SegmentId("seg-00000002"), jumps=True)
    mark = look.colours.mark.rgb()

    def marked(row: int) -> int:
        place = results.table.visualRect(results.model.index(row, Column.TITLE))
        image = results.table.viewport().grab(place).toImage()
        return sum(
            image.pixel(x, y) == mark for x in range(image.width()) for y in range(image.height())
        )

    assert marked(0) == 0
    assert marked(1) > 100


@pytest.mark.parametrize("width, hidden", [(900, 0), (480, 1), (360, 2)])
def test_where_there_is_little_room_the_titles_keep_it(
    qapp: Application, width: int, hidden: int
) -> None:
    results = shown(Look(qapp.palette()))
    em = results.table.fontMetrics().height()
    results.resize(round(width / 14 * em), 400)
    table = results.table
    assert sum(table.isColumnHidden(column) for column in Column) == hidden
    assert not table.isColumnHidden(Column.TITLE)
