from pathlib import Path

import pytest

from archivist.domain.problems import Refused, Stopped
from archivist.services.undo import Undo
from archivist.store.command_store import CommandStore
from helpers.stored import stored


async def test_an_inverse_that_fails_leaves_its_command_standing(tmp_path: Path) -> None:
    async def refuse(_inverse: object) -> None:
        raise Refused("the file has changed since", advice="restore it by hand")

    async with stored(tmp_path) as archive:
        commands = CommandStore(archive.database, caller=None)
        await commands.log("memory.apply", "Write 1 hunk", {"write": 1}, at=1)
        undo = Undo(commands, {"memory": refuse}, clock=archive.clock)
        with pytest.raises(Refused, match="has changed"):
            await undo.undo()
        assert [command.label for command in await undo.commands()] == ["Write 1 hunk"]


async def test_what_was_taken_back_before_a_stop_is_named_and_stays(tmp_path: Path) -> None:
    async def take(_inverse: object) -> None:
        pass

    async def refuse(_inverse: object) -> None:
        raise Refused("the file has changed since", advice="edit it by hand")

    async with stored(tmp_path) as archive:
        commands = CommandStore(archive.database, caller=None)
        for name in ("settings.first", "memory.apply", "settings.last"):
            await commands.log(name, name, {}, at=1)
        undo = Undo(commands, {"memory": refuse, "settings": take}, clock=archive.clock)
        with pytest.raises(Stopped) as caught:
            await undo.undo(3)
        assert caught.value.done == ("settings.last",)
        assert [c.label for c in await undo.commands()] == ["memory.apply", "settings.first"]
        assert [c.label for c in await undo.undo(1, passing_over=True)] == ["settings.first"]
        with pytest.raises(Refused, match="nothing to undo"):
            await undo.undo()


async def test_a_command_is_taken_back_once(tmp_path: Path) -> None:
    taken: list[object] = []

    async def take(inverse: object) -> None:
        taken.append(inverse)

    async with stored(tmp_path) as archive:
        commands = CommandStore(archive.database, caller=None)
        for number in (1, 2):
            await commands.log("settings.set", f"Set {number}", {"n": number}, at=number)
        undo = Undo(commands, {"settings": take}, clock=archive.clock)
        assert [c.label for c in await undo.undo(5)] == ["Set 2", "Set 1"]
        assert taken == [{"n": 2}, {"n": 1}]
        assert not await commands.mark_undone(1, at=5)
