"""Open a file or a folder with the system's own program for it.

A frozen program runs with library paths of its own; a foreign program must not inherit them.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from archivist.domain.problems import FileProblem
from archivist.texts import tr

_LIBRARIES: Final = (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "LIBPATH",
)
_OURS: Final = ("QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML2_IMPORT_PATH")
_SUFFIX: Final = "_ORIG"
_LOOKS: Final = 40
_APART: Final = 0.05


def environment_for_others(ours: Mapping[str, str], *, is_frozen: bool) -> dict[str, str]:
    """Return the environment as it was before the frozen program's start changed it.

    PyInstaller keeps the old value beside the new one; where it kept none there was none.
    """
    theirs = dict(ours)
    for name in _LIBRARIES:
        original = theirs.pop(name + _SUFFIX, None)
        if original:
            theirs[name] = original
        elif original is not None or is_frozen:
            theirs.pop(name, None)
    if is_frozen:
        for name in _OURS:
            theirs.pop(name, None)
    return theirs


class SystemOpener:
    """Starts `xdg-open`, `open` or the Windows shell. `environment` is that of this process."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        command: Sequence[str] | None = None,
        is_frozen: bool | None = None,
    ) -> None:
        self._environment = environment
        self._command = command or (["open"] if sys.platform == "darwin" else ["xdg-open"])
        self._is_frozen = getattr(sys, "frozen", False) if is_frozen is None else is_frozen
        self._running: list[subprocess.Popen[bytes]] = []

    async def open(self, path: Path) -> None:
        """Show a file or folder. Raises FileProblem when no program opens it."""
        self._running = [child for child in self._running if child.poll() is None]
        try:
            if sys.platform == "win32":
                os.startfile(path)  # noqa: S606 - a recorded file, never a command
                return
            child = await asyncio.to_thread(self._start, path)
        except OSError as error:
            raise _unopened(path, str(error.strerror)) from error
        self._running.append(child)
        for _ in range(_LOOKS):
            if (code := child.poll()) is not None:
                if code:
                    raise _unopened(path, tr("{program} gave up", program=self._command[0]))
                return
            await asyncio.sleep(_APART)

    def _start(self, path: Path) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*self._command, str(path.absolute())],
            env=environment_for_others(self._environment, is_frozen=self._is_frozen),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _unopened(path: Path, why: str) -> FileProblem:
    return FileProblem(
        tr("No program opens {path} ({why}).", path=path, why=why),
        advice=tr("Choose a program for such files in the system's settings, or open it yourself."),
        key="nothing-opens",
    )
