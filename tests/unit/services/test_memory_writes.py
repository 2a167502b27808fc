import os
import sys
from pathlib import Path

import pytest

from archivist.domain.problems import FileProblem, Refused
from archivist.domain.proposals import HunkId, WriteState
from archivist.services.bus import ProposalsChanged
from archivist.store.file_writes import WriteStore
from helpers.memory_files import Memory, memory

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path.resolve() / "project" / "MEMORY.md"


# Writing


async def test_the_chosen_hunks_are_written_and_the_others_wait(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\r\n\r\n## Preferences\r\n* Mine")
    async with memory(tmp_path) as here:
        told: list[object] = []
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        here.bus.listen(ProposalsChanged, told.append)
        proposal = (await here.only()).id
        done = await here.service.apply(proposal, [second, second])
        assert target.read_bytes() == b"# Notes\r\n\r\n## Preferences\r\n* Mine\r\n* Second rule"
        assert (done.written, done.path) == (1, str(target))
        assert done.sha256 == (await here.rows("select after_sha from file_write"))[0][0]
        assert [h.id for h in (await here.only()).hunks] == [first]
        assert told == [ProposalsChanged()]
        assert await here.last_command() == (
            "memory.apply",
            f"Write 1 change to {target}",
            {"write": done.write, "again": [second]},
        )
        await here.service.apply(proposal, [first])
        assert await here.service.proposals() == []
        assert await here.rows("select state from proposal") == [("applied",)]


async def test_what_was_written_is_not_proposed_again_even_if_deleted_by_hand(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        await here.service.apply((await here.only()).id, hunks)
        target.write_bytes(b"# Cleared by hand\n")
        assert (await here.service.propose()).proposals == ()


async def test_only_waiting_hunks_of_that_proposal_can_be_written(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        proposal = (await here.only()).id
        await here.service.apply(proposal, [first])
        for hunks, message in ((), "No change"), ((99,), "no change 99"), ((first,), "Already"):
            with pytest.raises(Refused, match=message):
                await here.service.apply(proposal, hunks)
        with pytest.raises(Refused, match="no open proposal 9"):
            await here.service.apply(9, [second])
        assert target.read_bytes() == b"## Preferences\n\n- First rule\n"
        assert len(await here.service.history()) == 1


async def test_a_bullet_typed_by_hand_meanwhile_is_not_doubled(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        target.write_bytes(b"# Notes\n- a rule.\n")
        done = await here.service.apply((await here.only()).id, hunks)
        assert target.read_bytes() == b"# Notes\n- a rule.\n"
        assert await here.service.proposals() == []
        await here.service.undo_write(done.write)
        assert target.read_bytes() == b"# Notes\n- a rule.\n"


async def test_a_conflict_writes_nothing(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n\n- Mine\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        target.write_bytes(b"# Notes\n\nRewritten.\n")
        proposal = (await here.only()).id
        with pytest.raises(Refused, match="same place") as caught:
            await here.service.apply(proposal, hunks)
        assert "memory propose" in caught.value.advice
        target.unlink()
        with pytest.raises(Refused, match="deleted"):
            await here.service.apply(proposal, hunks)
        assert not target.exists()
        assert await here.rows("select count(*) from file_write") == [(0,)]
        await here.service.propose()
        await here.service.apply(proposal, hunks)
        assert target.read_bytes() == b"## Preferences\n\n- A rule\n"


async def test_a_file_that_went_bad_is_not_written(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        proposal = (await here.only()).id
        for data, message in ((b"\xff", "UTF-8"), (b"<!-- open", "line 1")):
            target.write_bytes(data)
            with pytest.raises(Refused, match=message):
                await here.service.apply(proposal, hunks)
            assert target.read_bytes() == data


@POSIX
async def test_a_read_only_file_leaves_no_plan(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        target.chmod(0o444)
        with pytest.raises(FileProblem, match="read-only"):
            await here.service.apply((await here.only()).id, hunks)
        assert await here.rows("select count(*) from file_write") == [(0,)]
        target.chmod(0o644)
        await here.service.apply((await here.only()).id, hunks)


async def test_an_edit_in_the_last_moment_is_merged(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write_bytes(b"# Notes\n")
    edits = [b"# Notes\nthird\n", b"# Notes\nsecond\n", b"# Notes\nfirst\n"]
    real = os.fsync

    def edit(fd: int) -> None:
        if edits:
            target.write_bytes(edits.pop())
        real(fd)

    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        proposal = (await here.only()).id
        monkeypatch.setattr(os, "fsync", edit)
        await here.service.apply(proposal, hunks)
        assert target.read_bytes() == b"# Notes\nthird\n\n## Preferences\n\n- A rule\n"
        assert await here.rows("select count(*) from file_write") == [(1,)]


async def test_a_file_that_never_rests_is_left_alone(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, count = os.fsync, iter(range(100))

    def edit(fd: int) -> None:
        target.write_bytes(b"edit %d" % next(count))
        real(fd)

    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        monkeypatch.setattr(os, "fsync", edit)
        with pytest.raises(FileProblem, match="all the time"):
            await here.service.apply((await here.only()).id, hunks)
        assert target.read_bytes() == b"edit 4"
        assert await here.rows("select count(*) from file_write") == [(0,)]


# Taking back


@pytest.mark.parametrize(
    "before",
    [None, b"", b"# Notes", b"\xef\xbb\xbf# Notes\r\n\r\n## Preferences\r\n* Mine", b"a\rb\r"],
)
async def test_undo_restores_the_bytes(tmp_path: Path, target: Path, before: bytes | None) -> None:
    if before is not None:
        target.write_bytes(before)
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        await here.service.apply((await here.only()).id, [first, second])
        inverse = (await here.last_command())[2]
    async with memory(tmp_path) as here:  # it survives a restart
        await here.service.restore(inverse)
        assert (target.read_bytes() if target.exists() else None) == before
        assert [h.id for h in (await here.only()).hunks] == [first, second]
        assert [w.state for w in await here.service.history()] == [WriteState.UNDONE]
        await here.service.restore(inverse)
        assert await here.rows("select count(*) from command where undone_at is null") == [(1,)]
        await here.service.apply((await here.only()).id, [second])
        assert b"Second rule" in target.read_bytes()


async def test_an_older_write_can_be_taken_back_first(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        proposal = (await here.only()).id
        one = await here.service.apply(proposal, [first])
        two = await here.service.apply(proposal, [second])
        await here.service.undo_write(one.write)
        assert target.read_bytes() == b"## Preferences\n\n- Second rule\n"
        assert [h.id for h in (await here.only()).hunks] == [first]
        await here.service.undo_write(two.write)
        assert b"rule" not in target.read_bytes()
        with pytest.raises(Refused, match="no write 99"):
            await here.service.undo_write(99)


@pytest.mark.parametrize(
    "edited, after",
    [
        (b"# Mine\n\n## Preferences\n\n- A rule\n", b"# Mine\n"),
        (
            b"# Notes\n\n## Preferences\n\n- A rule\n- Mine\n",
            b"# Notes\n\n## Preferences\n\n- Mine\n",
        ),
        (
            b"# Notes\n\n## Preferences\n\n- Mine\n- A rule\n",
            b"# Notes\n\n## Preferences\n\n- Mine\n",
        ),
        (b"# Notes\nmore\n\n## Preferences\n\n- A rule\n", b"# Notes\nmore\n"),
        (b"# Notes\r\n\r\n## Preferences\r\n\r\n- A rule\r\n", b"# Notes\r\n"),
        (b"# Notes\n", b"# Notes\n"),
        (b"", b""),
        (None, None),
    ],
)
async def test_a_hand_edit_stays_when_a_write_is_taken_back(
    tmp_path: Path, target: Path, edited: bytes | None, after: bytes | None
) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        (hunk,) = await here.hunks_of(target, "A rule")
        await here.service.apply((await here.only()).id, [hunk])
        if edited is None:
            target.unlink()
        else:
            target.write_bytes(edited)
        await here.service.restore((await here.last_command())[2])
        assert (target.read_bytes() if target.exists() else None) == after
        assert [h.id for h in (await here.only()).hunks] == [hunk]
        assert await here.rows(
            "select undone_at is null from command where name like '%apply'"
        ) == [(0,)]
        assert await here.rows("select base from proposal") == [(after,)]


async def test_a_file_of_ours_alone_goes_whatever_blanks_were_added(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        done = await here.service.apply(1, await here.hunks_of(target, "A rule"))
        target.write_bytes(target.read_bytes() + b"\n\n")
        await here.service.undo_write(done.write)
        assert not target.exists()


async def test_a_line_that_was_changed_since_is_not_taken_back(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        proposal = (await here.only()).id
        older = await here.service.apply(proposal, [first])
        newer = await here.service.apply(proposal, [second])
        edited = target.read_bytes().replace(b"Second rule", b"Second rule, by hand")
        target.write_bytes(edited)
        with pytest.raises(Refused, match="changed since") as caught:
            await here.service.undo_write(newer.write)
        assert caught.value.key == "memory-conflict"
        assert "by hand" in caught.value.advice
        assert target.read_bytes() == edited
        assert await here.rows("select distinct state from file_write") == [("written",)]
        await here.service.undo_write(older.write)
        assert target.read_bytes() == edited.replace(b"- First rule\n", b"")


@pytest.mark.parametrize("happened", [True, False])
async def test_an_undo_of_an_edited_file_that_was_interrupted_is_settled(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch, *, happened: bool
) -> None:
    target.write_bytes(b"# Notes\n")

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("killed")

    async with memory(tmp_path) as here:
        (hunk,) = await here.hunks_of(target, "A rule")
        done = await here.service.apply((await here.only()).id, [hunk])
        target.write_bytes(target.read_bytes() + b"- Mine\n")
        with monkeypatch.context() as broken:
            if happened:
                broken.setattr(WriteStore, "record_undone", die)
            else:
                broken.setattr(os, "replace", die)
            with pytest.raises(RuntimeError):
                await here.service.undo_write(done.write)
        assert await here.rows("select state from file_write") == [("undoing",)]
    async with memory(tmp_path) as here:
        assert await here.service.recover() == []
        (write,) = await here.service.history()
        assert write.state is (WriteState.UNDONE if happened else WriteState.WRITTEN)
        await here.service.undo_write(done.write)
        assert target.read_bytes() == b"# Notes\n\n## Preferences\n\n- Mine\n"


async def test_undone_hunks_join_the_proposal_that_is_open_by_then(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        (first,) = await here.hunks_of(target, "First rule")
        done = await here.service.apply((await here.only()).id, [first])
        await here.keep(["Second rule"])
        await here.service.propose()
        second = await here.hunk("Second rule")
        await here.service.undo_write(done.write)
        assert [h.id for h in (await here.only()).hunks] == [first, second.id]
        await here.service.apply((await here.only()).id, [first, second.id])
        assert target.read_bytes() == b"## Preferences\n\n- First rule\n- Second rule\n"


async def test_history_shows_what_was_written(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        proposal = (await here.only()).id
        await here.service.apply(proposal, [first])
        done = await here.service.apply(proposal, [second])
        newest, oldest = await here.service.history()
        assert (newest.id, newest.hunks, newest.file) == (done.write, (second,), str(target))
        assert newest.diff.endswith(" - First rule\n+- Second rule")
        assert newest.at == here.clock()
        assert len(await here.service.history(limit=1)) == 1
        assert oldest.hunks == (first,)


async def test_an_edit_in_the_last_moment_of_an_undo_stays(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write_bytes(b"# Notes\n")
    real = os.fsync

    def edit(fd: int) -> None:
        target.write_bytes(b"by hand")
        real(fd)

    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        done = await here.service.apply((await here.only()).id, hunks)
        monkeypatch.setattr(os, "fsync", edit)
        with pytest.raises(Refused, match="changed since"):
            await here.service.undo_write(done.write)
        assert target.read_bytes() == b"by hand"
        assert await here.rows("select state from file_write") == [("written",)]


@POSIX
async def test_an_undo_that_cannot_write_can_be_tried_again(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        done = await here.service.apply((await here.only()).id, hunks)
        target.chmod(0o444)
        with pytest.raises(FileProblem, match="read-only"):
            await here.service.undo_write(done.write)
        assert await here.rows("select state from file_write") == [("written",)]
        target.chmod(0o644)
        await here.service.undo_write(done.write)
        assert target.read_bytes() == b"# Notes\n"


# After a crash


async def planned(here: Memory, target: Path, hunks: list[HunkId], after: bytes) -> None:
    """Leave the archive as a process does that dies while it writes."""
    before = target.read_bytes() if target.exists() else None
    row = (str(target), before, after, str(hunks))
    async with here.database.write() as connection:
        await connection.execute(
            "insert into file_write (proposal_id, path, before, after, before_sha, after_sha,"
            " hunks, planned_at) values (1, ?, ?, ?, null, '', ?, 0)",
            row,
        )


async def test_a_plan_that_did_not_happen_is_forgotten(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        await planned(here, target, hunks, b"after")
        assert await here.service.recover() == []
        assert await here.rows("select count(*) from file_write") == [(0,)]
        assert [h.id for h in (await here.only()).hunks] == hunks


async def test_a_plan_that_happened_is_recorded(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        await planned(here, target, hunks, b"- A rule\n")
        target.write_bytes(b"- A rule\n")
        await here.service.propose()
        assert [h.id for h in (await here.only()).hunks] == hunks, "a plan keeps its hunk"
        assert await here.service.recover() == []
        assert await here.service.proposals() == []
        (write,) = await here.service.history()
        assert write.state is WriteState.WRITTEN
        assert await here.service.recover() == []
        await here.service.undo_write(write.id)
        assert not target.exists()


async def test_a_plan_over_which_somebody_wrote_is_reported(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        await planned(here, target, hunks, b"after")
        target.write_bytes(b"by hand")
        (problem,) = await here.service.recover()
        assert "interrupted" in problem.message
        assert target.read_bytes() == b"by hand"
        assert await here.rows("select state from file_write") == [("planned",)]


@pytest.mark.parametrize("happened", [True, False])
async def test_an_interrupted_undo_is_settled(
    tmp_path: Path, target: Path, *, happened: bool
) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        done = await here.service.apply((await here.only()).id, hunks)
        async with here.database.write() as connection:
            await connection.execute("update file_write set state = 'undoing'")
        if happened:
            target.unlink()
        assert await here.service.recover() == []
        (write,) = await here.service.history()
        assert write.state is (WriteState.UNDONE if happened else WriteState.WRITTEN)
        await here.service.undo_write(done.write)
        assert not target.exists()


async def test_a_folder_that_is_gone_is_reported(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "A rule")
        await planned(here, target, hunks, b"after")
        (target.parent / ".memory-write.lock").unlink(missing_ok=True)
        target.parent.rmdir()
        (problem,) = await here.service.recover()
        assert "gone" in problem.message
        found = await here.service.propose()
        assert ["gone" in problem.message for problem in found.problems] == [True]
