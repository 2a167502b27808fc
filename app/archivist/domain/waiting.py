"""How much waits for the person: what the tray counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """Lessons to review, changes to memory files to decide on, problems on the list."""

    lessons: int = 0
    changes: int = 0
    problems: int = 0
