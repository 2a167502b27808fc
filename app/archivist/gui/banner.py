"""One line above the content of a window: what is wrong or worth knowing, and one thing to do."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton

from archivist.domain.hidden import visible_lines
from archivist.gui.look import Look
from archivist.texts import tr


class Banner(QFrame):
    """Hidden until it has something to say. It never takes the focus by itself."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._run: Callable[[], None] | None = None
        self.setObjectName("banner")
        self._sign = QLabel()
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action = QPushButton()
        self._action.clicked.connect(self._on_action_clicked)
        self._close = QToolButton()
        self._close.setText("×")
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(tr("Close this message"))
        self._close.setToolTip(tr("Close this message"))
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(look.space(3), look.space(2), look.space(2), look.space(2))
        for part in (self._sign, self._text, self._action, self._close):
            row.addWidget(part)
        self.restyle()
        self.hide()

    @property
    def message(self) -> str:
        """What it says now, "" while hidden."""
        return self._text.text() if not self.isHidden() else ""

    def say(self, text: str, *, action: str = "", run: Callable[[], None] | None = None) -> None:
        """Show a sentence, with a button when there is something to do."""
        self._text.setText(visible_lines(text))
        self.setAccessibleName(text)
        self._run = run
        self._action.setText(action)
        self._action.setVisible(bool(action and run))
        self.show()

    def restyle(self) -> None:
        """Take the colours of the look."""
        colours = self._look.colours
        sign = self._look.icon("warning", colours.warning)
        self._paint(sign, text=colours.text, back=colours.warning_back)

    def _paint(self, sign: QIcon, *, text: QColor, back: QColor) -> None:
        self.setStyleSheet(
            f"#banner {{ background: {back.name()};"
            f" border-bottom: 1px solid {self._look.colours.border.name()}; }}"
            f"#banner QLabel {{ color: {text.name()}; }}"
        )
        self._sign.setPixmap(sign.pixmap(self._look.space(5)))

    def _on_action_clicked(self) -> None:
        run = self._run
        self.hide()
        if run is not None:
            run()
