"""Choose the memory files that lessons may be proposed to."""

from collections.abc import Sequence

from PySide6.QtCore import QDir, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from archivist.gui.banner import Banner
from archivist.gui.look import Look
from archivist.gui.memory import words
from archivist.gui.memory.clear_box import ClearBox
from archivist.services.memory_found import Candidate
from archivist.texts import tr


class ChooseFiles(QDialog):
    """`wanted` carries a path, its project and whether it is to be used; `other` a new path."""

    wanted = Signal(str, str, bool)
    other = Signal(str)

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: list[FileRow] = []
        self.setWindowTitle(tr("Choose memory files"))
        self.resize(parent.size() * 0.8)
        self.banner = Banner(look)
        head = QLabel(
            tr("Kept lessons are proposed to these files. Nothing is written until you write it.")
        )
        head.setWordWrap(True)
        self._files = QScrollArea()
        self._files.setWidgetResizable(True)
        self._files.setFrameShape(QFrame.Shape.NoFrame)
        self._files.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._files.setAccessibleName(tr("Memory files that were found"))
        self.other_button = QPushButton(tr("Other file…"))
        self.other_button.setIcon(look.icon("folder"))
        self.other_button.clicked.connect(self._on_other_clicked)
        buttons = QDialogButtonBox()
        buttons.addButton(self.other_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (head, self.banner, self._files, buttons):
            column.addWidget(part)
        column.setStretch(2, 1)

    def show_files(self, files: Sequence[Candidate]) -> None:
        """Show the files, those in use with a mark; the row that had the focus keeps it."""
        in_hand = next((row.path for row in self.rows if row.has_focus), None)
        inside = QWidget()
        column = QVBoxLayout(inside)
        self.rows = [FileRow(self._look, file) for file in files]
        for row in self.rows:
            row.wanted.connect(self.wanted)
            column.addWidget(row)
        if not files:
            text = tr("No MEMORY.md or SKILL.md was found in the known projects.")
            column.addWidget(QLabel(text))
        column.addStretch(1)
        self._files.setWidget(inside)
        again = [row for row in self.rows if row.path == in_hand] or self.rows
        if again:
            again[0].box.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_other_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Choose a MEMORY.md or SKILL.md"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setFilter(
            dialog.filter() | QDir.Filter.Hidden
        )  # assistants' folders begin with a dot
        dialog.setNameFilters([tr("Memory files (MEMORY.md SKILL.md)")])
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, tr("Use this file"))
        dialog.fileSelected.connect(self.other)
        dialog.open()


class FileRow(QWidget):
    """One file: whether it is used, for which lessons, and who reads it."""

    wanted = Signal(str, str, bool)

    def __init__(self, look: Look, file: Candidate) -> None:
        super().__init__()
        self._file = file
        self.box = ClearBox(look, words.name_of(file.path, file.stands_in or file.project))
        self.box.setChecked(file.is_enabled)
        self.box.setAccessibleName(tr("Use {path}", path=file.path))
        self.box.toggled.connect(self._tell)
        self.scope = QComboBox()
        self.scope.setAccessibleName(tr("Which lessons {path} takes", path=file.path))
        for project in dict.fromkeys((file.stands_in, file.project, "")):
            self.scope.addItem(words.scope_of(project), project)
        self.scope.setCurrentIndex(self.scope.findData(file.project))
        self.scope.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.scope.currentIndexChanged.connect(self._on_scope_changed)
        about = QLabel(words.broken(words.where_read(file.path, file.readers)))
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, look.space(1), 0, look.space(1))
        head = QHBoxLayout()
        head.addWidget(self.box, 1)
        head.addWidget(self.scope)
        column.addLayout(head)
        about.setContentsMargins(look.space(6), 0, 0, 0)
        column.addWidget(about)

    @property
    def path(self) -> str:
        """The file."""
        return self._file.path

    @property
    def has_focus(self) -> bool:
        """Whether the keyboard is at this file."""
        return self.box.hasFocus() or self.scope.hasFocus()

    def _on_scope_changed(self) -> None:
        if self.box.isChecked():
            self._tell()

    def _tell(self) -> None:
        project = str(self.scope.currentData())
        self.wanted.emit(self._file.path, project, self.box.isChecked())
