"""Real files and a real watcher; each test ends as soon as what it waits for is told."""

import asyncio
import errno
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist.sources import follow
from archivist.sources.follow import Halt, Watcher, changes, open_watcher

PATIENCE = 20.0


class Told:
    """Collects what a follower tells."""

    def __init__(self) -> None:
        self.sets: list[frozenset[Path]] = []
        self._news = asyncio.Event()

    def add(self, paths: frozenset[Path]) -> None:
        self.sets.append(paths)
        self._news.set()

    @property
    def paths(self) -> set[Path]:
        return set().union(*self.sets)

    async def wait_for(self, *paths: Path) -> None:
        """Wait until all of these were told."""
        async with asyncio.timeout(PATIENCE):
            while not self.paths >= set(paths) or not self.sets:
                self._news.clear()
                await self._news.wait()

    async def next_of(self, path: Path) -> None:
        """Wait until a path is told once more."""
        before = sum(path in told for told in self.sets)
        async with asyncio.timeout(PATIENCE):
            while sum(path in told for told in self.sets) == before:
                self._news.clear()
                await self._news.wait()


def without_watcher(folders: Sequence[Path]) -> Watcher:
    raise OSError(errno.ENOSPC, "OS file watch limit reached")


@asynccontextmanager
async def following(
    *roots: Path, poll_seconds: float = 30.0, blind: bool = False
) -> AsyncIterator[Told]:
    """Follow folders; the block begins when the first, empty set was told."""
    told, stop = Told(), asyncio.Event()
    watcher_for = without_watcher if blind else open_watcher

    async def run() -> None:
        async for paths in changes(
            lambda: roots, stop=stop, poll_seconds=poll_seconds, watcher_for=watcher_for
        ):
            told.add(paths)

    task = asyncio.create_task(run())
    await told.wait_for()
    assert told.sets == [frozenset()]
    yield told
    stop.set()
    async with asyncio.timeout(PATIENCE):
        await task


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_IDLE_STEP_MS", 50)
    monkeypatch.setattr(follow, "_STEP_MS", 20)
    monkeypatch.setattr(follow, "_BLIND_SECONDS", 0.05)
    monkeypatch.setattr(follow, "_SHARE", 0)


def put(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)
    return path


@pytest.mark.parametrize("blind", [False, True], ids=["watched", "polled"])
async def test_new_grown_and_removed_files_are_told(tmp_path: Path, *, blind: bool) -> None:
    old = put(tmp_path / "a" / "old.jsonl")
    async with following(tmp_path, poll_seconds=30.0, blind=blind) as told:
        await told.wait_for(put(tmp_path / "a" / "new.jsonl"))
        assert old not in told.paths
        put(old)
        await told.wait_for(old)
        old.unlink()
        await told.next_of(old)


@pytest.mark.parametrize("blind", [False, True], ids=["watched", "polled"])
async def test_folders_that_appear_later_are_followed(tmp_path: Path, *, blind: bool) -> None:
    async with following(tmp_path, blind=blind) as told:
        first = put(tmp_path / "2026" / "11" / "28" / "first.jsonl")
        second = put(tmp_path / "2026" / "11" / "28" / "second.jsonl")
        await told.wait_for(first, second)
        put(first)
        await told.next_of(first)


async def test_a_root_that_appears_later_is_found_by_the_poll(tmp_path: Path) -> None:
    here, later = tmp_path / "here", tmp_path / "later" / "projects"
    here.mkdir()
    async with following(here, later, poll_seconds=0.1) as told:
        path = put(later / "-src" / "a.jsonl")
        await told.wait_for(path)
        put(path)
        await told.next_of(path)
        await told.wait_for(put(here / "b.jsonl"))


async def test_a_root_that_goes_and_comes_back_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    path = put(root / "a.jsonl")
    async with following(root, poll_seconds=0.1) as told:
        path.unlink()
        root.rmdir()
        await told.wait_for(path)
        put(path)
        await told.next_of(path)


async def test_what_the_watcher_does_not_tell_the_poll_finds(tmp_path: Path) -> None:
    class Deaf:
        def watch(
            self, _debounce: int, _step: int, timeout: int, _halt: Halt | None, /
        ) -> set[tuple[int, str]]:
            time.sleep(timeout / 1000)
            return set()

        def close(self) -> None: ...

    told, stop = Told(), asyncio.Event()

    async def run() -> None:
        async for paths in changes(
            lambda: [tmp_path], stop=stop, poll_seconds=0.05, watcher_for=lambda _: Deaf()
        ):
            told.add(paths)

    task = asyncio.create_task(run())
    await told.wait_for()
    await told.wait_for(put(tmp_path / "a.jsonl"))
    stop.set()
    await task


