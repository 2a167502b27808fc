"""The line about a memory file on disk, with one thing to do."""

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import Signal

from archivist.gui.banner import Banner
from archivist.gui.look import Look
from archivist.gui.memory import words
from archivist.services.memory_shown import FileState, FileView
from archivist.texts import tr


class StateLine(Banner):
    """Says what is with the file that is shown; what the person closed is not said again."""

    files_wanted = Signal()
    preview_wanted = Signal()
    look_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._changed: dict[str, int] = {}
        self._said: tuple[object, ...] = ()

    def note(self, view: FileView) -> None:
        """Remember that somebody changed a file, until it is written."""
        if view.changed_at is not None:
            self._changed[view.target.path] = view.changed_at

    def forget(self, path: str) -> None:
        """A file was written: its change by somebody else is no news any more."""
        self._changed.pop(path, None)

    def tell(self, view: FileView | None) -> None:
        """Say what is with a file."""
        if view is None:
            self._said = ()
            self.hide()
            return
        changed = self._changed.get(view.target.path)
        now = round(datetime.now(UTC).timestamp() * 1000)
        text = words.state_line(view, changed, now)
        said = (view.target.path, view.state, changed)
        if not text:
            self.hide()
        elif said != self._said or self.message:
            action, run = self._remedy(view.state)
            self.say(text, action=action, run=run)
        self._said = said

    def _remedy(self, state: FileState) -> tuple[str, Callable[[], None]]:
        match state:
            case FileState.MISSING:
                return tr("Choose files…"), self.files_wanted.emit
            case FileState.READY:
                return tr("Preview file"), self.preview_wanted.emit
            case FileState.READ_ONLY | FileState.TROUBLE:
                return tr("Look again"), self._look_again

    def _look_again(self) -> None:
        self._said = ()
        self.look_wanted.emit()
