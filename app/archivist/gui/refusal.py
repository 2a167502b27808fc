"""What is said when the archive cannot be opened: the reason, and a way to where the files are."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, AsyncExitStack, suppress

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout

from archivist.domain.hidden import visible_lines
from archivist.domain.problems import Problem, SchemaTooNew
from archivist.gui.dialogs import ask
from archivist.paths import Paths
from archivist.ports.machine import Instance, Message
from archivist.texts import tr

_log = logging.getLogger(__name__)

_LINE_LETTERS = 60


class Refusal(QDialog):
    """One sentence, one advice, one verb: the program ends when it is closed, however it is."""

    def __init__(self, problem: Problem, paths: Paths) -> None:
        super().__init__()
        self.setWindowTitle("Archivist")
        self.setObjectName("refusal")
        column = QVBoxLayout(self)
        for text in (problem.message, problem.advice):
            label = QLabel(visible_lines(text))
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setWordWrap(True)
            label.setMinimumWidth(label.fontMetrics().averageCharWidth() * _LINE_LETTERS)
            column.addWidget(label)
        buttons = QDialogButtonBox()
        is_newer = isinstance(problem, SchemaTooNew) and paths.backups.is_dir()
        self._folder = paths.backups if is_newer else paths.data
        words = tr("Open the folder of the copies") if is_newer else tr("Open the data folder")
        shown = buttons.addButton(words, QDialogButtonBox.ButtonRole.ActionRole)
        shown.clicked.connect(self._on_folder_clicked)
        shown.setVisible(self._folder.is_dir())
        quit_button = buttons.addButton(tr("Quit"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        column.addWidget(buttons)
        quit_button.setDefault(True)
        quit_button.setFocus()

    def to_front(self) -> None:
        """Bring it forward again: the program was asked for once more."""
        self.show()
        self.raise_()
        self.activateWindow()

    def _on_folder_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


class Refusing:
    """Tells once why the archive cannot be opened, and answers other starts meanwhile."""

    def __init__(
        self,
        instance: Instance,
        paths: Paths,
        logged: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._instance = instance
        self._paths = paths
        self._logged = logged
        self._dialog: Refusal | None = None

    async def tell(self, problem: Problem, stopped: asyncio.Event) -> None:
        """Return once it was read, or the program is to end."""
        self._log(problem)
        self._dialog = Refusal(problem, self._paths)
        try:
            async with AsyncExitStack() as stack:
                with suppress(Problem):  # no place to listen at: the dialog is shown for all that
                    listening = self._instance.listening(self._answerer(stopped))
                    await stack.enter_async_context(listening)
                await _first_of(self._dialog, stopped)
        finally:
            self._dialog = None

    def to_front(self) -> bool:
        """Bring the dialog forward; False when there is none."""
        if self._dialog is None:
            return False
        self._dialog.to_front()
        return True

    def _log(self, problem: Problem) -> None:
        with suppress(OSError), self._logged():
            _log.error("archive not opened key=%s", problem.key)

    def _answerer(self, stopped: asyncio.Event) -> Callable[[Message], Awaitable[Message]]:
        async def answer(message: Message) -> Message:
            match message:
                case {"do": "quit"}:
                    stopped.set()
                    return {"ok": True}
                case {"do": "show"}:
                    return {"ok": True, "window": self.to_front()}
                case _:
                    return {"ok": False, "error": "the archive is not open"}

        return answer


async def shown(problem: Problem, paths: Paths, stopped: asyncio.Event) -> None:
    """Tell of a start that came to nothing before the profile was ours to answer for."""
    await _first_of(Refusal(problem, paths), stopped)


async def _first_of(dialog: Refusal, stopped: asyncio.Event) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(ask(dialog)), group.create_task(stopped.wait())}
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
