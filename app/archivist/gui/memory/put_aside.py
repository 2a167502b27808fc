"""Which changes a person put aside, kept between starts, so that they are not chosen by themselves.

Kept by file and lesson: another wording of a lesson is another change, and stays put aside.
"""

from typing import Final

from archivist.domain.proposals import HunkId
from archivist.gui.remembered import Remembered
from archivist.services.memory_shown import FileView, HunkView

_NAME: Final = "memory-put-aside"
_MOST: Final = 5_000
"""Marks that are kept; the oldest go first."""


class PutAside:
    """Numbers only, never words."""

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered
        self._marks = dict.fromkeys(remembered.text(_NAME).split())

    def among(self, view: FileView) -> frozenset[HunkId]:
        """Return the changes of a file that say a lesson that was put aside."""
        marked = (hunk for hunk in view.hunks if self._marks.keys() & set(_marks(view, hunk)))
        return frozenset(hunk.id for hunk in marked)

    def note(self, view: FileView, hunk: HunkView, *, chosen: bool) -> None:
        """Remember that a person chose a change of a file, or put it aside."""
        marks = _marks(view, hunk)
        before = list(self._marks)
        for mark in marks:
            self._marks.pop(mark, None)
        if not chosen:
            self._marks |= dict.fromkeys(marks)
        now = list(self._marks)[-_MOST:]
        if now != before:
            self._remembered.set_text(_NAME, " ".join(now))


def _marks(view: FileView, hunk: HunkView) -> list[str]:
    return [f"{view.target.id}:{source.lesson}" for source in hunk.sources]
