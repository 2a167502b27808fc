"""What every window is given: the services, who runs its work, and the way to the other windows."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from archivist.gui.look import Look
from archivist.gui.places import Room, Thing
from archivist.gui.remembered import Remembered
from archivist.gui.signals import Signals
from archivist.services.activity import Running
from archivist.services.facade import Services
from archivist.services.supervise import Supervisor


class Go(Protocol):
    """Opens a window."""

    def __call__(self, room: Room, thing: Thing = None) -> None:
        """Bring a window to the front, at a thing in it."""


class Clipboard(Protocol):
    """The system's clipboard, as far as windows write to it."""

    def put(self, text: str) -> None:
        """Copy a text, and know it as ours."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The surroundings of a window. Everything it does goes through here."""

    services: Services
    supervisor: Supervisor
    signals: Signals
    look: Look
    remembered: Remembered
    go: Go
    quit: Callable[[], None]
    running: Running
    clipboard: Clipboard
    save_clipboard: Callable[[], None]

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run work in the background; what it raises is reported, never lost."""
        return self.supervisor.spawn(work, name=name)
