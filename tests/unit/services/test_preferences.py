from pathlib import Path

import pytest

from archivist.domain.problems import Refused
from archivist.services.preferences import Preferences
from archivist.services.undo import Undo
from archivist.settings import SettingsFile
from archivist.store.command_store import CommandStore
from helpers.stored import Stored, stored


def made(archive: Stored, folder: Path) -> tuple[Preferences, Undo, SettingsFile]:
    file = SettingsFile(folder / "settings.toml", {})
    commands = CommandStore(archive.database, caller=None)
    preferences = Preferences(file, commands, clock=archive.clock)
    undo = Undo(
        commands,
        {"settings": preferences.restore},
        repeats={"settings": preferences.repeat},
        clock=archive.clock,
    )
    return preferences, undo, file


async def test_a_change_is_written_logged_and_taken_back(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        preferences, undo, file = made(archive, tmp_path)
        assert await preferences.set("archive.idle_minutes", "3") == 3
        assert await preferences.set("sources.off", "codex") == ("codex",)
        assert await preferences.set("archive.idle_minutes", "4") == 4
        await undo.undo()
        assert file.read()[0].idle_minutes == 3
        await undo.undo(2)
        assert (file.read()[0].idle_minutes, file.read()[0].sources_off) == (10, ())


async def test_a_bad_value_is_neither_written_nor_logged(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        preferences, undo, _ = made(archive, tmp_path)
        with pytest.raises(Refused):
            await preferences.set("archive.idle_minutes", "soon")
        assert not (tmp_path / "settings.toml").exists()
        assert await undo.commands() == []


async def test_a_change_that_was_taken_back_is_made_again(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        preferences, undo, file = made(archive, tmp_path)
        await preferences.set("archive.idle_minutes", "3")
        await preferences.set("archive.idle_minutes", None)
        await undo.undo(2)
        assert (await undo.redo()).label == "Set archive.idle_minutes to 3"
        assert file.read()[0].idle_minutes == 3
        await undo.redo()
        assert file.read()[0].idle_minutes == 10
        with pytest.raises(Refused, match="only be taken back"):
            await preferences.repeat({"key": "archive.idle_minutes", "value": 3})
