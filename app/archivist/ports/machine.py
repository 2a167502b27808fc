"""What the services need of the machine besides files."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

Message: TypeAlias = Mapping[str, Any]
"""One JSON line between two processes of the same profile."""

ENDING: Final[Message] = MappingProxyType({"ok": False, "error": "ending"})
"""The answer of an app that is about to end: whoever asks may soon take its place."""


class Projects(Protocol):
    """Names the project of a working folder."""

    def project_of(self, cwd: str) -> str:
        """Return the root of the git work tree that holds `cwd`, or `cwd` itself, as recorded."""


class Clock(Protocol):
    """The time; the domain never asks for it."""

    def __call__(self) -> int:
        """Return now in UTC milliseconds."""


class Instance(Protocol):
    """The running app of the profile, this process or another."""

    def held(self) -> AbstractContextManager[bool]:
        """Hold the profile's lock; gives False when another app holds it."""

    def listening(
        self, answer: Callable[[Message], Awaitable[Message]]
    ) -> AbstractAsyncContextManager[None]:
        """Answer JSON lines while the context lasts. Call it only while holding the lock."""

    async def ask(self, message: Message) -> Message | None:
        """Ask the running app; None when none answers."""


class Opener(Protocol):
    """The system's own programs for files and folders."""

    async def open(self, path: Path) -> None:
        """Show a file or folder. Raises FileProblem when no program opens it."""
