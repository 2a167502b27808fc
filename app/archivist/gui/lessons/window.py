"""The lesson review: a list in groups, one lesson with its evidence, and one key a decision.

What was decided stays in its row until the window is left, so that nothing jumps under the hand.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from PySide6.QtGui import QAction, QCloseEvent, QShowEvent
from PySide6.QtWidgets import QLabel

from archivist.domain.knowledge import Evidence, Lesson, LessonId, LessonState
from archivist.domain.review import Grouping, RejectReason
from archivist.gui.desk import Desk
from archivist.gui.latest import Latest
from archivist.gui.lessons.acts import LessonActs
from archivist.gui.lessons.card import Shown
from archivist.gui.lessons.deciding import Decision
from archivist.gui.lessons.page import TABS, LessonsPage
from archivist.gui.places import Place, Room, Thing
from archivist.gui.room import RoomWindow
from archivist.texts import tr

_GROUPING = "lessons-group"


class LessonsWindow(RoomWindow):
    """Reads and shows; what the person does is in `acts`."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, room=Room.LESSONS, title=tr("Lessons"))
        self.page = LessonsPage(desk.look)
        self.set_body(self.page)
        self.acts = LessonActs(self, self.page)
        self._state = LessonState.WAITING
        self._target: LessonId | None = None
        self._is_stale = True
        self._loading, self._showing = Latest(desk.spawn), Latest(desk.spawn)
        self._hint, self._left = QLabel(), QLabel()
        self.statusBar().addWidget(self._hint)
        self.statusBar().addPermanentWidget(self._left)
        self._answers = self._bind_keys()
        self._connect()
        desk.remembered.place_splitter(self.room, self.page.splitter)
        grouping = desk.remembered.text(_GROUPING)
        if grouping in set(Grouping):
            self.page.choose_grouping(Grouping(grouping))

    @property
    def is_reading(self) -> bool:
        """Whether the list is still to be read."""
        return self._is_stale

    # What every window does.

    def refresh(self) -> None:
        """Read the list anew; decided lessons go where they belong."""
        self._is_stale = True
        self._loading.start(self.trying(self._read), name="lessons-read")

    def show_at(self, thing: Thing) -> None:
        """Show a lesson, wherever it stands by now."""
        if isinstance(thing, int):
            self._target = LessonId(thing)
            self.refresh()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Return the keys of the review."""
        return (
            ("K", tr("keep")),
            ("E", tr("edit the sentence; Enter saves, Esc gives up")),
            ("R", tr("reject; then 1 to 5 says why, R or Enter rejects without a reason")),
            ("L", tr("later")),
            ("B", tr("bring a decided lesson back to waiting")),
            ("U", tr("take the last decision back")),
            ("↑ ↓", tr("move")),
            ("Enter", tr("open the turn that the lesson was found in")),
        )

    def escape(self) -> None:
        """Give up what is begun; close the window when nothing is."""
        if self.page.card.is_editing:
            self.page.card.end_edit()
        elif self.acts.is_asking_why:
            self.acts.stop_asking_why()
        else:
            self.close()

    def restyle(self) -> None:
        """Take the colours of the look."""
        super().restyle()
        self.page.restyle()

    def undo(self) -> None:
        """Take back what the person did last; lessons of it are shown in their place."""
        self.acts.undo()

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.acts.redo()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the list when the window is come back to."""
        super().showEvent(event)
        self.page.list.setFocus()
        if self._is_stale:
            self.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the review: the next look at it is a fresh one."""
        self.acts.save_what_is_typed()
        self.acts.stop_asking_why()
        self._is_stale = True
        self.desk.remembered.keep_splitter(self.room, self.page.splitter)
        super().closeEvent(event)

    # Reading.

    async def _read(self) -> None:
        """Show the lessons of the tab, and choose the one asked for, or the one before."""
        chosen, review = self._target or _id(self.page.current), self.desk.services.review
        if self._target is not None:
            await self._turn_to(self._target)
        lessons, counts = await review.lessons(self._state), await review.counts()
        self._target, self._is_stale = None, False
        self.page.show_lessons(lessons, self._state, _now())
        self.page.show_counts(counts, self._state, _now())
        if chosen is None or not self.page.select(chosen):
            self.page.select_first()
        self._show_rest()

    async def _turn_to(self, ident: LessonId) -> None:
        for lesson in await self.desk.services.review.find([ident]):
            if lesson.state in TABS:
                self._state = lesson.state
                self.page.choose_tab(self._state)

    async def _follow(self) -> None:
        """Take in what has changed, and leave every row where it is."""
        if self._is_stale:
            await self._read()
            return
        review = self.desk.services.review
        changed = self.page.model.changed(await review.wordings(self._state))
        current = _id(self.page.current)
        found = await review.find(changed if current is None else [*changed, current])
        counts = await review.counts()
        self.page.take(found)
        self.page.show_counts(counts, self._state, _now())
        if self.page.current is None:
            self.page.select_first()
        self._show_rest()

    def _show_rest(self) -> None:
        """Bring up to date what depends on the list."""
        left, count = self.page.model.left, len(self.page.model.lessons)
        self._left.setText(tr("{left} of {n} left", left=left, n=count) if count else "")
        self._hint.setText(_hint() if count else "")
        self._show_current()

    def _show_current(self) -> None:
        """Show the lesson at once: the next key is for it. What takes a look elsewhere follows."""
        card, lesson = self.page.card, self.page.current
        card.show_lesson(None if lesson is None else card.with_lesson(lesson), _now())
        if lesson is None:
            self._showing.cancel()
        else:
            more = partial(self._show_more, lesson)
            self._showing.start(self.trying(more), name="lessons-show")

    async def _show_more(self, lesson: Lesson) -> None:
        services = self.desk.services
        copies = await services.review.near_copies(lesson)
        targets = await services.proposals.targets()
        files = tuple(target.path for target in targets if target.project == lesson.project)
        self.page.card.show_lesson(Shown(lesson, tuple(copies), files), _now())

    def _open_turn(self, evidence: Evidence) -> None:
        if evidence.segment is not None:
            self.desk.go(Room.SEGMENTS, Place(evidence.segment, evidence.turn))

    # Wiring.

    def _bind_keys(self) -> list[QAction]:
        """Bind the letters; return the keys that answer why something is rejected.

        A letter does nothing while a text field has the focus: the field takes it first.
        """
        for decision, letter in zip(Decision, "KRLB", strict=True):
            self._add_key("", letter, partial(self._on_decision, decision))
            self.page.buttons[decision].clicked.connect(partial(self._on_decision, decision))
        self._add_key("", "E", self.acts.edit)
        self._add_key("", "U", self.acts.undo_decision)
        self._add_key("", "?", self.show_keys)
        answers: list[tuple[str, RejectReason | None]] = [("Return", None), ("Enter", None)]
        answers += [(str(number), reason) for number, reason in enumerate(RejectReason, 1)]
        return [self._add_key("", key, partial(self._on_reason, reason)) for key, reason in answers]

    def _connect(self) -> None:
        page, acts, signals = self.page, self.acts, self.desk.signals
        page.chosen.connect(self._on_chosen)
        page.tab_wanted.connect(self._on_tab_wanted)
        page.grouping_wanted.connect(self._on_grouping_wanted)
        page.list.opened.connect(page.card.open_first)
        page.card.opened.connect(self._open_turn)
        page.card.edited.connect(acts.save)
        page.card.editing.connect(self._on_editing)
        page.card.memory_wanted.connect(self._on_memory_wanted)
        page.reasons.chosen.connect(acts.reject)
        page.reasons.given_up.connect(acts.stop_asking_why)
        page.edit_button.clicked.connect(acts.edit)
        page.undo_button.clicked.connect(acts.undo_decision)
        acts.changed.connect(self._show_rest)
        acts.wanted.connect(self.show_at)
        acts.asking_why.connect(self._on_asking_why)
        acts.stop_asking_why()
        signals.lessons_changed.connect(self._on_lessons_changed)
        signals.proposals_changed.connect(self._on_proposals_changed)

    def _on_decision(self, decision: Decision, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's
        self.acts.decide(decision)

    def _on_reason(self, reason: RejectReason | None, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's
        self.acts.reject(reason)

    def _on_asking_why(self, is_asking: bool) -> None:  # noqa: FBT001 - a signal's
        for action in self._answers:
            action.setEnabled(is_asking)

    def _on_chosen(self) -> None:
        self.acts.save_what_is_typed()
        self.acts.stop_asking_why()
        self._show_current()

    def _on_editing(self, is_editing: bool) -> None:  # noqa: FBT001 - a signal's
        if not is_editing and self.page.card.sentence.hasFocus():
            self.page.list.setFocus()

    def _on_tab_wanted(self, state: LessonState) -> None:
        self.acts.save_what_is_typed()
        self._state = state
        self.refresh()

    def _on_grouping_wanted(self, grouping: Grouping) -> None:
        self.desk.remembered.set_text(_GROUPING, grouping)
        self.refresh()

    def _on_memory_wanted(self) -> None:
        self.desk.go(Room.MEMORY)

    def _on_lessons_changed(self) -> None:
        if self.isVisible():
            self._loading.start(self.trying(self._follow), name="lessons-follow")
        else:
            self._is_stale = True

    def _on_proposals_changed(self) -> None:
        if self.isVisible():
            self._show_current()


def _now() -> datetime:
    return datetime.now().astimezone()


def _id(lesson: Lesson | None) -> LessonId | None:
    return None if lesson is None else lesson.id


def _hint() -> str:
    return tr("K keep   E edit   R reject   L later   U undo   ↑↓ move   Enter evidence   ? keys")
