"""What the system's errors about a person's file mean, in sentences for the person."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from archivist.domain.problems import FileProblem, Problem, Refused
from archivist.texts import tr

LINKED: Final = {errno.ELOOP, errno.EMLINK}

_FULL: Final = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DENIED: Final = {errno.EACCES, errno.EPERM, errno.EROFS}
_GONE: Final = {errno.ENOENT, errno.ENOTDIR, getattr(errno, "ESTALE", errno.ENOENT)}


def linked(path: Path) -> Refused:
    """Return the refusal to write through a symbolic link."""
    return Refused(
        tr("{path} is a symbolic link, and links are not written through.", path=path),
        advice=tr("Choose the file that it leads to, or put a plain file in its place."),
    )


def not_plain(path: Path) -> Refused:
    """Return the refusal to write to a folder, a pipe or a device."""
    return Refused(
        tr("{path} is not a plain file.", path=path),
        advice=tr("Put a plain file in its place, then try again."),
    )


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn the system's errors into Problems."""
    try:
        yield
    except OSError as error:
        raise _told(error, path) from error


def _told(error: OSError, path: Path) -> Problem:
    if error.errno in _FULL:
        return FileProblem(
            tr("The disk has no room to write {path}.", path=path),
            advice=tr("Free some space and try again; the file is as it was."),
            key="disk-full",
        )
    if error.errno in LINKED:
        return linked(path)
    if error.errno in _DENIED:
        return FileProblem(
            tr("{path} cannot be written: it or its folder is read-only.", path=path),
            advice=tr("Allow writing to both, or close the program that has it open."),
        )
    if error.errno in _GONE:
        return FileProblem(
            tr("The folder of {path} is gone, or a part of it is a link now.", path=path),
            advice=tr("Put it back, or choose the memory file again where it is now."),
        )
    return FileProblem(
        tr("{path} cannot be read or written ({reason}).", path=path, reason=error.strerror),
        advice=tr("Check the disk and the folder, then try again."),
    )
