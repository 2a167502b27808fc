"""The line below a segment: how many places answer the question, and steps through them."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from archivist.gui.look import Look
from archivist.texts import tr


class Steps(QWidget):
    """Says what it is told; emits 1 for the next match and -1 for the one before."""

    stepped = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.label = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(*[look.space(2)] * 4)
        row.addWidget(self.label, stretch=1)
        self._buttons: list[tuple[QToolButton, str]] = []
        for icon, name, by in (
            ("previous", tr("Previous match (Shift+F3)"), -1),
            ("next", tr("Next match (F3)"), 1),
        ):
            button = QToolButton()
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.clicked.connect(partial(self._on_button_clicked, by))
            self._buttons.append((button, icon))
            row.addWidget(button)
        self.restyle()

    def say(self, text: str, *, can_step: bool) -> None:
        """Show how many places answer, or which of them is shown."""
        self.label.setText(text)
        for button, _ in self._buttons:
            button.setEnabled(can_step)

    def restyle(self) -> None:
        """Take the colours of the look."""
        for button, icon in self._buttons:
            button.setIcon(self._look.icon(icon))

    def _on_button_clicked(self, by: int) -> None:
        self.stepped.emit(by)
