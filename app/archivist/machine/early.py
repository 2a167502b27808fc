"""Signals that come while the program is still being read: the wish to end is noted, nothing torn.

Python's own answer to Ctrl+C would break an import in two, and the system's own to the others ends
the process wherever it stands.
"""

import signal
from types import FrameType
from typing import Final

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_INTERRUPTED: Final = 130


class EarlyEnd:
    """Notes the wish to end, from its making until others answer the signals."""

    def __init__(self) -> None:
        self._wished: int | None = None
        self._before = {
            number: signal.signal(number, self._note)
            for number in (getattr(signal, name, None) for name in _NAMES)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN
        }

    @property
    def code(self) -> int | None:
        """The exit code to end with at once, None while nobody wishes for the end."""
        if self._wished is None:
            return None
        return _INTERRUPTED if self._wished == signal.SIGINT else 0

    def give_back(self) -> None:
        """Let the signals do again what they did before."""
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._wished = number
