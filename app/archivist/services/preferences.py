"""Change settings: each change is written at once, logged, and can be taken back."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from archivist.ports.machine import Clock
from archivist.ports.stores import Commands
from archivist.services.undo import cannot_repeat
from archivist.texts import tr


class SettingsFile(Protocol):
    """The settings on disk and what is valid in them."""

    def change(self, key: str, value: object | None) -> tuple[object | None, object]:
        """Set a key, or take it out for None; return the value it had in the file and the new one.

        Raises Refused for an unknown key or a bad value, Problem when the file cannot be written.
        """


class Preferences:
    """What `settings set` and the settings window call."""

    def __init__(self, file: SettingsFile, commands: Commands, *, clock: Clock) -> None:
        self._file = file
        self._commands = commands
        self._clock = clock

    async def set(self, key: str, value: object | None) -> object:
        """Change a setting and return its new value; None brings back the default."""
        before, after = await asyncio.to_thread(self._file.change, key, value)
        label = tr("Set {key} to {value}", key=key, value=after)
        inverse = {"key": key, "value": before, "again": value}
        await self._commands.log("settings.set", label, inverse, at=self._clock())
        return after

    async def restore(self, inverse: Mapping[str, Any]) -> None:
        """Take a change back."""
        await asyncio.to_thread(self._file.change, inverse["key"], inverse["value"])

    async def repeat(self, inverse: Mapping[str, Any]) -> None:
        """Make a change again that was taken back. Raises Refused where the log has no value."""
        if "again" not in inverse:  # written by a version that could only undo
            raise cannot_repeat()
        await asyncio.to_thread(self._file.change, inverse["key"], inverse["again"])
