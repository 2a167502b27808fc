import asyncio
import json
import random
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archivist.domain.headings import split_lines
from archivist.domain.memory_file import blocked, fingerprint
from archivist.domain.problems import FileProblem, Refused
from archivist.machine.folder_lock import LOCK_NAME
from helpers import memory_child
from helpers.memory_files import lost_lines, memory

pytestmark = pytest.mark.long

START = b"# Notes\r\n\r\n## Preferences\r\n* Mine\r\n\r\nAn end.\r\n"


# Hand edits

LINES = st.sampled_from(
    "- a bullet|* Mine|text|## Preferences|## Facts|# Other||An end.|```|  more".split("|")
)
EDITED = st.builds(
    lambda lines, end, last: (end.join(lines) + last).encode(),
    st.lists(LINES, max_size=9),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n"]),
)


@settings(max_examples=40)
@given(EDITED, EDITED)
def test_a_hand_edit_between_proposal_and_apply_survives(first: bytes, edited: bytes) -> None:
    async def run(folder: Path) -> None:
        target = folder.resolve() / "MEMORY.md"
        target.write_bytes(first)
        async with memory(folder) as here:
            if blocked(first, ["Preferences"]):
                return
            proposal, hunks = await here.propose(target, ["Rule one", "Rule two"])
            target.write_bytes(edited)
            try:
                done = await here.service.apply(proposal, hunks)
            except Refused:
                assert target.read_bytes() == edited
                return
            result = target.read_bytes()
            assert done.sha256 == fingerprint(result)
            assert lost_lines(edited, result) == []
            assert b"Rule one" in result
            assert b"Rule two" in result
            await here.service.undo_write(done.write)
            assert target.read_bytes() == edited

    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


@settings(max_examples=40)
@given(EDITED, st.integers(0, 8), LINES)
def test_a_hand_edit_between_apply_and_undo_survives(first: bytes, at: int, line: str) -> None:
    async def run(folder: Path) -> None:
        target = folder.resolve() / "MEMORY.md"
        target.write_bytes(first)
        async with memory(folder) as here:
            if blocked(first, ["Preferences"]):
                return
            proposal, hunks = await here.propose(target, ["Rule one", "Rule two"])
            done = await here.service.apply(proposal, hunks)
            lines = split_lines(target.read_bytes())
            lines.insert(at, f"{line} by hand\n".encode())
            edited = b"".join(lines)
            target.write_bytes(edited)
            try:
                await here.service.undo_write(done.write)
            except Refused:
                assert target.read_bytes() == edited
                return
            result = target.read_bytes()
            assert b"Rule" not in result
            assert result.count(b"by hand") == 1
            assert [row for row in lost_lines(first, result) if row.strip()] == []

    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def test_nothing_but_the_file_and_the_lock_is_touched(tmp_path: Path) -> None:
    folder, profile = tmp_path / "project", tmp_path / "profile"
    (folder / "src").mkdir(parents=True)
    profile.mkdir()
    for name in ("README.md", "CLAUDE.md", "src/MEMORY.md"):
        (folder / name).write_bytes(name.encode())
    target = folder.resolve() / "MEMORY.md"
    target.write_bytes(START)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    async with memory(profile) as here:
        proposal, hunks = await here.propose(target, ["A rule"])
        assert target.read_bytes() == START
        await here.service.apply(proposal, hunks)
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    changed = {path.name for path in after if before.get(path) != after[path]}
    assert changed == {"MEMORY.md", LOCK_NAME}


# Many writers


