import asyncio
import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from archivist.domain.memory_file import fingerprint
from archivist.domain.problems import FileProblem, Problem, Refused
from archivist.machine import folders
from archivist.machine.files import MemoryFiles
from archivist.machine.folder_lock import LOCK_NAME
from helpers import memory_child
from helpers.clock import FakeClock

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights and links")


def files(*, patience: float = 10.0) -> MemoryFiles:
    return MemoryFiles(clock=FakeClock(), program="test", patience=patience)


@pytest.fixture(params=["descriptors", "paths"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory file that is not there yet, on a system with and without folder descriptors."""
    if request.param == "paths":
        monkeypatch.setattr(folders, "_HAS_DESCRIPTORS", False)
    return tmp_path.resolve() / "MEMORY.md"


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that another user can reach."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name).resolve()


async def write(path: Path, data: bytes) -> bool:
    async with files().locked(path) as file:
        return await file.replace(data, expect=fingerprint(await file.read()))


def left_over(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name not in {"MEMORY.md", LOCK_NAME})


# Which files


@pytest.mark.parametrize("name", ["memory.md", "MEMORY.md.bak", "CLAUDE.md", "x.md", "MEMORY"])
async def test_only_memory_files_are_located(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused) as caught:
        await files().locate(tmp_path / name)
    assert "MEMORY.md or SKILL.md" in caught.value.advice


@POSIX
async def test_the_folder_is_resolved_and_the_file_is_no_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    assert await files().locate(link / "SKILL.md") == real.resolve() / "SKILL.md"
    (real / "MEMORY.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="symbolic link"):
        await files().locate(real / "MEMORY.md")


async def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="gone"):
        await files().locate(tmp_path / "none" / "MEMORY.md")
    (tmp_path / "plain").write_text("")
    with pytest.raises(FileProblem, match="gone"):
        await files().locate(tmp_path / "plain" / "MEMORY.md")
    with pytest.raises(FileProblem, match="gone"):
        await files().read(tmp_path / "none" / "MEMORY.md")
    with pytest.raises(Refused):
        await files().read(tmp_path / "other.md")


# Reading and replacing


async def test_a_file_is_made_replaced_and_removed(target: Path) -> None:
    assert await files().read(target) is None
    async with files().locked(target) as file:
        assert await file.read() is None
        assert await file.replace(b"\xef\xbb\xbfa\r\nb", expect=None)
        assert await file.read() == b"\xef\xbb\xbfa\r\nb"
        assert await file.replace(b"second\n", expect=fingerprint(b"\xef\xbb\xbfa\r\nb"))
        assert target.read_bytes() == b"second\n"
        assert not await file.remove(expect="other")
        assert await file.remove(expect=fingerprint(b"second\n") or "")
        assert not target.exists()
    assert left_over(target.parent) == []


async def test_a_file_that_is_not_as_expected_stays(target: Path) -> None:
    target.write_bytes(b"by hand")
    async with files().locked(target) as file:
        assert not await file.replace(b"ours", expect=None)
        assert not await file.replace(b"ours", expect=fingerprint(b"before"))
    assert target.read_bytes() == b"by hand"
    assert left_over(target.parent) == []


async def test_an_edit_while_the_new_file_is_written_stays(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write_bytes(b"old")
    real = os.fsync

    def edit(fd: int) -> None:
        target.write_bytes(b"by hand")
        real(fd)

    monkeypatch.setattr(os, "fsync", edit)
    assert not await write(target, b"ours")
    assert target.read_bytes() == b"by hand"
    assert left_over(target.parent) == []


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
async def test_mode_bits_are_kept(target: Path, mode: int) -> None:
    target.write_bytes(b"old")
    target.chmod(mode)
    assert await write(target, b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode


@POSIX
@pytest.mark.skipif(sys.platform != "win32" and os.geteuid() != 0, reason="only root gives away")
async def test_the_owner_is_kept_where_that_is_allowed(target: Path) -> None:
    target.write_bytes(b"old")
    os.chown(target, 1234, 5678)
    assert await write(target, b"new")
    assert (target.stat().st_uid, target.stat().st_gid) == (1234, 5678)


async def test_what_a_killed_process_left_is_cleaned(target: Path) -> None:
    stale = target.parent / f".MEMORY.md.{'0' * 16}.archivist"
    mine = target.parent / ".MEMORY.md.swp"
    stale.write_bytes(b"half")
    mine.write_bytes(b"an editor's")
    assert await write(target, b"new")
    assert left_over(target.parent) == [".MEMORY.md.swp"]


async def test_a_huge_file_is_refused(target: Path) -> None:
    target.write_bytes(b"x" * 1_000_001)
    with pytest.raises(Refused, match="larger"):
        await files().read(target)


# Links


@POSIX
async def test_links_folders_and_pipes_are_refused(target: Path) -> None:
    other = target.parent / "other"
    other.write_bytes(b"precious")
    target.symlink_to(other)
    with pytest.raises(Refused, match="symbolic link"):
        await files().read(target)
    with pytest.raises(Refused, match="symbolic link"):
        await write(target, b"new")
    assert other.read_bytes() == b"precious"
    target.unlink()
    os.mkfifo(target)
    with pytest.raises(Refused, match="not a plain file"):
        await write(target, b"new")
    target.unlink()
    target.mkdir()
    with pytest.raises(Problem):
        await write(target, b"new")


def swap_at_open(monkeypatch: pytest.MonkeyPatch, name: str, swap: Callable[[], None]) -> None:
    """Run `swap` once, just before the system is asked to open what has that name."""
    real = os.open
    swaps = [swap]

    def before(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if swaps and Path(path).name == name:
            swaps.pop()()
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", before)


@POSIX
async def test_a_link_swapped_in_between_check_and_open_is_refused(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write_bytes(b"old")
    other = target.parent / "other"
    other.write_bytes(b"precious")

    def swap() -> None:
        target.unlink()
        target.symlink_to(other)

    await files().locate(target)
    with monkeypatch.context() as patched:
        swap_at_open(patched, target.name, swap)
        with pytest.raises(Refused, match="symbolic link"):
            await files().read(target)
    target.unlink()
    target.write_bytes(b"old")
    swap_at_open(monkeypatch, target.name, swap)
    with pytest.raises(Refused, match="symbolic link"):
        await write(target, b"new")
    assert other.read_bytes() == b"precious"
    assert left_over(target.parent) == ["other"]


@POSIX
async def test_a_folder_swapped_for_a_link_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, elsewhere = tmp_path.resolve() / "project", tmp_path.resolve() / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "MEMORY.md").write_bytes(b"precious")

    def swap() -> None:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(elsewhere)

    swap_at_open(monkeypatch, "project", swap)
    with pytest.raises(FileProblem, match="link now"):
        await write(folder / "MEMORY.md", b"new")
    assert (elsewhere / "MEMORY.md").read_bytes() == b"precious"


@POSIX
@pytest.mark.parametrize("by_link", [True, False])
async def test_a_folder_moved_away_while_we_write_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_link: bool
) -> None:
    folder, elsewhere = tmp_path.resolve() / "project", tmp_path.resolve() / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "MEMORY.md").write_bytes(b"old")
    (elsewhere / "MEMORY.md").write_bytes(b"old")
    real = os.fsync

    def swap(fd: int) -> None:
        if not (tmp_path / "moved").exists():
            folder.rename(tmp_path / "moved")
            folder.symlink_to(elsewhere) if by_link else elsewhere.rename(folder)
        real(fd)

    monkeypatch.setattr(os, "fsync", swap)
    with pytest.raises(FileProblem, match="moved or replaced"):
        await write(folder / "MEMORY.md", b"new")
    assert (folder / "MEMORY.md").read_bytes() == b"old"
    assert (tmp_path / "moved" / "MEMORY.md").read_bytes() == b"old"


@POSIX
async def test_a_link_swapped_in_and_out_all_the_time_is_never_followed(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    target, other, spare = folder / "MEMORY.md", tmp_path / "other", folder / "spare"
    other.write_bytes(b"precious")
    target.write_bytes(b"0")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            spare.symlink_to(other)
            spare.replace(target)
            spare.write_bytes(b"plain")
            spare.replace(target)

    thread = threading.Thread(target=swap)
    thread.start()
    outcomes = {"written": 0, "refused": 0, "changed": 0}
    try:
        while outcomes["refused"] < 20 or outcomes["changed"] + outcomes["written"] < 20:
            try:
                done = await write(target, b"ours")
                outcomes["written" if done else "changed"] += 1
            except Refused:
                outcomes["refused"] += 1
    finally:
        stop.set()
        thread.join()
    assert other.read_bytes() == b"precious"
    assert not other.is_symlink()


@POSIX
async def test_a_lock_file_that_is_a_link_or_has_two_names_is_refused(target: Path) -> None:
    other = target.parent / "other"
    other.write_bytes(b"precious")
    lock = target.parent / LOCK_NAME
    lock.symlink_to(other)
    with pytest.raises(Refused, match="symbolic link"):
        await write(target, b"new")
    lock.unlink()
    lock.hardlink_to(other)
    with pytest.raises(Refused, match="not a plain file"):
        await write(target, b"new")
    assert other.read_bytes() == b"precious"
    assert not target.exists()


# Rights and room


@POSIX
async def test_a_read_only_file_is_left_alone(target: Path) -> None:
    target.write_bytes(b"old")
    target.chmod(0o444)
    with pytest.raises(FileProblem, match="read-only"):
        await write(target, b"new")
    assert target.read_bytes() == b"old"
    assert left_over(target.parent) == []


@POSIX
def test_another_user_s_rights_are_respected(public: Path) -> None:
    target = public / "MEMORY.md"
    target.write_bytes(b"old")
    target.chmod(0o644)
    if os.geteuid() == 0:
        answer = json.loads(memory_child.run("nobody", target, "new"))
        assert answer["kind"] == "FileProblem"
        assert "read-only" in answer["problem"]
    target.chmod(0o666)
    assert json.loads(memory_child.run("nobody", target, "new")) == {"done": True}
    assert target.read_bytes() == b"new"
    (public / LOCK_NAME).unlink()
    public.chmod(0o555)
    answer = json.loads(memory_child.run("nobody", target, "newer"))
    assert "read-only" in answer["problem"]
    assert answer["advice"]
    public.chmod(0o755)
    assert target.read_bytes() == b"new"


@POSIX
def test_a_full_disk_leaves_the_file_as_it_was(target: Path) -> None:
    target.write_bytes(b"old")
    answer = json.loads(memory_child.run("limited", target, 1000, 5000))
    assert "no room" in answer["problem"]
    assert target.read_bytes() == b"old"
    assert left_over(target.parent) == []
    assert json.loads(memory_child.run("limited", target, 1000, 500)) == {"done": True}


# The lock


async def test_who_holds_the_lock_is_named(target: Path) -> None:
    child = memory_child.start("hold", target)
    try:
        assert child.stdout is not None
        held = json.loads(child.stdout.readline())["held"]
        with pytest.raises(FileProblem) as caught:
            async with files(patience=0.05).locked(target):
                pass
        if sys.platform != "win32":
            assert f"child (process {held}, since 20" in caught.value.message
        assert caught.value.advice
    finally:
        child.communicate("")
    assert await write(target, b"free again")


async def test_tasks_of_one_process_wait_in_line(target: Path) -> None:
    one = files()
    order: list[int] = []

    async def task(number: int) -> None:
        async with one.locked(target) as file:
            order.append(number)
            old = await file.read() or b""
            assert await file.replace(old + b"%d" % number, expect=fingerprint(old or None))

    async with asyncio.TaskGroup() as group:
        for number in range(6):
            group.create_task(task(number))
    assert order == [*range(6)]
    assert target.read_bytes() == b"012345"


async def test_a_task_that_waits_too_long_is_told(target: Path) -> None:
    one = files(patience=0.05)
    async with one.locked(target):
        with pytest.raises(FileProblem, match="another task"):
            async with one.locked(target):
                pass


async def test_a_cancelled_wait_leaves_the_lock_free(target: Path) -> None:
    waiting, holding = files(), files()

    async def wait() -> None:
        async with waiting.locked(target):
            pytest.fail("it was held")

    async with holding.locked(target):
        task = asyncio.get_running_loop().create_task(wait())
        await asyncio.sleep(0.03)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with files(patience=0.0).locked(target):
        pass


async def test_a_cancelled_write_is_whole_or_not_there(target: Path) -> None:
    target.write_bytes(b"old")
    for steps in range(12):
        before = target.read_bytes()
        task = asyncio.get_running_loop().create_task(write(target, b"new %d" % steps))
        for _ in range(steps):
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert target.read_bytes() in {before, b"new %d" % steps}
        assert left_over(target.parent) == []
    assert await write(target, b"last")


@POSIX
async def test_a_lock_file_deleted_while_we_wait_does_not_count(target: Path) -> None:
    first, second, third = files(), files(), files(patience=0.05)
    async with first.locked(target):
        entered = asyncio.Event()
        leave = asyncio.Event()

        async def wait() -> None:
            async with second.locked(target):
                entered.set()
                await leave.wait()

        task = asyncio.get_running_loop().create_task(wait())
        await asyncio.sleep(0.03)
        (target.parent / LOCK_NAME).unlink()
    await entered.wait()
    with pytest.raises(FileProblem):
        async with third.locked(target):
            pass
    leave.set()
    await task


async def test_processes_that_append_lose_nothing(target: Path) -> None:
    children = [memory_child.start("append", target, f"p{number}", 50) for number in range(8)]
    for child in children:
        out, _ = child.communicate(timeout=120)
        assert child.returncode == 0, out
    lines = target.read_text().splitlines()
    assert sorted(lines) == sorted(f"p{p} {n}" for p in range(8) for n in range(50))
    assert left_over(target.parent) == []
