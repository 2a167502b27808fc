"""Review of lessons by the person: keep, edit, reject, later; each can be taken back."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from archivist.domain.commands import Command
from archivist.domain.knowledge import Lesson, LessonCounts, LessonId, LessonState
from archivist.domain.problems import Refused
from archivist.domain.review import Wording, near_copies
from archivist.ports.machine import Clock
from archivist.services.bus import Bus, LessonsChanged
from archivist.services.undo import cannot_repeat
from archivist.texts import tr, tr_n

CHANGED: Final = "lesson-changed"
"""The key of the refusal to decide about what was shown otherwise."""

Seen: TypeAlias = Sequence[Lesson]

_SHOWN = 60
_LONGEST = 2_000


class ReviewedLessons(Protocol):
    """Where lessons stand."""

    async def lessons(self, state: LessonState | None) -> list[Lesson]:
        """Return the lessons in a state, or all."""

    async def find(self, ids: Sequence[LessonId]) -> list[Lesson]:
        """Return the lessons with these ids; unknown ids are left out."""

    async def counts(self) -> LessonCounts:
        """Return how many lessons stand where."""

    async def wordings(self, state: LessonState) -> list[Wording]:
        """Return only the words of the lessons in a state."""

    async def set_state(
        self,
        lessons: Sequence[Lesson],
        state: LessonState,
        *,
        label: str,
        reason: str | None,
        caller: str | None,
        at: int,
    ) -> bool:
        """Move lessons to a state and log the command; False when one is no longer as given."""

    async def edit(
        self, lesson: Lesson, text: str, *, label: str, caller: str | None, at: int
    ) -> bool:
        """Change a lesson's text; False when another lesson already says the same."""

    async def restore(self, before: Sequence[dict[str, object]], *, at: int) -> None:
        """Bring lessons back to what a command's inverse says."""