async def test_eight_processes_with_fifty_writes_lose_none(tmp_path: Path) -> None:
    target = tmp_path.resolve() / "MEMORY.md"
    target.write_bytes(START)
    texts = [f"Rule {writer} of writer {number}" for writer in range(8) for number in range(50)]
    async with memory(tmp_path) as here:
        proposal, hunks = await here.propose(target, texts)
        children = [
            memory_child.start("apply", tmp_path, proposal, *hunks[50 * n : 50 * n + 50])
            for n in range(8)
        ]
        for number in range(20):  # a person saves as well, whenever nobody is writing
            async with here.files.locked(target) as file:
                old = await file.read()
                assert await file.replace(
                    (old or b"") + b"By hand %d.\r\n" % number, expect=fingerprint(old)
                )
        for child in children:
            out, _ = await asyncio.to_thread(child.communicate, timeout=300)
            assert child.returncode == 0, out
            answers = [json.loads(line) for line in out.splitlines()]
            assert len([answer for answer in answers if "done" in answer]) == 50, answers
        result = target.read_bytes()
        bullets = [line for line in result.splitlines() if line.startswith(b"* Rule")]
        assert sorted(bullets) == sorted(f"* {text}".encode() for text in texts)
        assert [line for line in result.splitlines() if line.startswith(b"By hand")] == [
            b"By hand %d." % number for number in range(20)
        ]
        assert await here.service.proposals() == []
        assert await here.rows("select state, count(*) from file_write group by 1") == [
            ("written", 400)
        ]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
async def test_a_link_swapped_in_is_refused(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    target, other = folder / "MEMORY.md", tmp_path / "precious"
    link, plain = folder / "link", folder / "plain"
    other.write_bytes(b"precious")
    target.write_bytes(START)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            link.symlink_to(other)
            link.replace(target)
            plain.write_bytes(START)
            plain.replace(target)

    async with memory(tmp_path) as here:
        proposal, hunks = await here.propose(target, [f"Rule {n}" for n in range(30)])
        thread = threading.Thread(target=swap)
        thread.start()
        refused, busy = 0, list[str]()
        try:
            for hunk in hunks:
                try:
                    await here.service.apply(proposal, [hunk])
                except Refused as told:
                    refused += "symbolic link" in told.message
                except FileProblem as told:  # it changed at each of our tries
                    busy.append(told.message)
        finally:
            stop.set()
            thread.join()
    assert refused
    assert all("all the time" in message for message in busy)
    assert other.read_bytes() == b"precious"


# Killed at any moment


async def test_killed_at_any_moment_the_file_is_whole_and_the_end_is_the_same(
    tmp_path: Path,
) -> None:
    target = tmp_path.resolve() / "MEMORY.md"
    target.write_bytes(START)
    texts = [f"Rule number {n}" for n in range(60)]
    chance = random.Random(2026)
    states = [START]
    for text in texts:
        states.append(states[-1].replace(b"\r\n\r\nAn", f"\r\n* {text}\r\n\r\nAn".encode()))
    async with memory(tmp_path) as here:
        proposal, hunks = await here.propose(target, texts)
    kills = 0
    while True:
        async with memory(tmp_path) as here:
            assert await here.service.recover() == []
            await here.service.propose()
            waiting = {hunk.id for p in await here.service.proposals() for hunk in p.hunks}
            left = [hunk for hunk in hunks if hunk in waiting]
            assert target.read_bytes() == states[len(hunks) - len(left)]
        if kills == 30:
            break
        child = memory_child.start("apply", tmp_path, proposal, *left)
        await asyncio.to_thread(memory_child.wait_until_ready, child)
        time.sleep(chance.uniform(0, 0.05))
        child.kill()
        child.communicate()
        kills += 1
        assert target.read_bytes() in states, "torn"
    memory_child.run("apply", tmp_path, proposal, *left)
    assert target.read_bytes() == states[-1]
    async with memory(tmp_path) as here:
        assert await here.service.recover() == []
        assert await here.service.proposals() == []
        assert await here.rows("select count(*) from file_write") == [(60,)]
        assert await here.rows("select count(*) from command where name = 'memory.apply'") == [
            (60,)
        ]
    assert [p.name for p in tmp_path.glob(".MEMORY*")] == []
