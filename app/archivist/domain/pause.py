"""Until when nothing is read and nothing archived. Pure; times are UTC milliseconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paused:
    """The archivist rests until a time, or until the person resumes it (`until` is None)."""

    until: int | None

    def is_over(self, now: int) -> bool:
        """Whether the time has come; a state of the wall clock, so a sleep of hours ends it too."""
        return self.until is not None and now >= self.until