class Review:
    """What a person decides about lessons. `clean` is the gate, `caller` the program that asks."""

    def __init__(
        self,
        store: ReviewedLessons,
        *,
        clean: Callable[[str], str],
        bus: Bus,
        clock: Clock,
        caller: str | None = None,
    ) -> None:
        self._store = store
        self._clean = clean
        self._bus = bus
        self._clock = clock
        self._caller = caller

    async def lessons(self, state: LessonState | None = None) -> list[Lesson]:
        """Return the lessons in a state, or all, oldest first."""
        return await self._store.lessons(state)

    async def find(self, ids: Sequence[LessonId]) -> list[Lesson]:
        """Return the lessons with these ids; unknown ids are left out."""
        return await self._store.find(ids)

    async def counts(self) -> LessonCounts:
        """Return how many lessons stand where, and when the newest was found."""
        return await self._store.counts()

    async def wordings(self, state: LessonState) -> list[Wording]:
        """Return only the words of the lessons in a state: cheap where there are many."""
        return await self._store.wordings(state)

    async def near_copies(self, lesson: Lesson) -> list[Wording]:
        """Return the words of kept lessons that say nearly the same, nearest first."""
        kept = await self._store.wordings(LessonState.KEPT)
        return await asyncio.to_thread(near_copies, lesson, kept)  # 20 ms for the first 500

    async def keep(self, ids: Sequence[LessonId], *, seen: Seen = ()) -> list[Lesson]:
        """Keep lessons: they become a proposal on a memory file.

        `seen`, here and below, are the lessons as they were shown to the person. Raises Refused
        for unknown ids, for one that was seen otherwise, and for one whose evidence is gone.
        """
        gone = [lesson.id for lesson in await self._known(ids) if not lesson.evidence]
        if gone:
            raise Refused(
                tr("What lesson {ids} was found in is gone.", ids=", ".join(map(str, gone))),
                advice=tr("Reject it, or leave it: a lesson is kept with the words it stands on."),
            )
        return await self._move(ids, LessonState.KEPT, None, seen)

    async def reject(
        self, ids: Sequence[LessonId], *, reason: str | None = None, seen: Seen = ()
    ) -> list[Lesson]:
        """Reject lessons: the same words are not proposed again. Raises Refused as `keep` does."""
        said = None if reason is None else self._clean(reason)
        return await self._move(ids, LessonState.REJECTED, said, seen)

    async def later(self, ids: Sequence[LessonId], *, seen: Seen = ()) -> list[Lesson]:
        """Put lessons off. Raises Refused as `keep` does."""
        return await self._move(ids, LessonState.LATER, None, seen)

    async def reopen(self, ids: Sequence[LessonId], *, seen: Seen = ()) -> list[Lesson]:
        """Let decided lessons wait again. Raises Refused as `keep` does."""
        return await self._move(ids, LessonState.WAITING, None, seen)

    async def edit(self, ident: LessonId, text: str, *, seen: Lesson | None = None) -> Lesson:
        """Change the wording; evidence stays.

        Raises Refused: unknown id, blank, said already, seen otherwise.
        """
        clean = self._clean(" ".join(text.split()))
        if not clean or len(clean) > _LONGEST:
            raise Refused(
                tr("A lesson needs between 1 and {most} characters.", most=_LONGEST),
                advice=tr("Give the new wording with --text."),
            )
        (lesson,) = await self._known([ident])
        _check_seen([lesson], () if seen is None else (seen,))
        label = tr("Edit “{text}”", text=_short(lesson.text))
        at = self._clock()
        if not await self._store.edit(lesson, clean, label=label, caller=self._caller, at=at):
            raise Refused(
                tr("Another lesson already says this."),
                advice=tr("Reject one of the two instead."),
            )
        self._bus.tell(LessonsChanged())
        return (await self._store.find([ident]))[0]

    async def restore(self, before: Sequence[dict[str, object]]) -> None:
        """Bring lessons to what a command left of them, or to what was before it."""
        await self._store.restore(before, at=self._clock())
        self._bus.tell(LessonsChanged())

    async def repeat(self, inverse: Mapping[str, Any]) -> None:
        """Do a command again that was taken back. Raises Refused where the log does not say how."""
        if "again" not in inverse:  # written by a version that could only undo
            raise cannot_repeat()
        await self.restore(inverse["again"])

    async def _move(
        self, ids: Sequence[LessonId], state: LessonState, reason: str | None, seen: Seen
    ) -> list[Lesson]:
        lessons = await self._known(ids)
        _check_seen(lessons, seen)
        has_moved = await self._store.set_state(
            lessons,
            state,
            label=_label(lessons, state),
            reason=reason,
            caller=self._caller,
            at=self._clock(),
        )
        if not has_moved:
            raise _changed_meanwhile()
        self._bus.tell(LessonsChanged())
        return await self._store.find(ids)

    async def _known(self, ids: Sequence[LessonId]) -> list[Lesson]:
        found = await self._store.find(ids)
        missing = set(ids) - {lesson.id for lesson in found}
        if missing or not ids:
            raise Refused(
                tr("There is no lesson {ids}.", ids=", ".join(map(str, sorted(missing)))),
                advice=tr("`archivist lessons list` shows the lessons with their numbers."),
            )
        return found


def _check_seen(lessons: Sequence[Lesson], seen: Seen) -> None:
    """Refuse a decision about words or a state that the person did not see."""
    shown = {lesson.id: (lesson.state, lesson.text) for lesson in seen}
    for lesson in lessons:
        now = lesson.state, lesson.text
        if shown.get(lesson.id, now) != now:
            raise _changed_meanwhile()


def _changed_meanwhile() -> Refused:
    return Refused(
        tr("The lesson was changed elsewhere meanwhile; nothing was done."),
        advice=tr("It is shown as it is now: decide again."),
        key=CHANGED,
    )


def touched(command: Command) -> tuple[LessonId, ...]:
    """Return the lessons that a command decided about; none for a command of another kind."""
    if not command.name.startswith("lessons."):
        return ()
    return tuple(LessonId(item["id"]) for item in command.inverse["restore"])


def _label(lessons: Sequence[Lesson], state: LessonState) -> str:
    one = {
        LessonState.KEPT: "Keep “{text}”",
        LessonState.REJECTED: "Reject “{text}”",
        LessonState.LATER: "Put off “{text}”",
        LessonState.WAITING: "Bring back “{text}”",
    }
    many = {
        LessonState.KEPT: "Keep {n} lessons",
        LessonState.REJECTED: "Reject {n} lessons",
        LessonState.LATER: "Put off {n} lessons",
        LessonState.WAITING: "Bring back {n} lessons",
    }
    text = _short(lessons[0].text)
    return tr_n(one[state], many[state], len(lessons), text=text)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
