"""Which assistants read a memory file by themselves, and how much of it they load."""

from dataclasses import dataclass
from typing import Final

CLAUDE_CODE: Final = "Claude Code"
CODEX: Final = "Codex"

# code.claude.com/docs/en/memory: the first 200 lines of MEMORY.md or 25 KB, whichever comes first.
_MEMORY_LINES: Final = 200
_MEMORY_BYTES: Final = 25_000
# A skill is loaded whole when it is wanted (code.claude.com/docs/en/skills, developers.openai.com).


@dataclass(frozen=True, slots=True)
class FileReader:
    """An assistant that reads a file, and the most of it that is loaded (None: no known limit)."""

    name: str
    lines: int | None = None
    size: int | None = None


def readers_of(path: str) -> tuple[FileReader, ...]:
    """Return who reads a memory file at this place without being told to."""
    parts = tuple(path.replace("\\", "/").split("/"))
    match parts:
        case (*_, "projects", _, "memory", "MEMORY.md"):
            return (FileReader(CLAUDE_CODE, _MEMORY_LINES, _MEMORY_BYTES),)
        case (*_, ".claude", "skills", _, "SKILL.md"):
            return (FileReader(CLAUDE_CODE),)
        case (*_, ".agents" | ".codex", "skills", _, "SKILL.md"):
            return (FileReader(CODEX),)
        case _:
            return ()
