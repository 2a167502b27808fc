import os
from pathlib import Path

import pytest

from archivist.domain.redaction import Cleaned, Gate
from archivist.machine.home import GitProjects, HomeFolder
from archivist.services.bus import TurnsArrived
from archivist.services.ingest import Ingest, Progress
from archivist.shipped import gate
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.codex import Codex
from helpers.claude import Writer, call, chat, lines, transcript
from helpers.stored import Stored, stored

TOKEN = "ghp_" + "aZ3x9Q" * 6


def ingest(archive: Stored, home: Path, *, through: Gate | None = None) -> Ingest:
    folder = HomeFolder(home)
    return Ingest(
        archive.transcripts,
        (ClaudeCode(), Codex()),
        (lambda: through) if through else gate,
        GitProjects(folder),
        bus=archive.bus,
        clock=archive.clock,
    )


async def test_a_home_is_read_once_and_a_second_time_adds_nothing(tmp_path: Path) -> None:
    writer, records = chat(1, ["hello there", "and now?"])
    path = transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path)
        heard: list[TurnsArrived] = []
        archive.bus.listen(TurnsArrived, heard.append)
        progress = Progress()
        home = HomeFolder(tmp_path)
        first = [report async for report in service.import_home(home, progress=progress)]
        second = [report async for report in service.import_home(home)]
        assert [(r.path, r.new_turns, r.tally.user) for r in first] == [(str(path), 4, 2)]
        assert [(r.new_turns, r.tally.user, r.tally.assistant) for r in second] == [(0, 2, 2)]
        assert heard == [TurnsArrived("claude-code", str(path), 4)]
        assert (progress.files, progress.done, progress.new_turns) == (1, 1, 4)


async def test_a_source_that_is_off_is_not_read(tmp_path: Path) -> None:
    writer, records = chat(1, ["hello"])
    transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        service, home = ingest(archive, tmp_path), HomeFolder(tmp_path)
        assert [r async for r in service.import_home(home, off=["claude-code"])] == []


async def test_secrets_are_out_before_the_first_write(tmp_path: Path) -> None:
    writer = Writer()
    records = [
        writer.user(f"export GITHUB_TOKEN={TOKEN}"),
        writer.assistant(call("toolu_1", "Bash", command=f"curl -H 'Authorization: {TOKEN}'")),
        writer.result("toolu_1", f"token {TOKEN} refused", failed=True),
        writer.assistant(text="Done."),
    ]
    transcript(tmp_path / "home", writer, records)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path / "home")
        async for _ in service.import_home(HomeFolder(tmp_path / "home")):
            pass
        for file in tmp_path.glob("archive.db*"):
            assert TOKEN.encode() not in file.read_bytes(), file.name
        rows = await archive.rows("select text, redacted from episode where role = 'user'")
        assert rows == [("export GITHUB_TOKEN=[redacted: github token]", "github token")]
        (tool,) = await archive.rows("select arguments, output from tool_call")
        assert "[redacted: github token]" in str(tool[0])
        assert "[redacted: github token]" in str(tool[1])


class TiredGate(Gate):
    """Gives up on one text, as a gate that runs out of memory would."""

    def __init__(self) -> None:
        pass

    def clean(self, text: str) -> Cleaned:
        if "unreadable" in text:
            raise MemoryError
        return Cleaned(text)


async def test_a_turn_that_cannot_be_cleaned_is_kept_without_its_text(tmp_path: Path) -> None:
    writer, records = chat(1, ["fine", "unreadable thing"])
    transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path, through=TiredGate())
        async for _ in service.import_home(HomeFolder(tmp_path)):
            pass
        rows = await archive.rows("select text, withheld from episode where role = 'user'")
        assert rows == [("fine", 0), ("", 1)]


async def test_a_single_file_is_told_by_its_content(tmp_path: Path) -> None:
    _, records = chat(1, ["hello"])
    moved = tmp_path / "some-name.txt"
    moved.write_bytes(lines(records))
    other = tmp_path / "notes.txt"
    other.write_text("nothing of ours")
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path)
        paths = [moved, other, tmp_path / "missing.jsonl"]
        reports = [report async for report in service.import_paths(paths)]
        assert [(r.source, r.new_turns) for r in reports] == [("claude-code", 2), ("", 0), ("", 0)]
        assert reports[1].reason == "no source writes files of this form"
        assert "missing.jsonl" in str(reports[2].reason)


async def test_a_file_that_vanishes_is_told_and_its_turns_stay(tmp_path: Path) -> None:
    writer, records = chat(1, ["hello"])
    path = transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        service, reader = ingest(archive, tmp_path), ClaudeCode()
        await service.read_file(reader, path)
        path.unlink()
        report = await service.read_file(reader, path)
        assert report.reason is not None
        assert "gone" in report.reason or "no longer" in report.reason or str(path) in report.reason
        assert await archive.rows("select count(*) from episode") == [(2,)]
        (row,) = await archive.rows("select gone_at is not null from source_file")
        assert row == (1,)


