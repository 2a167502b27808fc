"""Transcript files on disk: found below a root, looked at, and read in ranges without a lock."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Cursor
from archivist.texts import tr

_WAITS: Final = (0.05, 0.1, 0.2)
"""Seconds between tries while another program holds the file (Windows: writer or virus scanner)."""

HEAD: Final = 64 * 1024
"""So much of a file is enough to tell its source."""

_SAMPLE: Final = 4096
_PASSING: Final = re.compile(r"\.tmp-|\.unreadable-|\.lock$|~$")

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Look:
    """What a file looks like now."""

    size: int
    mtime_ns: int
    identity: str


def look(path: Path) -> Look:
    """Return what a file looks like now. Raises FileProblem."""
    found = _patiently(path, path.stat)
    if not stat.S_ISREG(found.st_mode):
        raise FileProblem(
            tr("{path} is not a file.", path=readable(path)),
            advice=tr("Name a transcript, or the folder that holds it."),
            key=f"read:{readable(path)}",
        )
    return Look(found.st_size, found.st_mtime_ns, f"{found.st_dev}:{found.st_ino}")


def read_range(path: Path, start: int, length: int) -> bytes:
    """Return bytes of a file, fewer at its end. Opened and closed at once. Raises FileProblem."""

    def read() -> bytes:
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            parts = []
            left = length
            while left and (part := file.read(left)):
                parts.append(part)
                left -= len(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)

    return _patiently(path, read)


def _patiently(path: Path, action: Callable[[], _Result]) -> _Result:
    """Do something with a file; try again while it is locked."""
    for wait in (*_WAITS, None):
        try:
            return action()
        except PermissionError as error:
            if wait is None:
                raise _problem(path, error) from error
            time.sleep(wait)
        except OSError as error:
            raise _problem(path, error) from error
    raise AssertionError


def _problem(path: Path, error: OSError) -> FileProblem:
    name = readable(path)
    key = f"read:{name}"
    if isinstance(error, FileNotFoundError):
        return FileProblem(
            tr("{path} is no longer there.", path=name),
            advice=tr("Nothing to do: what was read of it is kept."),
            key=key,
        )
    return FileProblem(
        tr("{path} cannot be read ({reason}).", path=name, reason=error.strerror or "?"),
        advice=tr("Check that you may read it and that no other program holds it, then try again."),
        key=key,
    )


def cursor_at(path: Path, offset: int, seen: Look, mark: str) -> Cursor:
    """Return the cursor for a file of which everything before `offset` was read."""
    head, tail = _samples(path, offset)
    return Cursor(offset, seen.size, seen.mtime_ns, seen.identity, head, tail, mark)


def continues(path: Path, since: Cursor, now: Look) -> bool:
    """Tell whether a file is still the one of the cursor, only longer."""
    if now.identity != since.identity or now.size < since.offset:
        return False
    return _samples(path, since.offset) == (since.head, since.tail)


def _samples(path: Path, offset: int) -> tuple[str, str]:
    size = min(_SAMPLE, offset)
    head = read_range(path, 0, size)
    tail = head if offset <= _SAMPLE else read_range(path, offset - size, size)
    return hashlib.sha256(head).hexdigest(), hashlib.sha256(tail).hexdigest()


def head_of(path: Path) -> bytes:
    """Return the beginning of a file, by which its source is told; nothing of an unreadable one."""
    try:
        return read_range(path, 0, HEAD)
    except FileProblem:
        return b""


def readable(name: str | Path) -> str:
    r"""Return a name or path as text that can be stored; bytes that are no UTF-8 as `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_passing(name: str) -> bool:
    """Tell a temporary, backup or lock file by its name."""
    return _PASSING.search(name) is not None


def walk(root: Path, wanted: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield the wanted files below a root, oldest change first, each once.

    Symlinked folders are followed, each folder once; what cannot be looked at is left out alone.
    """
    found: dict[str, tuple[int, Path]] = {}
    for path in below(root, set()):
        if is_passing(path.name) or not wanted(path):
            continue
        try:
            about = path.stat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            found.setdefault(f"{about.st_dev}:{about.st_ino}", (about.st_mtime_ns, path))
    for _, path in sorted(found.values()):
        yield path


def below(folder: Path, been: set[tuple[int, int]]) -> Iterator[Path]:
    """Yield all files below a folder; `been` holds the folders that were walked already.

    A folder that cannot be read, and an entry that cannot be looked at, hide only themselves.
    """
    listed: list[tuple[str, bool]] = []
    try:
        about = folder.stat()
        place = (about.st_dev, about.st_ino)
        if place in been:
            return
        been.add(place)
        with os.scandir(folder) as entries:
            listed.extend((entry.name, _leads_on(entry)) for entry in entries)
    except OSError:
        pass  # what was listed before the fault is there
    for name, leads_on in sorted(listed):
        if leads_on:
            yield from below(folder / name, been)
        else:
            yield folder / name


def _leads_on(entry: "os.DirEntry[str]") -> bool:
    """Tell whether an entry is a folder; a link that loops or leads where we may not is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Tell whether a folder is there; one that cannot be looked at is none.

    `Path.is_dir` raises PermissionError before Python 3.14.
    """
    return stat.S_ISDIR(_mode(path))


def is_file(path: Path) -> bool:
    """Tell whether a file is there; one that cannot be looked at is none."""
    return stat.S_ISREG(_mode(path))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
