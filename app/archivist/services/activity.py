"""What the archivist does now: kept in one place, told on the bus, said in a sentence."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol, assert_never

from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.domain.jobs import Stage
from archivist.domain.knowledge import RULES
from archivist.domain.pause import Paused
from archivist.domain.problems import Problem
from archivist.services.bus import ActivityChanged, Bus
from archivist.services.times import clock_time
from archivist.texts import tr, tr_n

_APART: Final = 0.1
"""Seconds between two tellings of the same kind of work: a status line need not flicker."""

_DISK_FULL: Final = "disk-full"


class Running(Protocol):
    """The background loop as windows and the tray use it; each call returns at once."""

    def read_now(self) -> None:
        """Read every source, also while paused: a person asked for it."""

    def cancel_import(self) -> None:
        """Stop reading the sources; what was read stays, `read_now` goes on from there."""

    def archive_now(self) -> None:
        """Archive what is due, also while paused."""


class Activities:
    """Holds what is going on. Reading is shown before archiving, and both before a pause."""

    def __init__(self, bus: Bus, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._bus = bus
        self._seconds = seconds
        self._told_at = float("-inf")
        self._importing: Importing | None = None
        self._archiving: Archiving | None = None
        self._paused: Paused | None = None
        self._last: int | None = None
        self._troubles: dict[str, Problem] = {}
        self._unwritten: Problem | None = None
        self._told: Activity = Idle()
        self._is_waiting = False

    @property
    def current(self) -> Activity:
        """What is done now."""
        return self._importing or self._archiving or self._paused or self._idle()

    @property
    def is_troubled(self) -> bool:
        """Whether a piece of work has failed and not been done since."""
        return bool(self._troubles)

    def importing(self, now: Importing | None, *, at: int | None) -> None:
        """Note how far the reading is; None when it has ended, `at` then None if not well."""
        if now is None and self._importing is not None:
            self._last = self._last if at is None else at
        self._importing = now
        self._tell()

    def archiving(self, now: Archiving | None, *, at: int | None) -> None:
        """Note how far the archiving is; None when it has ended, `at` then None if not well."""
        if now is None and self._archiving is not None:
            self._last = self._last if at is None else at
        self._archiving = now
        self._tell()

    def worked(self, *, at: int) -> None:
        """Note work that was too short to be shown."""
        self._last = at
        self._tell()

    def failed(self, piece: str, problem: Problem) -> None:
        """Note that a piece of work failed: until it succeeds, nothing is up to date."""
        self._troubles[piece] = problem
        self._tell()

    def succeeded(self, piece: str) -> None:
        """Note that a piece of work was done."""
        if self._troubles.pop(piece, None) is not None:
            self._tell()

    def unwritten(self, why: Problem | None) -> None:
        """Note that the archive takes no problems any more, and so nothing else; None: it does."""
        self._unwritten = why
        self._tell()

    def paused(self, paused: Paused | None) -> None:
        """Note a pause, or its end."""
        self._paused = paused
        self._tell()

    def _idle(self) -> Idle:
        """Return the rest; a full disk is told before all else, for it is behind much else."""
        troubles = [*self._troubles.values(), *filter(None, (self._unwritten,))]
        if not troubles:
            return Idle(self._last)
        told = next((problem for problem in troubles if problem.key == _DISK_FULL), troubles[0])
        return Idle(self._last, told.message, is_recording=told.key != _DISK_FULL)

    def _tell(self) -> None:
        """Tell what is done now; progress of the same work only from time to time."""
        now = self.current
        if now == self._told:
            return
        is_same_work = type(now) is type(self._told) and not isinstance(now, Idle | Paused)
        rest = self._told_at + _APART - self._seconds()
        if is_same_work and rest > 0:
            self._tell_in(rest)
            return
        self._told, self._told_at = now, self._seconds()
        self._bus.tell(ActivityChanged(now))

    def _tell_in(self, seconds: float) -> None:
        """The last word must not be lost: the next step may take a minute."""
        if not self._is_waiting:
            self._is_waiting = True
            asyncio.get_running_loop().call_later(seconds, self._tell_late)

    def _tell_late(self) -> None:
        self._is_waiting = False
        self._tell()


def describe(activity: Activity, *, when: Callable[[int], str] | None = None) -> str:
    """Say in one sentence what is done; `when` writes a time, by default as the person's clock."""
    written = when or clock_time
    match activity:
        case Idle():
            return _idle(activity, written)
        case Importing():
            return _importing(activity)
        case Archiving():
            return _archiving(activity)
        case Paused():
            return _paused(activity.until, written)
        case _:
            assert_never(activity)


def _idle(now: Idle, when: Callable[[int], str]) -> str:
    if not now.is_recording:
        return tr("Recording is paused: the disk is full.")
    if now.last is None:
        waiting = tr("Waiting for the next conversation.")
        return tr("Not up to date: {reason}", reason=now.trouble) if now.trouble else waiting
    time = when(now.last)
    if now.trouble:
        return tr("Not up to date since {time}: {reason}", time=time, reason=now.trouble)
    return tr("Up to date since {time}.", time=time)


def _paused(until: int | None, when: Callable[[int], str]) -> str:
    if until is None:
        return tr("Paused until you resume it.")
    return tr("Paused until {time}.", time=when(until))


def _importing(now: Importing) -> str:
    number = min(now.done + 1, now.files)
    turns = tr_n("{n} new turn", "{n} new turns", now.new_turns)
    return tr("Reading file {n} of {files}, {turns}.", n=number, files=now.files, turns=turns)


def _archiving(now: Archiving) -> str:
    number, of = now.done + 1, now.done + now.waiting
    match now.stage:
        case None:
            return tr("Archiving: putting turns into segments.")
        case Stage.RECAP if now.maker == RULES:
            return tr("Archiving, step {n} of {of}: a recap by rules.", n=number, of=of)
        case Stage.RECAP:
            return tr(
                "Archiving, step {n} of {of}: a recap by {maker}.", n=number, of=of, maker=now.maker
            )
        case Stage.VECTOR:
            return tr("Archiving, step {n} of {of}: indexing by meaning.", n=number, of=of)
        case Stage.EVENTS | Stage.FACETS:
            return tr("Archiving, step {n} of {of}: decisions and facts.", n=number, of=of)
        case Stage.LESSONS:
            return tr("Archiving, step {n} of {of}: lessons.", n=number, of=of)
        case _:
            assert_never(now.stage)
