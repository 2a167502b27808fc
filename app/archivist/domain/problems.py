"""The first kind of error: something outside our control went wrong.

A `Problem` carries one sentence for the person and one thing to do. Everything else that is
raised is our bug and surfaces once, with a traceback, at the task boundary.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class Problem(Exception):  # noqa: N818 - the word of the design, shown to people
    """Something outside our control; `message` says what and where, `advice` what to do.

    `key` names it in the list of problems: the same key again is counted, not listed twice.
    """

    def __init__(self, message: str, *, advice: str, key: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.key = key or type(self).__name__


class Refused(Problem):
    """The request cannot be carried out as asked: wrong id, not allowed, nothing to do."""


class Stopped(Refused):
    """Several things were asked for and one cannot be done; `done` names those done before it."""

    def __init__(self, reason: Problem, *, done: Sequence[str]) -> None:
        super().__init__(reason.message, advice=reason.advice, key=reason.key)
        self.done = tuple(done)


class FileProblem(Problem):
    """A file cannot be read or written: vanished, locked, read-only, full disk."""


class SchemaTooNew(Problem):
    """The database was made by a newer version; it is left as it is."""


class ModelUnavailable(Problem):
    """No model answers: not installed, stopped too often, over its deadline. Rules go on."""


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One line of the list of problems. Times are UTC milliseconds."""

    key: str
    message: str
    advice: str
    count: int
    first_at: int
    last_at: int
