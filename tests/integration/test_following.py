"""A transcript that grows under the reader gives the rows of one import, however it is cut."""

import asyncio
import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archivist.machine.home import GitProjects, HomeFolder
from archivist.services.ingest import Ingest
from archivist.shipped import gate
from archivist.sources.claude_code import ClaudeCode
from helpers.claude import Writer, call, lines
from helpers.stored import Stored, stored

ROWS = [
    """select message_key, seq, role, text, at, until, failed_tools, redacted
       from episode order by id""",
    """select e.message_key, t.seq, t.call_key, t.name, t.arguments, t.outcome, t.output
       from tool_call t join episode e on e.id = t.episode_id order by e.id, t.seq""",
    "select native_id, cwd, branch, started_at from session order by id",
    "select rowid from episode_fts where episode_fts match 'alpha OR beta OR grep' order by rowid",
]
TOKEN = "ghp_" + "aZ3x9Q" * 6

step = st.sampled_from(
    ["prompt", "answer", "grow", "call", "fail", "secret", "noise", "broken", "wait"]
)


def story(steps: Sequence[str]) -> bytes:
    """Return a transcript in which these things happen one after the other."""
    writer, data, calls = Writer(), b"", 0
    last: dict[str, Any] | None = None
    for number, what in enumerate(steps):
        match what:
            case "prompt":
                data += lines([writer.user(f"alpha {number} 你好\u2028😀")])
            case "answer":
                last = writer.assistant(text=f"beta {number}")
                data += lines([last])
            case "grow" if last is not None:
                more = writer.assistant(text=f"and more {number}")
                more["message"]["id"] = last["message"]["id"]
                data += lines([more])
            case "call" | "fail":
                calls += 1
                name = f"toolu_{calls:024d}"
                data += lines([writer.assistant(call(name, "grep", pattern=f"p{number}"))])
                data += lines([writer.result(name, f"out {number}", failed=what == "fail")])
            case "secret":
                data += lines([writer.user(f"use {TOKEN} for {number}")])
            case "noise":
                data += b'{"type":"file-history-snapshot","messageId":"x","snapshot":{}}\r\n'
            case "broken":
                data += b"\0\0{broken\n"
            case "wait":
                writer.wait(3_600)
    return data


def ingest(archive: Stored, home: Path) -> Ingest:
    """A fresh process, as far as the reader's memory goes."""
    folder = HomeFolder(home)
    return Ingest(
        archive.transcripts,
        (ClaudeCode(),),
        gate,
        GitProjects(folder),
        bus=archive.bus,
        clock=archive.clock,
    )


async def rows_after(
    folder: Path, pieces: Sequence[bytes], restarts: Sequence[bool]
) -> list[list[tuple[object, ...]]]:
    """Write the pieces one by one, read after each; return what the archive holds."""
    folder.mkdir()
    path = folder / "home" / "session.jsonl"
    path.parent.mkdir()
    async with stored(folder) as archive:
        service, reader = ingest(archive, folder), ClaudeCode()
        for piece, is_restart in zip(pieces, restarts, strict=True):
            with path.open("ab") as file:
                file.write(piece)
            if is_restart:
                service, reader = ingest(archive, folder), ClaudeCode()
            await service.read_file(reader, path, settled=False)
        await service.read_file(reader, path, settled=True)
        return [await archive.rows(query) for query in ROWS]


@settings(max_examples=60)
@given(
    steps=st.lists(step, min_size=1, max_size=12),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=8),
    is_cut_off=st.booleans(),
)
@pytest.mark.long
def test_any_cuts_and_restarts_give_the_rows_of_one_import(
    steps: list[str], cuts: list[tuple[float, bool]], *, is_cut_off: bool
) -> None:
    data = story(steps)
    if is_cut_off and data.endswith(b"\n"):
        data = data[:-1]
    places = sorted((int(where * len(data)), restart) for where, restart in cuts)
    marks = [0, *(place for place, _ in places), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(marks)]
    restarts = [restart for _, restart in places] + [False]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        followed = asyncio.run(rows_after(folder / "followed", pieces, restarts))
        at_once = asyncio.run(rows_after(folder / "once", [data], [False]))
    assert followed == at_once


@pytest.mark.long
def test_byte_by_byte_gives_the_rows_of_one_import(tmp_path: Path) -> None:
    data = story(["prompt", "answer", "grow", "fail", "broken", "secret", "answer"])
    pieces = [data[n : n + 1] for n in range(len(data))]
    followed = asyncio.run(rows_after(tmp_path / "followed", pieces, [False] * len(pieces)))
    at_once = asyncio.run(rows_after(tmp_path / "once", [data], [False]))
    assert followed == at_once
    assert len(at_once[0]) >= 4
