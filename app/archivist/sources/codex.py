"""Codex (command line, desktop, editor): where its rollouts are, and how one is recognised."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Chunk, Cursor, ReadMode, Source
from archivist.ports.sources import Home
from archivist.sources.codex_forks import HOMES
from archivist.sources.codex_records import CodexRecords
from archivist.sources.files import head_of, is_file, look, readable, walk
from archivist.sources.records import Record, head_records, text_in
from archivist.sources.tail import Tail
from archivist.texts import tr

_ENVELOPES: Final = frozenset(
    "session_meta turn_context response_item event_msg compacted world_state"
    " inter_agent_communication inter_agent_communication_metadata".split()
)
_ITEMS: Final = frozenset(
    "function_call function_call_output local_shell_call custom_tool_call"
    " custom_tool_call_output reasoning tool_call tool_result".split()
)
_PACKED: Final = b"\x28\xb5\x2f\xfd"
_EARLY: Final = re.compile(rb'\s*\{\s*"(?:session"\s*:\s*\{|items"\s*:\s*\[)')
"""The beginnings of a rollout that was compressed, and of one that is a single object."""

_CUT: Final = re.compile(rb'^\s*\{(?=.{0,200}"type"\s*:\s*"session_meta")', re.DOTALL)


class Codex:
    """Reads the rollouts of Codex, whichever program wrote them."""

    def __init__(self) -> None:
        self._tail = Tail(CodexRecords)

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

        In a folder that is none of the usual roots each file is told by its records. Those that
        cannot be read are there too: `read` says why.
        """
        if root.name in HOMES:
            yield from walk(root, _is_rollout)
            return
        for path in walk(root, lambda path: path.suffix == ".jsonl" or _is_rollout(path)):
            if self.claims(path, head_of(path)):
                yield path

    def claims(self, path: Path, head: bytes) -> bool:
        """Tell from its records whether a file is a rollout; the program's name is free text."""
        if _is_packed(path, head) or _is_single(path, head):
            return True
        records = head_records(head)
        if not records:
            return _CUT.match(head) is not None
        if any(_is_enveloped(record) for record in records):
            return True
        return any(_is_early(record) for record in records) and all(map(_may_be_early, records))

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        _refuse_unreadable(path)
        yield from self._tail.read(path, since, settled=settled)


def _is_rollout(path: Path) -> bool:
    """Tell a rollout by its name; a compressed one stands for itself only without its original."""
    if not path.name.startswith("rollout-"):
        return False
    if path.suffix == ".zst":
        return path.stem.endswith(".jsonl") and not is_file(path.with_suffix(""))
    return path.suffix in {".jsonl", ".json"}


def _is_packed(path: Path, head: bytes) -> bool:
    return path.name.endswith(".jsonl.zst") and head.startswith(_PACKED)


def _is_single(path: Path, head: bytes) -> bool:
    return path.suffix == ".json" and _EARLY.match(head) is not None


def _refuse_unreadable(path: Path) -> None:
    """Raise FileProblem for a rollout in one of the forms that are known and not read."""
    if path.suffix not in {".zst", ".json"}:
        return
    look(path)
    name = readable(path)
    if path.suffix == ".zst":
        raise FileProblem(
            tr("{path}: compressed transcripts cannot be read yet.", path=name),
            advice=tr(
                "What was read of it before it was compressed is kept. To read it now, unpack it"
                " in its folder: zstd -d {file}",
                file=readable(path.name),
            ),
            key=f"read:{name}",
        )
    if _is_single(path, head_of(path)):
        raise FileProblem(
            tr("{path}: this old form of Codex, one object a file, cannot be read.", path=name),
            advice=tr("Nothing to do: the file stays as it is. Newer sessions are read."),
            key=f"read:{name}",
        )


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
