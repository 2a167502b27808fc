"""Qt's application object, with its two messages that must not be lost as signals."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """One for the process.

    quit_asked: the system's menu or logout wants the end. Qt itself would end its loop at once, and
    nothing that awaits would be cleaned up; so the wish is taken from it. palette_changed: light
    became dark, or another theme was chosen.
    """

    quit_asked = Signal()
    palette_changed = Signal()

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self.setApplicationName("archivist")
        self.setDesktopFileName("archivist")
        self.setQuitOnLastWindowClosed(False)

    def event(self, event: QEvent) -> bool:
        """Take Quit away from Qt; tell of a new palette after Qt has taken it."""
        if event.type() == QEvent.Type.Quit:
            event.ignore()
            self.quit_asked.emit()
            return True
        taken = super().event(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self.palette_changed.emit()
        return taken
