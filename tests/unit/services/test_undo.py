import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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


class Number:
    """A thing with a value, to be set, taken back and set again."""

    def __init__(self) -> None:
        self.value = 0

    async def restore(self, inverse: Mapping[str, Any]) -> None:
        self.value = inverse["before"]

    async def repeat(self, inverse: Mapping[str, Any]) -> None:
        self.value = inverse["after"]


async def counted(commands: CommandStore, number: Number, values: Sequence[int]) -> None:
    for value in values:
        inverse: dict[str, object] = {"before": number.value, "after": value}
        await commands.log("settings.set", f"Set {value}", inverse, at=value)
        number.value = value


async def test_redo_goes_forward_through_what_undo_went_back(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        commands, number = CommandStore(archive.database, caller=None), Number()
        undo = Undo(
            commands,
            {"settings": number.restore},
            repeats={"settings": number.repeat},
            clock=archive.clock,
        )
        await counted(commands, number, [1, 2, 3])
        await undo.undo(2)
        assert number.value == 1
        next_one = await undo.next_redo()
        assert next_one is not None
        assert next_one.label == "Set 2"
        assert (await undo.redo()).label == "Set 2"
        assert number.value == 2
        await undo.undo()
        assert number.value == 1
        assert [(await undo.redo()).label for _ in range(2)] == ["Set 2", "Set 3"]
        assert number.value == 3
        assert await undo.next_redo() is None


async def test_a_new_action_ends_what_can_be_done_again(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        commands, number = CommandStore(archive.database, caller=None), Number()
        undo = Undo(
            commands,
            {"settings": number.restore},
            repeats={"settings": number.repeat},
            clock=archive.clock,
        )
        await counted(commands, number, [1, 2])
        await undo.undo()
        await counted(commands, number, [7])
        with pytest.raises(Refused, match="nothing to do again"):
            await undo.redo()
        await undo.undo(2)
        assert [(await undo.redo()).label] == ["Set 1"]


async def test_what_was_passed_over_is_not_done_again(tmp_path: Path) -> None:
    async def refuse(_inverse: Mapping[str, Any]) -> None:
        raise Refused("the file has changed since", advice="edit it by hand")

    async with stored(tmp_path) as archive:
        commands, number = CommandStore(archive.database, caller=None), Number()
        undo = Undo(
            commands,
            {"settings": number.restore, "memory": refuse},
            repeats={"settings": number.repeat},
            clock=archive.clock,
        )
        await counted(commands, number, [1])
        await commands.log("memory.apply", "Write", {"write": 1}, at=5)
        assert [c.label for c in await undo.undo(1, passing_over=True)] == ["Set 1"]
        assert (await undo.redo()).label == "Set 1"
        assert await undo.next_redo() is None


async def test_what_cannot_be_done_again_says_so_and_stays_taken_back(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        commands, number = CommandStore(archive.database, caller=None), Number()
        undo = Undo(commands, {"settings": number.restore}, clock=archive.clock)
        await counted(commands, number, [1])
        await undo.undo()
        with pytest.raises(Refused, match="only be taken back"):
            await undo.redo()
        assert number.value == 0
        assert await undo.commands() == []


async def test_two_undos_at_once_take_back_two_commands(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        commands, number = CommandStore(archive.database, caller=None), Number()

        async def restore_slowly(inverse: Mapping[str, Any]) -> None:
            for _ in range(5):
                await commands.last(1)
            await number.restore(inverse)

        undo = Undo(commands, {"settings": restore_slowly}, clock=archive.clock)
        await counted(commands, number, [1, 2, 3])
        done = await asyncio.gather(undo.undo(), undo.undo())
        assert [c.label for each in done for c in each] == ["Set 3", "Set 2"]
        assert number.value == 1


async def test_a_command_bears_the_program_that_asked_for_it(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await CommandStore(archive.database, caller="zsh").log("settings.a", "Set 1", {}, at=1)
        undo = Undo(
            CommandStore(archive.database, caller="windows"),
            {},
            clock=archive.clock,
            caller="windows",
        )
        theirs = await undo.newest()
        assert theirs.caller == "zsh"
        assert not undo.is_ours(theirs)
        await CommandStore(archive.database, caller="windows").log("settings.a", "Set 2", {}, at=2)
        assert undo.is_ours(await undo.newest())


async def test_only_what_was_shown_as_the_newest_is_taken_back(tmp_path: Path) -> None:
    async def take(_inverse: object) -> None:
        pass

    async with stored(tmp_path) as archive:
        commands = CommandStore(archive.database, caller=None)
        undo = Undo(commands, {"settings": take}, clock=archive.clock)
        with pytest.raises(Refused, match="nothing to undo"):
            await undo.newest()
        await commands.log("settings.a", "Set 1", {}, at=1)
        shown = await undo.newest()
        await commands.log("settings.a", "Set 2", {}, at=2)
        with pytest.raises(Refused, match="meanwhile"):
            await undo.undo_only(shown)
        assert (await undo.undo_only(await undo.newest())).label == "Set 2"
        assert (await undo.undo_only(shown)).label == "Set 1"
        assert await undo.commands() == []
