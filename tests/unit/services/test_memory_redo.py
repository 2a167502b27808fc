from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from archivist.domain.problems import Refused
from archivist.services.memory_redo import repeat
from archivist.services.undo import Undo
from archivist.store.command_store import CommandStore
from helpers.memory_files import Memory, memory


@dataclass(slots=True)
class Here:
    memory: Memory
    undo: Undo

    async def labels(self) -> list[str]:
        return [command.label for command in await self.undo.commands()]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Here]:
    async with memory(folder) as here:
        service = here.service

        async def again(inverse: Mapping[str, Any]) -> None:
            await repeat(service, inverse)

        commands = CommandStore(here.database, caller="pytest")
        undo = Undo(
            commands, {"memory": service.restore}, repeats={"memory": again}, clock=here.clock
        )
        yield Here(here, undo)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    return folder / "MEMORY.md"


async def test_a_write_is_taken_back_and_done_again_to_the_byte(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        proposal, hunks = await here.memory.propose(target, ["First rule", "Second rule"])
        await here.memory.service.apply(proposal, [hunks[0]])
        after = target.read_bytes()
        labels = await here.labels()
        await here.undo.undo()
        assert b"First rule" not in target.read_bytes()
        assert (await here.undo.redo()).label == f"Write 1 change to {target}"
        assert target.read_bytes() == after
        assert await here.labels() == labels  # the copy that the writing logged is folded in
        await here.undo.undo()
        assert target.read_bytes() == b"# Notes\n\n## Preferences\n- Mine\n"


async def test_redo_goes_on_behind_a_write(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        proposal, hunks = await here.memory.propose(target, ["First rule", "Second rule"])
        await here.memory.service.apply(proposal, [hunks[0]])
        await here.memory.service.reject([hunks[1]])
        labels = await here.labels()
        await here.undo.undo(2)
        assert [h.id for h in (await here.memory.only()).hunks] == hunks
        await here.undo.redo()
        await here.undo.redo()
        assert target.read_bytes() == b"## Preferences\n- Mine\n- First rule\n"
        assert await here.memory.service.proposals() == []
        assert await here.labels() == labels
        with pytest.raises(Refused, match="nothing to do again"):
            await here.undo.redo()


async def test_a_hand_edit_in_between_is_kept(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        proposal, hunks = await here.memory.propose(target, ["First rule"])
        await here.memory.service.apply(proposal, hunks)
        await here.undo.undo()
        target.write_bytes(b"# By hand\n\n" + target.read_bytes())
        await here.undo.redo()
        assert target.read_bytes() == b"# By hand\n\n## Preferences\n- Mine\n- First rule\n"


async def test_a_file_that_no_longer_fits_is_left_alone(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        proposal, hunks = await here.memory.propose(target, ["First rule"])
        await here.memory.service.apply(proposal, hunks)
        await here.undo.undo()
        target.unlink()
        with pytest.raises(Refused, match="was deleted"):
            await here.undo.redo()
        assert not target.exists()


async def test_what_is_no_longer_proposed_is_not_written(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        proposal, hunks = await here.memory.propose(target, ["First rule"])
        await here.memory.service.apply(proposal, hunks)
        await here.undo.undo()
        async with here.memory.database.write() as connection:
            await connection.execute("update lesson set state = 'rejected'")
        await here.memory.service.propose()
        with pytest.raises(Refused, match="no longer proposed"):
            await here.undo.redo()
        assert target.read_bytes() == b"## Preferences\n- Mine\n"


async def test_the_file_that_was_written_is_written_again_and_no_other(
    tmp_path: Path, target: Path
) -> None:
    other = tmp_path / "another" / "MEMORY.md"
    other.parent.mkdir()
    for file in (target, other):
        file.write_bytes(b"## Preferences\n- Mine\n")
    async with opened(tmp_path) as here:
        await here.memory.service.enable(other)
        await here.memory.keep(["A rule"])
        await here.memory.service.enable(target)
        found = (await here.memory.service.propose()).proposals
        assert [proposal.file for proposal in found] == [str(other), str(target)]
        await here.memory.service.apply(found[1].id, [hunk.id for hunk in found[1].hunks])
        await here.undo.undo()
        await here.undo.redo()
        assert b"A rule" in target.read_bytes()
        assert b"A rule" not in other.read_bytes()


async def test_choosing_a_file_is_done_again(tmp_path: Path, target: Path) -> None:
    async with opened(tmp_path) as here:
        await here.memory.service.enable(target, project="/code")
        await here.memory.service.disable(target)
        await here.undo.undo(2)
        assert await here.memory.service.targets() == []
        await here.undo.redo()
        assert [t.project for t in await here.memory.service.targets()] == ["/code"]
        await here.undo.redo()
        assert await here.memory.service.targets() == []


async def test_what_an_older_version_logged_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as here:
        with pytest.raises(Refused, match="only be taken back"):
            await repeat(here.memory.service, {"write": 1})
