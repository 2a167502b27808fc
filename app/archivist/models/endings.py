"""What the end of a model worker means to the person, and when the next start is allowed.

Pure: exit codes, causes and times come in as arguments.
"""

import signal
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from archivist.domain.problems import ModelUnavailable


class WorkerKind(StrEnum):
    """Which worker; the value is the argument of `--worker`."""

    TEXT = "text"
    VECTORS = "vectors"


class Cause(StrEnum):
    """Why a worker ended, as far as this side knows."""

    ASKED = "asked"
    DEADLINE = "deadline"
    GARBLED = "garbled"
    DEAF = "deaf"
    EXIT = "exit"


_NAMES: Final = {WorkerKind.TEXT: "The text model", WorkerKind.VECTORS: "The search model"}
_MEANWHILE: Final = {
    WorkerKind.TEXT: "Recaps go on by rules.",
    WorkerKind.VECTORS: "Search goes on by words.",
}
_REBUILD: Final = {
    WorkerKind.TEXT: "Build llama-cpp-python on this computer, or choose another model.",
    WorkerKind.VECTORS: "Install a build of numpy for this processor.",
}
_SMALLER: Final = "Close some programs or choose a smaller model."
_LOG: Final = "The log has its last lines."
_DOCTOR: Final = "`archivist doctor` tests it."

_ILLEGAL_INSTRUCTION: Final = 0xC000001D
_ACCESS_VIOLATION: Final = 0xC0000005
_NO_MEMORY: Final = 0xC0000017
_FAULTS: Final = frozenset(
    -number
    for name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE")
    if (number := getattr(signal, name, None)) is not None
)


class Restarts:
    """Allows a worker that stops by itself at most `limit` restarts in `window` seconds."""

    def __init__(
        self, clock: Callable[[], float], *, limit: int = 3, window: float = 600.0
    ) -> None:
        self._clock = clock
        self._limit = limit
        self._window = window
        self._stops: deque[float] = deque(maxlen=limit + 1)

    def stopped(self) -> None:
        """Note that it stopped although nobody asked."""
        self._stops.append(self._clock())

    def wait(self) -> float:
        """Return the seconds until it may be started, 0 when it may be started now."""
        if len(self._stops) <= self._limit:
            return 0.0
        return max(0.0, self._stops[0] + self._window - self._clock())


def stopped(
    kind: WorkerKind, cause: Cause, *, code: int | None, seconds: float
) -> ModelUnavailable:
    """Return what to tell when a worker ended in the middle of its work.

    `seconds` is the deadline of that work.
    """
    match cause:
        case Cause.ASKED:
            return _problem(kind, "was closed while it worked.", "", key="closed")
        case Cause.DEADLINE:
            what = f"did not answer within {seconds:.0f} seconds and was stopped."
            return _problem(kind, what, "Choose a smaller model.", key="deadline")
        case Cause.GARBLED:
            return _problem(kind, "gave an unreadable answer and was stopped.", _LOG, key="garbled")
        case Cause.DEAF:
            return _problem(kind, "closed its pipe and was stopped.", _LOG, key="deaf")
        case Cause.EXIT:
            return _exited(kind, code)


def paused(kind: WorkerKind, *, wait: float, last: str) -> ModelUnavailable:
    """Return what to tell while no start is allowed; `last` is the sentence of the last stop."""
    minutes = max(1, round(wait / 60))
    unit = "minute" if minutes == 1 else "minutes"
    what = f"stopped too often and is paused for {minutes} more {unit}."
    return _problem(kind, f"{what} {last}".strip(), _DOCTOR, key="paused")


def not_started(kind: WorkerKind, reason: str) -> ModelUnavailable:
    """Return what to tell when the process cannot be started at all."""
    return _problem(kind, f"could not be started: {reason}.", "Close some programs.", key="start")


def failed(kind: WorkerKind, cause: str, detail: str) -> ModelUnavailable:
    """Return what to tell when the worker answered that it cannot do it."""
    if cause == "memory":
        return _problem(kind, "ran out of memory.", _SMALLER, key="memory")
    advice = _REBUILD[kind] if cause == "library" else _DOCTOR
    return _problem(kind, f"does not work: {detail}.", advice, key=cause)


def _exited(kind: WorkerKind, code: int | None) -> ModelUnavailable:
    """Tell by the exit code: negative is a signal, on Windows it is an NTSTATUS."""
    if code == -getattr(signal, "SIGILL", 4) or _status(code) == _ILLEGAL_INSTRUCTION:
        what = (
            "stopped: this build needs processor instructions that this computer does not have "
            "or does not allow."
        )
        return _problem(kind, what, _REBUILD[kind], key="instructions")
    if code == -getattr(signal, "SIGKILL", 9) or _status(code) == _NO_MEMORY:
        what = "was ended by the system, most likely because memory ran out."
        return _problem(kind, what, _SMALLER, key="memory")
    if code in _FAULTS or _status(code) == _ACCESS_VIOLATION:
        return _problem(kind, "crashed (memory fault).", _LOG, key="crash")
    return _problem(kind, f"ended by itself (exit code {code}).", _LOG, key="exit")


def _status(code: int | None) -> int | None:
    return None if code is None else code & 0xFFFFFFFF


def _problem(kind: WorkerKind, what: str, advice: str, *, key: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{_NAMES[kind]} {what}",
        advice=f"{_MEANWHILE[kind]} {advice}".strip(),
        key=f"model-{kind}-{key}",
    )
