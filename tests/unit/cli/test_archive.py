from pathlib import Path

import pytest

from archivist.cli import archive
from archivist.services.ingest import Progress
from helpers.console import Console


def test_each_count_has_its_own_plural(console: Console) -> None:
    path = console.say("Please move the prices of the shop into their own file.")
    assert console.throw_away("import").out.splitlines() == [
        f"{path}: 1 prompt, 1 answer, 2 new turns",
        "1 file read, 2 new turns.",
    ]
    line = "claude-code: 1 session, 1 prompt, 1 answer, last read"
    assert line in console.throw_away("status").out
    done = console.throw_away("archive", "--wait").out
    assert done.startswith("1 segment closed, 1 recap written, 0 lessons found in ")
    last = console.throw_away("status").out.splitlines()[-1]
    assert last == "2 turns in 1 segment; 0 lessons, 0 wait for review; 0 proposed changes"


def test_what_was_not_read_is_counted_apart_and_named_once(
    console: Console, tmp_path: Path
) -> None:
    good = console.say("hello there")
    gone, other = tmp_path / "none.jsonl", tmp_path / "notes.txt"
    other.write_text("no transcript", encoding="utf-8")
    ran = console.throw_away("import", str(gone), str(other), str(good))
    first, second, _, last = ran.out.splitlines()
    assert first.startswith(f"Not read: {gone} cannot be read")
    assert first.count(str(gone)) == 1
    assert second == f"{other}: not read: no source writes files of this form"
    assert last == "1 file read, 2 new turns; 2 files not read."


def test_progress_says_what_is_being_read(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(files=13)
    progress.listeners.append(archive._ticker())
    progress.step("/t/a\x1b.jsonl")
    assert capsys.readouterr().err == "reading 1 of 13: /t/a⟪U+001B⟫.jsonl\n"
