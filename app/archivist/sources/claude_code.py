"""Claude Code: where its transcripts are, and how one is told from other files."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from archivist.domain.transcripts import Chunk, Cursor, ReadMode, Source
from archivist.ports.sources import Home
from archivist.sources.claude_records import ClaudeRecords
from archivist.sources.files import head_of, walk
from archivist.sources.records import Record, head_records, text_in
from archivist.sources.tail import Tail

_AGENT_MODE: Final = "local-agent-mode-sessions"
_CUT: Final = re.compile(rb'^\s*\{.{0,400}?"isSidechain"\s*:', re.DOTALL)
_KINDS: Final = frozenset(
    "user assistant system summary attachment progress queue-operation file-history-snapshot"
    " file-history-delta last-prompt permission-mode mode ai-title custom-title agent-name"
    " agent-setting pr-link frame-link worktree-state relocated bridge-session".split()
)


class ClaudeCode:
    """Reads the transcripts of Claude Code, sub-agents included."""

    def __init__(self) -> None:
        self._tail = Tail(ClaudeRecords)

    @property
    def source(self) -> Source:
        return Source.CLAUDE_CODE

    @property
    def mode(self) -> ReadMode:
        return ReadMode.APPEND

    def roots(self, home: Home) -> Sequence[Path]:
        """Return the project folders of the command line, and those of the desktop's agent mode."""
        folder = home.folder
        moved = home.variable("CLAUDE_CONFIG_DIR")
        roaming = _variable(home, "APPDATA", folder / "AppData" / "Roaming")
        local = _variable(home, "LOCALAPPDATA", folder / "AppData" / "Local")
        packages = sorted((local / "Packages").glob("Claude_*"))
        config = [Path(moved)] if moved else [folder / ".claude", folder / ".config" / "claude"]
        return [
            *(place / "projects" for place in config),
            folder / "Library" / "Application Support" / "Claude" / _AGENT_MODE,
            folder / ".config" / "Claude" / _AGENT_MODE,
            roaming / "Claude" / _AGENT_MODE,
            *(place / "LocalCache" / "Roaming" / "Claude" / _AGENT_MODE for place in packages),
        ]

    def files(self, root: Path) -> Iterator[Path]:
        """Yield the transcripts below a root, oldest change first.

        In a folder that is none of the usual roots each file is told by its records.
        """
        is_agent_mode = _AGENT_MODE in root.parts

        def wanted(path: Path) -> bool:
            if path.suffix != ".jsonl" or path.name == "journal.jsonl":
                return False
            between = path.relative_to(root).parts[:-1]
            return "tool-results" not in between and (not is_agent_mode or "projects" in between)

        is_usual = is_agent_mode or root.name == "projects"
        for path in walk(root, wanted):
            if is_usual or self.claims(path, head_of(path)):
                yield path

    def claims(self, path: Path, head: bytes) -> bool:
        """Tell from its records whether a file is a transcript of Claude Code."""
        records = head_records(head)
        if not records:
            return _CUT.match(head) is not None
        return any(map(_is_own, records)) and not any(map(_is_foreign, records))

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        return self._tail.read(path, since, settled=settled)


def _variable(home: Home, name: str, usual: Path) -> Path:
    value = home.variable(name)
    return Path(value) if value else usual


def _is_own(record: Record) -> bool:
    if text_in(record, "type") not in _KINDS:
        return False
    if "sessionId" in record or "leafUuid" in record or "parentUuid" in record:
        return True
    return isinstance(record.get("message") or record.get("attachment"), dict)


def _is_foreign(record: Record) -> bool:
    """Qwen Code has the same envelope around messages of `parts`; Codex has a payload."""
    message = record.get("message")
    return "payload" in record or (isinstance(message, dict) and "parts" in message)
