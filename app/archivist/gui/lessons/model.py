"""The rows of the review: headings and lessons. A row stays where it is when its state changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon

from archivist.domain.hidden import visible
from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.domain.review import Grouping, Wording, grouped
from archivist.gui.lessons import words
from archivist.gui.lessons.deciding import is_doubtful
from archivist.gui.lessons.delegate import STATE_ROLE
from archivist.gui.look import Look, Type

Index: TypeAlias = QModelIndex | QPersistentModelIndex
_NOWHERE: Final = QModelIndex()
_ICONS: Final = {
    LessonState.WAITING: "waiting",
    LessonState.KEPT: "keep",
    LessonState.REJECTED: "reject",
    LessonState.LATER: "later",
    LessonState.RETIRED: "history",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """The line above a group. `first` is a lesson of it, for the heading's words."""

    key: str
    first: Lesson


Row: TypeAlias = Heading | Lesson


class LessonsModel(QAbstractListModel):
    """Sentences; beside each its state where it is no longer that of the list."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._rows: list[Row] = []
        self._places: dict[LessonId, int] = {}
        self._state = LessonState.WAITING
        self._grouping = Grouping.PROJECT
        self._now = datetime.now().astimezone()
        self._draw_signs()

    def show(
        self, lessons: Sequence[Lesson], state: LessonState, by: Grouping, now: datetime
    ) -> None:
        """Show the lessons in a state, in groups."""
        self.beginResetModel()
        self._state, self._grouping, self._now = state, by, now
        self._rows = []
        for group in grouped(lessons, by):
            self._rows += [Heading(group.key, group.lessons[0]), *group.lessons]
        self._number()
        self.endResetModel()

    def take(self, lessons: Iterable[Lesson]) -> None:
        """Bring known rows up to date in place; put others that belong here behind their group."""
        for lesson in lessons:
            row = self.row_of(lesson.id)
            if row is not None:
                if self._rows[row] != lesson:
                    self._rows[row] = lesson
                    self.dataChanged.emit(self.index(row, 0), self.index(row, 0))
            elif lesson.state is self._state:
                self._add(lesson)

    def changed(self, wordings: Iterable[Wording]) -> list[LessonId]:
        """Return the lessons to be read again, given the words that are now in this state."""
        now = {wording.id: wording.text for wording in wordings}
        known = [
            lesson.id
            for lesson in self.lessons
            if not self.is_open(lesson) or now.get(lesson.id) != lesson.text
        ]
        return known + [ident for ident in now if ident not in self._places]

    def restyle(self) -> None:
        """Draw all rows anew in the colours of the look."""
        self._draw_signs()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))

    def lesson_at(self, row: int) -> Lesson | None:
        """Return the lesson of a row; None for a heading and outside."""
        if not 0 <= row < len(self._rows):
            return None
        found = self._rows[row]
        return found if isinstance(found, Lesson) else None

    def row_of(self, ident: LessonId) -> int | None:
        """Return where a lesson stands."""
        return self._places.get(ident)

    @property
    def lessons(self) -> list[Lesson]:
        """The lessons that are shown, in order."""
        return [row for row in self._rows if isinstance(row, Lesson)]

    def is_open(self, lesson: Lesson) -> bool:
        """Whether a lesson still has the state of this list."""
        return lesson.state is self._state

    @property
    def left(self) -> int:
        """How many of the lessons still have the state of this list."""
        return sum(map(self.is_open, self.lessons))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of rows, headings included."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let lessons be chosen; headings are passed over by the arrow keys."""
        if self.lesson_at(index.row()) is None:
            return Qt.ItemFlag.NoItemFlags
        chosen = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return chosen | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a cell shows."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, self._look.space(7 if isinstance(row, Lesson) else 8))
        if isinstance(row, Heading):
            return self._heading(row, role)
        return self._cell(row, role)

    def _heading(self, row: Heading, role: int) -> str | QFont | QColor | None:
        title = words.group_title(row.key, self._grouping, row.first, self._now)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return title
            case Qt.ItemDataRole.FontRole:
                return self._look.font(Type.HEAD)
            case Qt.ItemDataRole.ForegroundRole:
                return self._look.colours.text
            case _:
                return None

    def _cell(self, lesson: Lesson, role: int) -> str | QIcon | QColor | QFont | None:
        is_decided = lesson.state is not self._state
        match role:
            case Qt.ItemDataRole.AccessibleTextRole:
                return words.row_sentence(lesson, self._now)
            case Qt.ItemDataRole.DisplayRole:
                return visible(lesson.text)
            case Qt.ItemDataRole.DecorationRole:
                return self._icon(lesson)
            case _ if role == STATE_ROLE and is_decided:
                return words.standing(lesson)
            case Qt.ItemDataRole.ForegroundRole if is_decided:
                return self._look.colours.muted
            case _:
                return None

    def _draw_signs(self) -> None:
        look = self._look
        self._warning = look.icon("warning", look.colours.warning)
        self._signs = {state: look.icon(name) for state, name in _ICONS.items()}

    def _icon(self, lesson: Lesson) -> QIcon:
        if lesson.state is LessonState.WAITING and is_doubtful(lesson):
            return self._warning
        return self._signs[lesson.state]

    def _add(self, lesson: Lesson) -> None:
        key = grouped([lesson], self._grouping)[0].key
        at = self._end_of(key)
        new: list[Row] = [lesson] if at is not None else [Heading(key, lesson), lesson]
        start = len(self._rows) if at is None else at
        self.beginInsertRows(_NOWHERE, start, start + len(new) - 1)
        self._rows[start:start] = new
        self._number()
        self.endInsertRows()

    def _number(self) -> None:
        rows = enumerate(self._rows)
        self._places = {row.id: number for number, row in rows if isinstance(row, Lesson)}

    def _end_of(self, key: str) -> int | None:
        """Return the row behind the last lesson of a group, None when there is no such group."""
        is_inside, end = False, None
        for number, row in enumerate(self._rows):
            if isinstance(row, Heading):
                is_inside = row.key == key
            if is_inside:
                end = number + 1
        return end
