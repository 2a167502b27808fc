"""What the tests of readers share: a folder of transcripts, and rows made of events."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from archivist.domain.transcripts import (
    Chunk,
    Compacted,
    SessionSeen,
    Tally,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)
from archivist.ports.sources import Reader


@dataclass
class Rows:
    """What an archive that holds nothing yet makes of the events of one or more files."""

    turns: dict[str, TurnSeen] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: dict[tuple[str, str], ToolCalled] = field(default_factory=dict)
    answers: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    compacted: list[Compacted] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def add(self, chunks: Iterable[Chunk]) -> "Rows":
        for chunk in chunks:
            self.tally = chunk.tally
            for seen in chunk.seen:
                self._add(seen)
        return self

    def _add(self, seen: object) -> None:
        match seen:
            case TurnSeen():
                known = self.turns.get(seen.key)
                if known is None or known.session == seen.session:
                    self.turns[seen.key] = seen
            case SessionSeen():
                row = self.sessions.setdefault(seen.session, {})
                for name in ("parent", "relation", "cwd", "branch", "title", "at"):
                    if getattr(seen, name) is not None:
                        row[name] = getattr(seen, name)
            case ToolCalled():
                self.calls.setdefault((seen.turn, seen.call), seen)
            case ToolAnswered():
                self.answers[seen.turn, seen.call] = (seen.outcome, seen.output)
            case Compacted():
                self.compacted.append(seen)

    def texts(self, role: str | None = None) -> list[str]:
        """The texts of the turns in order, of one role or of all."""
        return [turn.text for turn in self.turns.values() if role in {None, turn.role}]

    def tools(self) -> list[tuple[str, str, str]]:
        """Per call the text of its turn, its name and its outcome."""
        return [
            (self.turns[turn].text, call.name, self.answers.get((turn, name), ("pending", ""))[0])
            for (turn, name), call in self.calls.items()
        ]


class Shelf:
    """A folder of transcripts that a test writes and reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, *records: dict[str, Any] | str | bytes) -> Path:
        """Write records, one a line; texts and bytes stand for lines as they are."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.line(record) for record in records))
        return path

    def append(self, path: Path, *records: dict[str, Any] | str | bytes) -> None:
        with path.open("ab") as file:
            file.write(b"".join(self.line(record) for record in records))

    def line(self, record: dict[str, Any] | str | bytes) -> bytes:
        if isinstance(record, bytes):
            return record
        if isinstance(record, str):
            return record.encode() + b"\n"
        return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"

    def read(self, reader: Reader, *paths: Path) -> Rows:
        """Read files whole and in order, as an import does."""
        rows = Rows()
        for path in paths:
            rows.add(reader.read(path, None, settled=True))
        return rows
