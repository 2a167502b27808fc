"""What the services need of the archive's store. Times are UTC milliseconds.

Every method that writes is one transaction; each raises Problem when the disk is full, the database
locked, damaged or read-only.
"""

from collections.abc import Sequence
from typing import Protocol

from archivist.domain.commands import Command
from archivist.domain.intake import Intake, SourceState, StoredFile
from archivist.domain.jobs import Job
from archivist.domain.problems import Problem, ProblemRow
from archivist.domain.segments import CloseReason, Filing, OpenSegment
from archivist.domain.turns import SegmentId, SessionId, Turn


class Transcripts(Protocol):
    """Files, sessions and turns."""

    async def file(self, path: str) -> StoredFile | None:
        """Return what earlier reads left of a file."""

    async def commit(self, intake: Intake) -> int:
        """Write one intake with its cursor; return how many turns were new."""

    async def trouble(self, source: str, path: str, message: str, *, gone: bool, at: int) -> None:
        """Note why a file could not be read."""

    async def paths(self, source: str) -> list[str]:
        """Return the files of a source that were there when they were last looked at."""

    async def mark_gone(self, paths: Sequence[str], *, at: int) -> None:
        """Note that files are no longer there; what was read from them stays."""

    async def states(self) -> list[SourceState]:
        """Return the counts of each source."""


class Filings(Protocol):
    """Filing turns into segments."""

    async def unfiled_sessions(self) -> list[SessionId]:
        """Return the sessions with turns in no segment whose file was read to its end."""

    async def is_whole(self, session: SessionId) -> bool:
        """Whether nothing more can come to a session, by where it is from."""

    async def unfiled(self, session: SessionId, *, limit: int) -> list[Turn]:
        """Return the next turns of a session that are in no segment, in order."""

    async def open_segment(self, session: SessionId) -> OpenSegment | None:
        """Return the open segment of a session."""

    async def file(self, session: SessionId, filings: Sequence[Filing], *, at: int) -> bool:
        """Write filings of one session; False when another process was faster."""


class Closings(Protocol):
    """Closing segments by compare-and-set; each one that is closed gets its jobs."""

    async def close_quiet(
        self, reason: CloseReason, *, before: int, opened_before: int, at: int
    ) -> int:
        """Close open segments in which nothing happened since `before`; return how many."""

    async def close_ended(self, *, at: int) -> int:
        """Close open segments of sessions whose file is gone; return how many."""

    async def close_all(self, reason: CloseReason, *, at: int) -> int:
        """Close every open segment; return how many."""


class SegmentTurns(Protocol):
    """The turns of a segment."""

    async def turns(self, segment: SegmentId) -> list[Turn]:
        """Return the turns of a segment, in order."""


class Jobs(Protocol):
    """The queue of stages of closed segments."""

    async def take(self, *, now: int) -> Job | None:
        """Take the oldest due stage, None when nothing is due."""

    async def renew(self, job: Job, *, now: int) -> bool:
        """Keep a long job; False when it was taken over meanwhile."""

    async def done(self, job: Job, *, note: str | None = None) -> None:
        """Mark a stage done that writes nothing."""

    async def failed(self, job: Job, trouble: str, *, now: int) -> None:
        """Give a stage back for a later try, or for good after too many."""

    async def give_back(self, job: Job) -> None:
        """Put a stage back that was not tried to its end; it does not count as a try."""

    async def left(self, *, now: int) -> tuple[int, int, int, int]:
        """Return how many stages are due, running, put off for later, and given up."""


class Commands(Protocol):
    """The command log."""

    async def last(self, count: int) -> list[Command]:
        """Return the newest commands that still stand, newest first."""

    async def mark_undone(self, command: int, *, at: int) -> bool:
        """Note that a command was taken back; False when it already was."""

    async def pass_over(self, command: int, *, at: int) -> None:
        """Leave a command standing for good that cannot be taken back."""

    async def next_undone(self) -> Command | None:
        """Return the last command taken back, None when something was done since."""

    async def stand_again(self, command: int) -> None:
        """Note that a command was done again; what doing it logged anew is folded into it."""

    async def log(self, name: str, label: str, inverse: dict[str, object], *, at: int) -> int:
        """Write a command whose action is not in the database (a setting)."""


class Problems(Protocol):
    """The list of problems."""

    async def add(self, problem: Problem, *, at: int) -> None:
        """Note a problem, or count it again."""

    async def rows(self) -> list[ProblemRow]:
        """Return the problems, newest first."""

    async def settle(self, prefix: str, problems: Sequence[Problem], *, at: int) -> None:
        """Make the problems whose key begins so just these: the others are mended."""

    async def clear(self, key: str) -> bool:
        """Take a problem off the list."""
