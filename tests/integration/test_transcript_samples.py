"""The sample transcripts: exact counts, by the table that lies beside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from archivist.domain.transcripts import Seen, SessionSeen, Tally, TurnSeen
from archivist.ports.sources import Reader
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.codex import Codex
from helpers.shared import shared_folder

READERS: dict[str, type[Reader]] = {"claude-code": ClaudeCode, "codex": Codex}
ZOO = "claude-code/record-zoo/all_record_types_2.1.x.jsonl"


@dataclass(frozen=True)
class Row:
    """One line of the table: a file, its source, and what it holds."""

    name: str
    source: str
    counts: tuple[int, int, int, int]
    noted: dict[str, int]


def table(text: str) -> Iterator[Row]:
    """Yield the rows that state counts, for the sources that are read by now."""
    for line in text.splitlines():
        found = re.match(r"\| `([^`]+)` \|", line)
        if found is None:
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        source = found[1].split("/")[0]
        if source not in READERS or not all(cell.isdigit() for cell in cells[4:8]):
            continue
        user, assistant, tools, failed = map(int, cells[4:8])
        noted = re.findall(r"\b(queued|rejected|bad)=(\d+)", cells[8])
        yield Row(
            found[1],
            source,
            (user, assistant, tools, failed),
            {name: int(count) for name, count in noted},
        )


def rows() -> list[Row]:
    found = shared_folder()
    readme = found / "data/transcripts/README.md" if found else None
    return list(table(readme.read_text("utf-8"))) if readme and readme.is_file() else []


ROWS = rows()


def tally_of(row: Row, folder: Path) -> Tally:
    chunks = list(READERS[row.source]().read(folder / row.name, None, settled=True))
    return chunks[-1].tally


@pytest.fixture
def samples(shared: Path) -> Path:
    return shared / "data/transcripts"


def test_the_table_is_read(samples: Path) -> None:
    assert {row.source for row in ROWS} == set(READERS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_counts_are_exact(samples: Path, row: Row) -> None:
    tally = tally_of(row, samples)
    assert (tally.user, tally.assistant, tally.tools, tally.failed) == row.counts
    if row.name != ZOO:  # its values are trimmed, so only the four columns mean something
        noted = {"queued": tally.queued, "rejected": tally.rejected, "bad": tally.bad_lines}
        assert {name: noted[name] for name in row.noted} == row.noted


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_sample_is_told_by_its_records(samples: Path, row: Row, tmp_path: Path) -> None:
    with (samples / row.name).open("rb") as file:
        head = file.read(64 * 1024)
    claimed = [name for name, reader in READERS.items() if reader().claims(tmp_path / "x", head)]
    assert claimed == [row.source]


def test_no_other_source_is_claimed(samples: Path) -> None:
    for path in samples.rglob("*"):
        if not path.is_file() or path.relative_to(samples).parts[0] in READERS:
            continue
        with path.open("rb") as file:
            head = file.read(64 * 1024)
        assert not [name for name, reader in READERS.items() if reader().claims(path, head)], path


def test_a_fork_adds_only_what_is_new(samples: Path) -> None:
    reader, keys = ClaudeCode(), set[str]()
    added = []
    for path in reader.files(samples / "claude-code/constructed/fork-pair"):
        found = {
            seen.key
            for chunk in reader.read(path, None, settled=True)
            for seen in chunk.seen
            if isinstance(seen, TurnSeen)
        }
        added.append(len(found - keys))
        keys |= found
    assert sorted(added) in ([2, 2], [0, 4])
    assert len(keys) == 4


def test_sub_agents_are_found_below_their_session(samples: Path) -> None:
    reader = ClaudeCode()
    seen = [
        seen
        for path in reader.files(samples / "claude-code/-experiments-worktrees")
        for chunk in reader.read(path, None, settled=True)
        for seen in chunk.seen
        if isinstance(seen, SessionSeen)
    ]
    parents = {session.session: session.parent for session in seen if session.relation}
    assert len(parents) == 6
    assert set(parents.values()) == {"ef958aa1-0e93-49f0-bb71-150f63befcd1"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_reading_on_after_every_line_is_reading_at_once(
    samples: Path, row: Row, tmp_path: Path
) -> None:
    data = (samples / row.name).read_bytes()
    path = tmp_path / Path(row.name).name
    path.write_bytes(data)
    reader = READERS[row.source]()
    at_once = [seen for chunk in reader.read(path, None, settled=True) for seen in chunk.seen]
    path.write_bytes(b"")
    seen: list[Seen] = []
    cursor, tally = None, Tally()
    for line in data.splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(line)
        for chunk in reader.read(path, cursor, settled=False):
            seen += chunk.seen
            cursor, tally = chunk.cursor, chunk.tally
    for chunk in reader.read(path, cursor, settled=True):
        seen += chunk.seen
    assert seen == at_once
    assert (tally.user, tally.assistant, tally.tools, tally.failed) == row.counts
