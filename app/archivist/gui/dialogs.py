"""Questions to the person, awaited: no dialog runs an event loop of its own."""

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from archivist.domain.hidden import visible
from archivist.texts import tr

_ROWS_SHOWN = 12
_LINE_LETTERS = 60


async def ask(dialog: QDialog) -> int:
    """Show a dialog above its window and return its result once it is closed."""
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finish(code: int) -> None:
        if not done.done():
            done.set_result(code)

    dialog.finished.connect(finish)
    dialog.open()
    try:
        return await done
    finally:
        if isValid(dialog):  # it may have gone with its window
            dialog.close()
            dialog.deleteLater()


async def confirm(
    parent: QWidget | None,
    question: str,
    *,
    lines: Sequence[str] = (),
    verb: str,
    refusal: str = "",
) -> bool:
    """Ask before something is done to several things at once, which are listed.

    `verb` names the act ("Keep 4"), `refusal` the other button ("Not now" where left out).
    """
    return (
        await ask(Question(parent, question, lines, verb, refusal)) == QDialog.DialogCode.Accepted
    )


class Question(QDialog):
    """A sentence, the things it is about, and two verbs. The safe one has the focus."""

    def __init__(
        self, parent: QWidget | None, question: str, lines: Sequence[str], verb: str, refusal: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(verb)
        self.setObjectName("question")
        column = QVBoxLayout(self)
        label = QLabel(question)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        column.addWidget(label)
        if lines:
            column.addWidget(_listed(lines, question))
        buttons = QDialogButtonBox()
        buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        no = buttons.addButton(refusal or tr("Not now"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        no.setDefault(True)  # it must be in the dialog by now, or the other one becomes default
        no.setFocus()


def _listed(lines: Sequence[str], question: str) -> QListWidget:
    listed = QListWidget()
    listed.setAccessibleName(question)
    listed.setWordWrap(True)
    listed.addItems([visible(line) for line in lines])
    height = listed.sizeHintForRow(0) * min(_ROWS_SHOWN, len(lines))
    listed.setMinimumHeight(height + 2 * listed.frameWidth())
    listed.setMinimumWidth(listed.fontMetrics().averageCharWidth() * _LINE_LETTERS)
    return listed


def _two_columns(rows: Sequence[tuple[str, str]], title: str) -> QTreeWidget:
    table = QTreeWidget()
    table.setAccessibleName(title)
    table.setColumnCount(2)
    table.setHeaderHidden(True)
    table.setRootIsDecorated(False)
    for word, meaning in rows:
        table.addTopLevelItem(QTreeWidgetItem([visible(word), visible(meaning)]))
    for column in range(2):
        table.resizeColumnToContents(column)
    bar = table.verticalScrollBar().sizeHint().width()
    edge = 2 * table.frameWidth()
    table.setMinimumWidth(table.columnWidth(0) + table.columnWidth(1) + bar + edge)
    table.setMinimumHeight(table.sizeHintForRow(0) * min(_ROWS_SHOWN, len(rows)) + edge)
    return table


class Listing(QDialog):
    """Words with what they mean, to read and close, such as the keys of a window."""

    def __init__(self, parent: QWidget, title: str, rows: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        column = QVBoxLayout(self)
        column.addWidget(_two_columns(rows, title))
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
