"""The lock of a folder with memory files, shared with other programs: `.memory-write.lock`.

The lock file stays; the system releases the lock when its process ends, however it ends.
"""

import contextlib
import os
import stat
import threading
import time
from pathlib import Path
from typing import Final

import portalocker

from archivist.domain.problems import FileProblem
from archivist.machine.file_faults import LINKED, linked, not_plain
from archivist.machine.folders import Folder
from archivist.texts import tr

LOCK_NAME: Final = ".memory-write.lock"

_POLL: Final = 0.005
_NOTE_BYTES: Final = 200


def acquire(folder: Folder, *, note: str, patience: float, stop: threading.Event) -> int:
    """Lock the folder and return the descriptor of its lock file, in which `note` says who we are.

    Raises FileProblem naming who holds it after `patience` seconds, or at once when `stop` is set.
    """
    end = time.monotonic() + patience
    while True:
        fd = _open_lock(folder)
        try:
            holds = _wait_for(fd, end, stop)
            if not holds:
                raise busy(folder.path, _holder(fd))
            if folder.is_file(LOCK_NAME, fd):
                _leave_note(fd, note)
                return fd
        except BaseException:
            os.close(fd)
            raise
        release(fd)  # somebody deleted the lock file while we waited: lock the one that counts


def _open_lock(folder: Folder) -> int:
    try:
        fd = folder.open_file(LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if error.errno in LINKED:
            raise linked(folder.path / LOCK_NAME) from error
        raise
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        # We write into this file: under a second name it could be anything.
        os.close(fd)
        raise not_plain(folder.path / LOCK_NAME)
    return fd


def _wait_for(fd: int, end: float, stop: threading.Event) -> bool:
    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    while True:
        try:
            portalocker.lock(fd, flags)
            return True
        except portalocker.exceptions.AlreadyLocked:
            if time.monotonic() >= end or stop.wait(_POLL):
                return False


def release(fd: int) -> None:
    """Let the folder go."""
    try:
        portalocker.unlock(fd)
    finally:
        os.close(fd)


def _leave_note(fd: int, note: str) -> None:
    """Write who holds the lock; on a full disk the lock holds all the same."""
    with contextlib.suppress(OSError):
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, note.encode())
        os.ftruncate(fd, len(note.encode()))


def _holder(fd: int) -> str:
    with contextlib.suppress(OSError):  # Windows does not let others read what is locked
        os.lseek(fd, 0, os.SEEK_SET)
        words = os.read(fd, _NOTE_BYTES).decode(errors="replace").split()
        if len(words) == 3:
            program, pid, since = words
            return tr(
                "{program} (process {pid}, since {since})", program=program, pid=pid, since=since
            )
    return tr("another program")


def busy(folder: Path, holder: str) -> FileProblem:
    """Return the problem that somebody keeps a folder locked."""
    return FileProblem(
        tr("{folder} is being written to by {holder}.", folder=folder, holder=holder),
        advice=tr("Try again when it is done; if it hangs, end that program."),
        key="memory-folder-busy",
    )
