"""The widgets of the segment browser and how they lie: search above, three panes below."""

from typing import Final

from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from archivist.domain.problems import Problem
from archivist.gui.look import Look
from archivist.gui.segments.bar import SearchBar
from archivist.gui.segments.model import SegmentModel
from archivist.gui.segments.preview import PreviewPane
from archivist.gui.segments.results import Results, Way
from archivist.gui.segments.sidebar import Sidebar
from archivist.texts import tr

_SHARES: Final = (0, 5, 4)
_USUAL: Final = (4, 15, 12)
"""The widths of the panes at first, in tens of steps."""


class SegmentsPage(QWidget):
    """Shows; the window above it reads and decides."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.model = SegmentModel()
        self.bar, self.sidebar = SearchBar(look), Sidebar(look)
        self.results, self.preview = Results(self.model, look), PreviewPane(look)
        self.splitter = QSplitter()
        for place, pane in enumerate((self.sidebar, self.results, self.preview)):
            self.splitter.addWidget(pane)
            self.splitter.setStretchFactor(place, _SHARES[place])
        self.splitter.setCollapsible(1, False)
        self.splitter.setSizes([share * look.space(10) for share in _USUAL])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.splitter, stretch=1)

    def toggle_sidebar(self) -> None:
        """Show or hide the left pane."""
        self.sidebar.setVisible(self.sidebar.isHidden())

    def enter_list(self) -> None:
        """Go on with the keyboard in the rows, or in the search box when there are none."""
        if self.results.currentWidget() is self.results.table:
            self.results.table.setFocus()
        else:
            self.bar.box.setFocus()

    def search_again(self) -> None:
        """Go on with the keyboard in the search box."""
        self.bar.box.setFocus()
        self.bar.box.selectAll()

    def show_failure(self, problem: Problem, again: Way) -> None:
        """Say that the search did not work: that is not the same as nothing found."""
        self.bar.say("")
        self.preview.clear()
        text = tr(
            "The search did not work. {message} {advice}",
            message=problem.message,
            advice=problem.advice,
        )
        self.results.say(text, [again])

    def restyle(self) -> None:
        """Take the colours of the look."""
        self.bar.restyle()
        self.preview.restyle()
        self.results.table.viewport().update()
