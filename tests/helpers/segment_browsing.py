"""The segment browser at rest, and what a person does with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from archivist.domain.segment_list import SegmentContent
from archivist.domain.turns import SegmentId
from archivist.gui.places import Room
from archivist.gui.segments.model import Column
from archivist.gui.segments.page import SegmentsPage
from archivist.gui.segments.window import SegmentsWindow
from archivist.services.archive import Done
from helpers.claude import Writer, lines
from helpers.windows import Opened, Profile, opened, until

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@dataclass(slots=True)
class Browser:
    """The window at rest, and what a person does with it."""

    on: Opened
    window: SegmentsWindow

    @property
    def page(self) -> SegmentsPage:
        return self.window.page

    @property
    def content(self) -> SegmentContent:
        """The segment in the preview."""
        found = self.page.preview.content
        assert found is not None
        return found

    @property
    def shown(self) -> SegmentId | None:
        """The segment in the preview, None while it is being read."""
        found = self.page.preview.content
        return found.row.id if found is not None else None

    @property
    def text(self) -> str:
        """What the preview shows."""
        return self.page.preview.text.toPlainText()

    @property
    def titles(self) -> list[str]:
        """The title column of every row."""
        model = self.page.model
        return [str(model.index(n, Column.TITLE).data()) for n in range(model.rowCount())]

    async def search(self, text: str) -> None:
        """Type a text in place of what is there, and wait for what it finds."""
        self.page.bar.box.setFocus()
        self.page.bar.box.clear()
        if text.isascii():
            QTest.keyClicks(self.page.bar.box, text)
        else:  # an input method does not press keys
            self.page.bar.box.insert(text)
        await self.found(text)

    async def found(self, text: str) -> None:
        """Wait until the list shows what a text finds."""
        await until(lambda: self.page.bar.text == text and self.page.model.listing.text == text)
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing is being read."""
        live = self.on.rooms.desk.supervisor._live
        await until(lambda: not live)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
        """Press a key where the focus is."""
        target = QApplication.focusWidget() or self.window
        QTest.keyClick(target, key, modifier or Qt.KeyboardModifier.NoModifier)


@asynccontextmanager
async def browsing(profile: Profile) -> AsyncIterator[Browser]:
    """Open the window and wait until it shows what there is."""
    async with opened(profile) as on:
        on.rooms.go(Room.SEGMENTS)
        window = on.rooms.window(Room.SEGMENTS)
        assert isinstance(window, SegmentsWindow)
        browser = Browser(on, window)
        window.activateWindow()
        await until(window.isActiveWindow)
        await until(window.page.sidebar.count)
        await browser.rest()
        yield browser


async def tell(on: Opened, text: str) -> None:
    """Let one conversation be archived while the window is open."""
    folder = on.services.profile.home.folder / ".claude" / "projects" / "-code-app"
    folder.mkdir(parents=True, exist_ok=True)
    writer = Writer()
    records = [writer.user(text), writer.assistant(text="Noted.")]
    (folder / f"{writer.session}.jsonl").write_bytes(lines(records))
    async for _ in on.services.ingest.import_home(on.services.profile.home):
        pass
    await on.services.archive.step(Done())


async def change(on: Opened, statement: str) -> None:
    """Change the archive behind the window's back."""
    store: Any = on.services.segments._store
    async with store._database.write() as connection:
        await connection.execute(statement)
