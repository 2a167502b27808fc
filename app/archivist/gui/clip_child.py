"""The clipboard as a process of its own looks at it, under X11.

Qt reads there in the thread of the windows and waits up to five seconds for a program that holds
the clipboard and hangs. A process that waits in its place can be given up.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtGui import QGuiApplication

from archivist.gui.clip_sight import Sight, Silent, packed, seen, unpacked

WORKER: Final = "clipboard"
SECONDS: Final = 3.0
"""With its start, which takes half a second; the command line waits for five."""


class ClipChild:
    """Looks in a process that ends with the answer, or is ended when none comes."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment

    async def look(self) -> Sight:
        """Return what other programs hold; Silent when their answer does not come in time."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environment),
        )
        try:
            async with asyncio.timeout(SECONDS):
                found, _ = await process.communicate()
        except TimeoutError:
            return Silent()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        return unpacked(found)


def main() -> int:
    """Be that process: write what is seen to stdout. Nothing of it goes anywhere else."""
    QGuiApplication(["archivist"])
    sys.stdout.buffer.write(packed(seen(QGuiApplication.clipboard())))
    sys.stdout.buffer.flush()
    return 0
