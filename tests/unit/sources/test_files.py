import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import pytest

from archivist.domain.problems import FileProblem
from archivist.sources import files
from archivist.sources.files import (
    continues,
    cursor_at,
    is_file,
    is_folder,
    is_passing,
    look,
    read_range,
    walk,
)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_WAITS", (0.0, 0.0, 0.0))


def is_jsonl(path: Path) -> bool:
    return path.suffix == ".jsonl"


def put(path: Path, text: str = "x", at: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if at:
        os.utime(path, (at, at))
    return path


def test_files_come_oldest_change_first(tmp_path: Path) -> None:
    put(tmp_path / "a" / "new.jsonl", at=3000)
    put(tmp_path / "b" / "old.jsonl", at=1000)
    put(tmp_path / "middle.jsonl", at=2000)
    put(tmp_path / "other.txt")
    assert [path.stem for path in walk(tmp_path, is_jsonl)] == ["old", "middle", "new"]


@pytest.mark.parametrize(
    "name", ["a.jsonl.tmp-12", "b.tmp-3.jsonl", "c.unreadable-1.jsonl", "d.jsonl.lock", "e.jsonl~"]
)
def test_temporary_names_are_left_out(tmp_path: Path, name: str) -> None:
    put(tmp_path / name)
    put(tmp_path / "kept.jsonl")
    assert is_passing(name)
    assert [path.name for path in walk(tmp_path, lambda _: True)] == ["kept.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a privilege on Windows")
def test_a_symlinked_folder_is_followed_once_and_loops_end(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(tmp_path / "elsewhere" / "one.jsonl")
    put(root / "own" / "two.jsonl")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "again").symlink_to(tmp_path / "elsewhere")
    (root / "own" / "loop").symlink_to(root)
    (root / "dead").symlink_to(tmp_path / "nowhere")
    assert sorted(path.name for path in walk(root, is_jsonl)) == ["one.jsonl", "two.jsonl"]


def test_an_unreadable_folder_hides_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "closed" / "one.jsonl")
    put(tmp_path / "open" / "two.jsonl")
    scandir = os.scandir

    def guarded(folder: Path) -> "os._ScandirIterator[str]":
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)
    assert [path.name for path in walk(tmp_path, is_jsonl)] == ["two.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a privilege on Windows")
def test_a_link_that_leads_to_itself_hides_only_itself(tmp_path: Path) -> None:
    put(tmp_path / "a" / "one.jsonl")
    put(tmp_path / "two.jsonl")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "there").symlink_to("back")
    (tmp_path / "back").symlink_to("there")
    (tmp_path / "a" / "self.jsonl").symlink_to("self.jsonl")
    assert sorted(path.name for path in walk(tmp_path, is_jsonl)) == ["one.jsonl", "two.jsonl"]


class Closed:
    """An entry of a folder that may not be looked at."""

    def __init__(self, entry: "os.DirEntry[str]") -> None:
        self.name = entry.name

    def is_dir(self) -> bool:
        raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("fault", ["entry", "listing"])
def test_an_entry_that_may_not_be_looked_at_hides_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    put(tmp_path / "one.jsonl")
    put(tmp_path / "closed" / "two.jsonl")
    scandir = os.scandir

    @contextlib.contextmanager
    def guarded(folder: Path) -> Iterator[Iterator[object]]:
        with scandir(folder) as entries:
            yield listed(sorted(entries, key=lambda entry: entry.name, reverse=True))

    def listed(entries: list["os.DirEntry[str]"]) -> Iterator[object]:
        for entry in entries:
            if entry.name == "closed" and fault == "listing":
                raise OSError(5, "Input/output error")
            yield Closed(entry) if entry.name == "closed" else entry

    monkeypatch.setattr(os, "scandir", guarded)
    assert [path.name for path in walk(tmp_path, is_jsonl)] == ["one.jsonl"]


def test_a_folder_that_may_not_be_looked_at_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_folder(tmp_path)
    assert not is_file(tmp_path)
    path = put(tmp_path / "file")
    assert is_file(path)
    assert not is_folder(path)
    assert not is_folder(tmp_path / "missing")

    def refused(self: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refused)
    assert not is_folder(tmp_path)
    assert not is_file(path)


def test_a_root_that_does_not_exist_holds_nothing(tmp_path: Path) -> None:
    assert list(walk(tmp_path / "missing", is_jsonl)) == []


def test_a_file_that_vanished_is_a_problem_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    with pytest.raises(FileProblem) as caught:
        look(path)
    assert str(path) in caught.value.message
    assert caught.value.advice
    assert caught.value.key == f"read:{path}"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="is not a file"):
        look(tmp_path)


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A number of times for which opening a file is refused."""
    left = [0]
    real = Path.open

    def guarded(self: Path, mode: str = "r", *args: object, **kwargs: object) -> IO[bytes]:
        if left[0] > 0:
            left[0] -= 1
            raise PermissionError(13, "Permission denied")
        return cast("IO[bytes]", real(self, mode, *args, **kwargs))  # type: ignore[call-overload]  # passed on

    monkeypatch.setattr(Path, "open", guarded)
    yield left
    assert left[0] == 0


def test_a_lock_that_goes_away_is_waited_out(tmp_path: Path, locked: list[int]) -> None:
    path = put(tmp_path / "file", "hello")
    locked[0] = 3
    assert read_range(path, 1, 3) == b"ell"


def test_a_lock_that_stays_is_a_problem(tmp_path: Path, locked: list[int]) -> None:
    path = put(tmp_path / "file", "hello")
    locked[0] = 4
    with pytest.raises(FileProblem, match="cannot be read"):
        read_range(path, 0, 5)


def test_a_range_ends_at_the_end_of_the_file(tmp_path: Path) -> None:
    path = put(tmp_path / "file", "hello")
    assert read_range(path, 3, 100) == b"lo"
    assert read_range(path, 50, 10) == b""


def test_a_cursor_tells_a_longer_file_from_another_one(tmp_path: Path) -> None:
    path = put(tmp_path / "file", "x" * 10_000)
    cursor = cursor_at(path, 9_000, look(path), "")
    assert continues(path, cursor, look(path))
    with path.open("a") as file:
        file.write("more")
    assert continues(path, cursor, look(path))
    path.write_text("y" + "x" * 10_999)
    assert not continues(path, cursor, look(path))  # another head
    path.write_text("x" * 8_999 + "y" + "x" * 2_000)
    assert not continues(path, cursor, look(path))  # another tail
    path.write_text("x" * 8_000)
    assert not continues(path, cursor, look(path))  # shorter


def test_a_file_put_in_the_place_of_another_is_told(tmp_path: Path) -> None:
    path = put(tmp_path / "file", "same")
    cursor = cursor_at(path, 4, look(path), "")
    put(tmp_path / "other", "same and more").replace(path)
    assert not continues(path, cursor, look(path))
