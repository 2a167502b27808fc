"""An open folder whose files are reached through it, so that no swapped link leads elsewhere.

Where the system has no folder descriptors (Windows), paths are used and checked around each use.
"""

import contextlib
import errno
import os
import stat
import sys
import time
from pathlib import Path
from typing import Final, Self

_HAS_DESCRIPTORS: Final = {os.access, os.open, os.rename, os.stat, os.unlink} <= os.supports_dir_fd

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BASE: Final = _NOFOLLOW | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# A pipe in the place of the file must not make the opening wait for its other end.
_NONBLOCK: Final = getattr(os, "O_NONBLOCK", 0)
_FOLDER: Final = _BASE | getattr(os, "O_DIRECTORY", 0)
# Folders on the way need only be entered, not listed; systems without O_PATH want them readable.
_ON_THE_WAY: Final = _FOLDER | getattr(os, "O_PATH", os.O_RDONLY)

_CLOSED: Final = -1
_SHARING_WAITS: Final = (0.02, 0.05, 0.1, 0.2, 0.4)


class Folder:
    """An open folder. Its methods raise OSError; a link in the place of a file gives ELOOP."""

    def __init__(self, path: Path, descriptor: int | None, identity: tuple[int, int]) -> None:
        self.path = path
        self.identity = identity
        self._fd = descriptor

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a resolved folder; OSError when a part of its path is a link or is gone."""
        descriptor = _walk(path) if _HAS_DESCRIPTORS else None
        found = os.lstat(path) if descriptor is None else os.fstat(descriptor)
        if descriptor is None and (is_link(found) or Path(os.path.realpath(path)) != path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return cls(path, descriptor, (found.st_dev, found.st_ino))

    def close(self) -> None:
        """Close it; its other methods must not be called afterwards."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = _CLOSED

    def _where(self, name: str) -> str:
        return name if self._fd is not None else os.path.join(self.path, name)  # noqa: PTH118

    def stat(self, name: str) -> os.stat_result | None:
        """Return what stands under a name (a link itself, not its target), None when nothing."""
        try:
            return os.stat(self._where(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file in the folder and return its descriptor; links are never followed."""
        if self._fd is None:
            self._refuse_link(name)
        fd = os.open(self._where(name), flags | _BASE | _NONBLOCK, mode, dir_fd=self._fd)
        if self._fd is None and not self.is_file(name, fd):
            os.close(fd)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return fd

    def _refuse_link(self, name: str) -> None:
        found = self.stat(name)
        if found is not None and is_link(found):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)

    def is_file(self, name: str, fd: int) -> bool:
        """Tell whether an open file still stands under its name."""
        found = self.stat(name)
        return found is not None and os.path.samestat(found, os.fstat(fd))

    def may_write(self, name: str) -> bool:
        """Tell whether a file, that is no link, lets us write; read-only binds root as well."""
        found = self.stat(name)
        if found is None:
            return True
        bits = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
        return bool(found.st_mode & bits) and os.access(self._where(name), os.W_OK, dir_fd=self._fd)

    def replace(self, source: str, name: str) -> None:
        """Put one file of the folder in the place of another, in one step."""
        for wait in (*_SHARING_WAITS, None):
            try:
                os.replace(
                    self._where(source),
                    self._where(name),
                    src_dir_fd=self._fd,
                    dst_dir_fd=self._fd,
                )
                return
            except PermissionError:
                # Windows refuses while a scanner or an editor has the file open for a moment.
                if sys.platform != "win32" or wait is None:
                    raise
                time.sleep(wait)

    def unlink(self, name: str) -> None:
        """Delete a file of the folder; none is no error."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._where(name), dir_fd=self._fd)

    def names(self) -> list[str]:
        """Return the names in the folder."""
        return os.listdir(self.path if self._fd is None else self._fd)  # noqa: PTH208 - descriptor

    def is_in_place(self) -> bool:
        """Tell whether the path still leads to this folder, without any link."""
        try:
            again = Folder.open(self.path)
        except OSError:
            return False
        again.close()
        return again.identity == self.identity

    def sync(self) -> None:
        """Make names durable, where the system can."""
        if self._fd is not None:
            with contextlib.suppress(OSError):  # some network file systems cannot, and need not
                os.fsync(self._fd)


def is_link(found: os.stat_result) -> bool:
    """Tell whether this is a symbolic link or, on Windows, any reparse point."""
    attributes = getattr(found, "st_file_attributes", 0)
    reparse = attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)
    return stat.S_ISLNK(found.st_mode) or bool(reparse)


def _walk(path: Path) -> int:
    """Open a folder part by part, following no link on the way."""
    parts = path.parts
    fd = os.open(parts[0], _ON_THE_WAY if len(parts) > 1 else _FOLDER)
    for number, part in enumerate(parts[1:], start=2):
        try:
            deeper = os.open(part, _FOLDER if number == len(parts) else _ON_THE_WAY, dir_fd=fd)
        finally:
            os.close(fd)
        fd = deeper
    return fd
