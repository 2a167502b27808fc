"""The left of the status line: what the archivist does, and while it imports how far it is."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from archivist.domain.activity import Activity, Importing
from archivist.domain.hidden import visible
from archivist.gui.look import Look
from archivist.services.activity import Running, describe
from archivist.texts import tr


class ActivityLine(QWidget):
    """Follows the activity. Cancelling keeps what was read."""

    def __init__(self, look: Look, running: Running) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(look.space(2), 0, look.space(2), 0)
        row.setSpacing(look.space(2))
        self.text = QLabel()
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Files read"))
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(look.space(30))
        self.bar.setMaximumHeight(look.space(3))
        self.stop = QPushButton(tr("Stop reading"))
        self.stop.setToolTip(tr("What was read stays; reading goes on from there later."))
        self.stop.clicked.connect(running.cancel_import)
        for part in (self.text, self.bar, self.stop):
            row.addWidget(part)
        row.addStretch(1)
        self.bar.hide()
        self.stop.hide()

    def show_activity(self, now: Activity) -> None:
        """Say what is done now."""
        self.text.setText(visible(describe(now)))
        is_import = isinstance(now, Importing)
        self.bar.setVisible(is_import)
        self.stop.setVisible(is_import)
        if isinstance(now, Importing):
            self.bar.setMaximum(max(1, now.files))
            self.bar.setValue(now.done)
