"""Codex (command line, desktop, editor): where its rollouts are, and how one is recognised."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from archivist.domain.transcripts import Chunk, Cursor, ReadMode, Source
from archivist.ports.sources import Home
from archivist.sources.codex_forks import HOMES, turns_of_parent
from archivist.sources.codex_records import CodexRecords
from archivist.sources.files import head_of, walk
from archivist.sources.records import Record, head_records, text_in
from archivist.sources.tail import Tail

_ENVELOPES: Final = frozenset(
    "session_meta turn_context response_item event_msg compacted world_state"
    " inter_agent_communication inter_agent_communication_metadata".split()
)
_ITEMS: Final = frozenset(
    "function_call function_call_output local_shell_call custom_tool_call"
    " custom_tool_call_output reasoning tool_call tool_result".split()
)
_CUT: Final = re.compile(rb'^\s*\{(?=.{0,200}"type"\s*:\s*"session_meta")', re.DOTALL)


class Codex:
    """Reads the rollouts of Codex, whichever program wrote them."""

    def __init__(self) -> None:
        self._tail = Tail(lambda path: CodexRecords(path, turns_of_parent))

    @property
    def source(self) -> Source:
        return Source.CODEX

    @property
    def mode(self) -> ReadMode:
        return ReadMode.APPEND

    def roots(self, home: Home) -> Sequence[Path]:
        """Return the folders of running and of archived sessions."""
        moved = home.variable("CODEX_HOME")
        base = Path(moved) if moved else home.folder / ".codex"
        return [base / name for name in HOMES]

    def files(self, root: Path) -> Iterator[Path]:
        """Yield the rollouts below a root, oldest change first.

        In a folder that is none of the usual roots each file is told by its records.
        """
        if root.name in HOMES:
            yield from walk(root, _is_rollout)
            return
        for path in walk(root, lambda path: path.suffix == ".jsonl"):
            if self.claims(path, head_of(path)):
                yield path

    def claims(self, path: Path, head: bytes) -> bool:
        """Tell from its records whether a file is a rollout; the program's name is free text."""
        records = head_records(head)
        if not records:
            return _CUT.match(head) is not None
        if any(_is_enveloped(record) for record in records):
            return True
        return any(_is_early(record) for record in records) and all(map(_may_be_early, records))

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        return self._tail.read(path, since, settled=settled)


def _is_rollout(path: Path) -> bool:
    return path.suffix == ".jsonl" and path.name.startswith("rollout-")


def _is_enveloped(record: Record) -> bool:
    return text_in(record, "type") in _ENVELOPES and isinstance(record.get("payload"), dict)


def _is_early(record: Record) -> bool:
    """Tell an item of 2025 that stands without its envelope."""
    if text_in(record, "type") in _ITEMS:
        return "timestamp" in record or "call_id" in record
    is_message = text_in(record, "role") in {"user", "assistant"} and "content" in record
    return is_message and isinstance(record.get("timestamp"), str)


def _may_be_early(record: Record) -> bool:
    foreign = ("message", "sessionId", "messages", "uuid", "parts", "data")
    return not any(key in record for key in foreign)
