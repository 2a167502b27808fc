"""What the person does with the chosen segment; never with one that is still in sight."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from archivist.domain.segment_list import SegmentContent
from archivist.domain.turns import SegmentId
from archivist.gui.room import RoomWindow
from archivist.gui.segments import words
from archivist.gui.segments.page import SegmentsPage
from archivist.services.segment_text import markdown
from archivist.texts import tr

_SOURCES_OFF = "sources.off"


class SegmentActs(QObject):
    """Carries out what the window and the page ask for."""

    def __init__(self, window: RoomWindow, page: SegmentsPage) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        self._services = window.desk.services

    def copy(self) -> None:
        """Copy the chosen segment as Markdown."""
        self._with_content(self._put, name="copy")

    def go_to_lessons(self) -> None:
        """Go to the lessons of the chosen segment, if it has any."""
        self._with_content(self._ask_for_lessons, name="lessons-of")

    def open_transcript(self) -> None:
        """Open the file that the segment was read from."""
        self._open(self._services.segments.open_transcript, name="open-transcript")

    def open_folder(self) -> None:
        """Open the folder of that file."""
        self._open(self._services.segments.open_folder, name="open-folder")

    def listen(self) -> None:
        """Switch every source on."""
        self._window.act(self._switch_on(), name="sources-on")

    def _with_content(self, run: Callable[[SegmentContent], None], *, name: str) -> None:
        """Do something with what is shown where that is what was chosen, else read it first."""
        chosen, shown = self._page.results.current, self._page.preview.content
        if chosen is None:
            return
        if shown is not None and shown.row.id == chosen:
            run(shown)
        else:
            self._window.act(self._read(chosen, run), name=name)

    async def _read(self, segment: SegmentId, run: Callable[[SegmentContent], None]) -> None:
        run((await self._services.segments.preview(segment)).content)

    def _put(self, content: SegmentContent) -> None:
        self._window.desk.clipboard.put(markdown(content, words.when))
        self._window.notice(words.copied(content.row))

    def _ask_for_lessons(self, content: SegmentContent) -> None:
        if content.lessons:
            self._page.preview.lesson_wanted.emit(content.lessons[0].id)

    def _open(self, run: Callable[[SegmentId], Awaitable[Path]], *, name: str) -> None:
        segment = self._page.results.current
        if segment is not None:
            self._window.act(self._opened(partial(run, segment)), name=name)

    async def _opened(self, run: Callable[[], Awaitable[Path]]) -> None:
        self._window.notice(tr("Opened {path}", path=await run()))

    async def _switch_on(self) -> None:
        await self._services.preferences.set(_SOURCES_OFF, None)
        self._window.notice(tr("Every source is read from the next start on."), undoable=True)
