"""What the person does in the lesson review, carried out one after the other as the keys came."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from archivist.domain.knowledge import Lesson, LessonId
from archivist.domain.problems import Problem, Refused
from archivist.domain.review import RejectReason
from archivist.gui.dialogs import confirm
from archivist.gui.lessons import deciding, words
from archivist.gui.lessons.deciding import Decision
from archivist.gui.lessons.page import LessonsPage
from archivist.gui.room import RoomWindow
from archivist.services.review import CHANGED, Review, touched
from archivist.texts import tr


class LessonActs(QObject):
    """Decides about what is chosen on the page; the window tells and asks for it."""

    changed = Signal()
    """Rows were brought up to date."""
    wanted = Signal(object)
    """A lesson is to be shown that is not in the list."""
    asking_why = Signal(bool)

    def __init__(self, window: RoomWindow, page: LessonsPage) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        self._undo = window.desk.services.undo
        self._review = window.desk.services.review
        self._pending: set[LessonId] = set()
        self._saving: set[tuple[LessonId, str]] = set()
        self._rejecting: list[Lesson] = []
        self._left: dict[LessonId, Lesson] = {}
        self._queue = 0
        self._in_order = asyncio.Lock()

    @property
    def is_asking_why(self) -> bool:
        """Whether the reasons are shown."""
        return bool(self._rejecting)

    # Deciding.

    def decide(self, decision: Decision) -> None:
        """Decide about the chosen lessons, or ask first: why, or whether really all of them."""
        if decision is Decision.REJECT and self._rejecting:
            self.reject(None)
            return
        self.stop_asking_why()
        selected = deciding.concerned(decision, self._page.selected)
        chosen = [lesson for lesson in selected if lesson.id not in self._pending]
        if chosen and decision is Decision.REJECT:
            self._rejecting = chosen
            self._page.reasons.ask(tr("Why is it rejected? A number, or Enter for no reason."))
            self.asking_why.emit(True)
        elif chosen:
            self._decide(decision, chosen, None)

    def reject(self, reason: RejectReason | None) -> None:
        """Reject what the reasons were shown for."""
        chosen = self._rejecting
        self.stop_asking_why()
        if chosen:
            self._decide(Decision.REJECT, chosen, reason)

    def stop_asking_why(self) -> None:
        """Reject nothing."""
        self._rejecting = []
        self._page.reasons.hide()
        self.asking_why.emit(False)

    def _decide(
        self, decision: Decision, chosen: Sequence[Lesson], reason: RejectReason | None
    ) -> None:
        if deciding.must_ask(decision, chosen):
            asking = self._decide_after_asking(decision, chosen, reason)
            self._window.act(asking, name="lessons-ask")
        else:
            self._begin(decision, chosen, reason)

    async def _decide_after_asking(
        self, decision: Decision, chosen: Sequence[Lesson], reason: RejectReason | None
    ) -> None:
        count = len(chosen)
        if await confirm(
            self._window,
            deciding.question(decision, count),
            lines=[deciding.listed(lesson) for lesson in chosen],
            verb=deciding.verb(decision, count),
        ):
            self._begin(decision, chosen, reason)

    def _begin(
        self, decision: Decision, chosen: Sequence[Lesson], reason: RejectReason | None
    ) -> None:
        """Move on at once: the next key is for the next lesson."""
        self._pending.update(lesson.id for lesson in chosen)
        self._page.move_on(self._pending)
        work = partial(self._carry_out, decision, chosen, reason)
        self._in_turn(work, name=f"lessons-{decision}")

    async def _carry_out(
        self, decision: Decision, chosen: Sequence[Lesson], reason: RejectReason | None
    ) -> None:
        ids = [lesson.id for lesson in chosen]
        try:
            lessons = await _done(self._review, decision, self._as_seen(chosen), reason)
        except Problem as problem:
            if problem.key == CHANGED:
                self._show(await self._review.find(ids))
            self._page.select(ids[0])
            raise
        finally:
            self._pending.difference_update(ids)
        self._take(lessons)
        self._window.notice(deciding.notice(decision, len(lessons)), undoable=True)

    # Editing.

    def edit(self) -> None:
        """Let the sentence of the one chosen lesson be changed."""
        self.stop_asking_why()
        if len(self._page.selected) == 1:
            self._page.card.begin_edit()

    def save(self, text: str) -> None:
        """Give the lesson on the card another wording; what is being saved is not saved twice."""
        card = self._page.card
        lesson = card.edited_lesson or card.lesson
        if lesson is not None and (lesson.id, text) not in self._saving:
            self._saving.add((lesson.id, text))
            self._in_turn(partial(self._save, lesson, text), name="lessons-edit")

    def save_what_is_typed(self) -> None:
        """Save an edit that the person moves away from; undo brings the old words back."""
        if self._page.card.is_changed:
            self.save(self._page.card.wording)

    async def _save(self, lesson: Lesson, text: str) -> None:
        (seen,) = self._as_seen([lesson])
        try:
            saved = await self._review.edit(lesson.id, text, seen=seen)
        except Refused as refused:
            if refused.key == CHANGED:
                await self._refuse_words(lesson.id, text)
            raise
        finally:
            self._saving.discard((lesson.id, text))
        shown = self._page.card.lesson
        if shown is not None and shown.id == saved.id:
            self._page.card.end_edit()
        self._take([saved])
        self._window.notice(tr("Changed."), undoable=True)

    async def _refuse_words(self, ident: LessonId, text: str) -> None:
        """Give the typed words back: they stand nowhere else once the person has moved on."""
        (now,) = await self._review.find([ident])
        self._page.card.go_on_from(now)
        self._show([now])
        raise Refused(
            tr(
                "The lesson was changed elsewhere meanwhile and now says “{now}” ({state}). Your"
                " words were not saved: “{text}”.",
                now=words.readable(now.text),
                state=words.standing(now),
                text=words.readable(text),
            ),
            advice=tr("Edit and save again to put yours in its place."),
            key=CHANGED,
        )

    # Taking back.

    def undo(self) -> None:
        """Take back what the person did last; lessons of it are shown in their place."""
        self._in_turn(self._take_back, name="lessons-undo")

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._in_turn(self._do_again, name="lessons-redo")

    def undo_decision(self) -> None:
        """Take the last action back if it was about lessons: U must not unwrite a file."""
        self._in_turn(self._take_decision_back, name="lessons-undo")

    async def _take_decision_back(self) -> None:
        newest = await self._undo.commands(1)
        if newest and not touched(newest[0]):
            raise Refused(
                tr("The last action was not about a lesson: {label}.", label=newest[0].label),
                advice=tr("Ctrl+Z takes it back."),
            )
        await self._take_back()

    async def _take_back(self) -> None:
        done = await self._window.take_back()
        if done is not None:
            await self._show_again(touched(done))

    async def _do_again(self) -> None:
        done = await self._undo.redo()
        self._window.notice(tr("Done again: {label}", label=done.label), undoable=True)
        await self._show_again(touched(done))

    async def _show_again(self, ids: Sequence[LessonId]) -> None:
        """Choose the first lesson of a command, in its place where it is shown."""
        if not ids:
            return
        if self._page.model.row_of(ids[0]) is None:
            self.wanted.emit(ids[0])
            return
        lessons = await self._review.find(ids)
        self._page.select(ids[0])
        self._take(lessons)

    def _take(self, lessons: Sequence[Lesson]) -> None:
        """Show lessons as our own doing left them: what was asked meanwhile is about these."""
        for lesson in lessons:
            self._left[lesson.id] = lesson
            self._page.card.go_on_from(lesson)
        self._show(lessons)

    def _show(self, lessons: Sequence[Lesson]) -> None:
        self._page.take(lessons)
        self.changed.emit()

    def _as_seen(self, lessons: Sequence[Lesson]) -> list[Lesson]:
        """Return lessons as they were shown, with what the person did since and before this."""
        return [self._left.get(lesson.id, lesson) for lesson in lessons]

    def _in_turn(self, make: Callable[[], Coroutine[Any, Any, None]], *, name: str) -> None:
        """Do something after what was asked for before it; the end of the program waits for it."""
        self._queue += 1
        self._window.act_to_the_end(self._queued(make), name=name)

    async def _queued(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            async with self._in_order:
                await make()
        finally:
            self._queue -= 1
            if not self._queue:
                self._left.clear()


async def _done(
    review: Review, decision: Decision, seen: Sequence[Lesson], reason: RejectReason | None
) -> list[Lesson]:
    ids = [lesson.id for lesson in seen]
    match decision:
        case Decision.KEEP:
            return await review.keep(ids, seen=seen)
        case Decision.REJECT:
            return await review.reject(ids, reason=reason, seen=seen)
        case Decision.LATER:
            return await review.later(ids, seen=seen)
        case Decision.REOPEN:
            return await review.reopen(ids, seen=seen)