async def test_a_watcher_that_fails_is_replaced_by_the_poll(tmp_path: Path) -> None:
    class Broken:
        def watch(
            self, _debounce: int, _step: int, _timeout: int, _halt: Halt | None, /
        ) -> set[tuple[int, str]]:
            raise OSError(errno.EIO, "no more")

        def close(self) -> None: ...

    told, stop = Told(), asyncio.Event()

    async def run() -> None:
        async for paths in changes(
            lambda: [tmp_path], stop=stop, poll_seconds=0.05, watcher_for=lambda _: Broken()
        ):
            told.add(paths)

    task = asyncio.create_task(run())
    await told.wait_for()
    await told.wait_for(put(tmp_path / "a.jsonl"))
    stop.set()
    await task


async def test_a_burst_is_told_in_few_sets(tmp_path: Path) -> None:
    async with following(tmp_path) as told:
        paths = [tmp_path / f"{n}.jsonl" for n in range(5)]
        for path in paths * 40:
            put(path)
        await told.wait_for(*paths)
        assert len(told.sets) < 20


async def test_temporary_files_are_not_told(tmp_path: Path) -> None:
    async with following(tmp_path) as told:
        put(tmp_path / "a.jsonl.tmp-17")
        put(tmp_path / "a.jsonl.lock")
        await told.wait_for(put(tmp_path / "b.jsonl"))
        assert told.paths == {tmp_path / "b.jsonl"}


async def test_without_any_root_it_waits_and_ends(tmp_path: Path) -> None:
    async with following(tmp_path / "missing") as told:
        assert told.paths == set()


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a privilege on Windows")
async def test_a_symlinked_project_folder_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root.mkdir()
    (root / "linked").symlink_to(elsewhere)
    async with following(root, poll_seconds=0.2) as told:
        put(elsewhere / "a.jsonl")
        await told.wait_for(root / "linked" / "a.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a privilege on Windows")
@pytest.mark.parametrize("blind", [False, True], ids=["watched", "polled"])
async def test_a_link_that_leads_to_itself_hides_nothing(tmp_path: Path, *, blind: bool) -> None:
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "self.jsonl").symlink_to("self.jsonl")
    async with following(tmp_path, poll_seconds=0.2, blind=blind) as told:
        await told.wait_for(put(tmp_path / "a" / "one.jsonl"))
        await told.wait_for(put(tmp_path / "two.jsonl"))


async def test_a_root_that_may_not_be_looked_at_does_not_end_the_following(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, here = tmp_path / "closed", tmp_path / "here"
    here.mkdir()
    real = Path.stat

    def guarded(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if self == closed:
            raise PermissionError(13, "Permission denied")
        return real(self, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", guarded)
    async with following(closed, here) as told:
        await told.wait_for(put(here / "a.jsonl"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are no text")
@pytest.mark.parametrize("place", ["root", "file"])
async def test_a_name_that_is_no_utf8_is_followed(tmp_path: Path, place: str) -> None:
    odd = os.fsdecode(b"caf\xe9")
    root = tmp_path / (odd if place == "root" else "root")
    root.mkdir()
    async with following(root, poll_seconds=0.2) as told:
        await told.wait_for(put(root / f"{odd}.jsonl"))
        await told.wait_for(put(root / "other.jsonl"))


async def test_a_cancelled_follower_leaves_no_thread_waiting(tmp_path: Path) -> None:
    closed = threading.Event()

    class Noted:
        def __init__(self, inner: Watcher) -> None:
            self.watch = inner.watch
            self._inner = inner

        def close(self) -> None:
            self._inner.close()
            closed.set()

    async def run() -> None:
        async for _ in changes(
            lambda: [tmp_path],
            stop=asyncio.Event(),
            watcher_for=lambda folders: Noted(open_watcher(folders)),
        ):
            begun.set()

    begun = asyncio.Event()
    task = asyncio.create_task(run())
    await begun.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(closed.wait, PATIENCE)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
@pytest.mark.long
async def test_an_idle_follower_wakes_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    monkeypatch.undo()
    put(tmp_path / "a.jsonl")
    async with following(tmp_path):
        await asyncio.sleep(0.5)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        begun = time.monotonic()
        await asyncio.sleep(2.5)
        woken = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before
        assert woken / (time.monotonic() - begun) <= 2.5