async def test_projects_are_the_git_work_trees_of_the_home_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "code" / "app" / ".git").mkdir(parents=True)
    (tmp_path / "code" / "app" / "src").mkdir()
    writer, records = chat(1, ["hello"], cwd="/home/somebody/code/app/src")
    transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        async for _ in ingest(archive, tmp_path).import_home(HomeFolder(tmp_path)):
            pass
        rows = await archive.rows("select distinct project from episode")
        assert rows == [("/home/somebody/code/app",)]


@pytest.mark.parametrize("cut", [1, 40, 333])
async def test_a_growing_file_gives_the_rows_of_the_whole_one(tmp_path: Path, cut: int) -> None:
    writer, records = chat(1, ["hello there", "second", "third"])
    data = lines(records)
    path = transcript(tmp_path, writer, [])
    async with stored(tmp_path) as archive:
        service, reader = ingest(archive, tmp_path), ClaudeCode()
        total = 0
        for end in range(cut, len(data) + cut, cut):
            path.write_bytes(data[:end])
            total += (await service.read_file(reader, path, settled=False)).new_turns
            if cut < 40:
                break
        path.write_bytes(data)
        total += (await service.read_file(reader, path, settled=False)).new_turns
        assert total == 6
        texts = await archive.rows("select text from episode where role = 'user' order by seq")
        assert texts == [("hello there",), ("second",), ("third",)]


async def test_a_file_that_was_deleted_is_noted_at_the_next_import(tmp_path: Path) -> None:
    writer, records = chat(1, ["hello"])
    path = transcript(tmp_path, writer, records)
    home = HomeFolder(tmp_path)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path)
        async for _ in service.import_home(home):
            pass
        path.unlink()
        async for _ in service.import_home(home):
            pass
        gone = "select gone_at is not null from source_file"
        assert await archive.rows(gone) == [(1,)]
        path.write_bytes(lines(records))
        async for _ in service.import_home(home):
            pass
        assert await archive.rows(gone) == [(0,)]
        assert await archive.rows("select count(*) from episode") == [(2,)]


@pytest.mark.skipif(os.name != "posix", reason="file names of POSIX are bytes, and pipes")
async def test_odd_names_and_pipes_do_not_stop_the_others(tmp_path: Path) -> None:
    writer, records = chat(1, ["hello"])
    path = transcript(tmp_path, writer, records)
    odd = path.with_name(os.fsdecode(b"caf\xe9.jsonl"))
    odd_writer, odd_records = chat(2, ["bonjour"])
    del odd_writer
    odd.write_bytes(lines(odd_records))
    os.mkfifo(tmp_path / "pipe.jsonl")
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path)
        reports = [report async for report in service.import_home(HomeFolder(tmp_path))]
        assert sorted(report.new_turns for report in reports) == [2, 2]
        assert any("caf\\xe9" in report.path for report in reports)
        (pipe,) = [r async for r in service.import_paths([tmp_path / "pipe.jsonl"])]
        assert "no plain file" in str(pipe.reason)


class StumblingGate(Gate):
    """Has a bug that one text brings out."""

    def __init__(self) -> None:
        pass

    def clean(self, text: str) -> Cleaned:
        if text == "stumble":
            raise ZeroDivisionError
        return Cleaned(text)


async def test_a_bug_in_one_file_does_not_stop_the_others(tmp_path: Path, allow_logs: None) -> None:
    for number, prompt in enumerate(["stumble", "fine"], start=1):
        writer, records = chat(number, [prompt])
        transcript(tmp_path, writer, records)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path, through=StumblingGate())
        reports = [report async for report in service.import_home(HomeFolder(tmp_path))]
        assert sorted(report.new_turns for report in reports) == [0, 2]
        (reason,) = [report.reason for report in reports if report.reason]
        assert "ZeroDivisionError" in reason


async def test_a_transcript_that_was_read_before_it_was_compressed_is_not_complained_of(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ".codex" / "sessions" / "2026" / "10" / "01"
    folder.mkdir(parents=True)
    plain = folder / "rollout-2026-10-01T10-00-00-0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee.jsonl"
    plain.write_text(
        '{"timestamp":"2026-10-01T10:00:00Z","type":"session_meta","payload":'
        '{"id":"0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee","timestamp":"2026-10-01T10:00:00Z"}}\n'
        '{"timestamp":"2026-10-01T10:00:01Z","type":"response_item","payload":{"type":"message",'
        '"role":"user","content":[{"type":"input_text","text":"hello"}]}}\n'
    )
    home = HomeFolder(tmp_path)
    async with stored(tmp_path) as archive:
        service = ingest(archive, tmp_path)
        assert [r.new_turns async for r in service.import_home(home)] == [1]
        packed = plain.with_name(plain.name + ".zst")
        plain.rename(packed)
        assert [r.reason async for r in service.import_home(home)] == [None]
        other = packed.with_name(packed.name.replace("0199aaaa", "0199ffff"))
        packed.rename(other)
        (reason,) = [r.reason async for r in service.import_home(home)]
        assert "compressed" in str(reason)
