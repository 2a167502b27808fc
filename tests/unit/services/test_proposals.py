import sys
from pathlib import Path

import pytest

from archivist.domain.problems import FileProblem, Refused
from archivist.services.proposals import ShownHunk
from archivist.store.proposals import ProposalStore
from helpers.memory_files import Memory, memory

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other links")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path.resolve() / "project" / "MEMORY.md"


# Which files


async def test_a_file_is_enabled_listed_and_disabled(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        service = here.service
        added = await service.enable(target, project="/code/x")
        assert [(t.path, t.project) for t in await service.targets()] == [(str(target), "/code/x")]
        assert (await service.enable(target, project="/code/x")).id == added.id
        await service.disable(target)
        assert await service.targets() == []
        with pytest.raises(Refused, match="not among"):
            await service.disable(target)
        assert [row[0] for row in await here.rows("select name from command order by id")] == [
            *("memory.enable", "memory.disable"),
        ]


async def test_enabling_and_disabling_are_taken_back(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        service = here.service
        await service.enable(target)
        enabled = await here.last_command()
        await service.enable(target, project="p")
        changed = await here.last_command()
        await service.restore(changed[2])
        assert [t.project for t in await service.targets()] == [""]
        await service.disable(target)
        await service.restore((await here.last_command())[2])
        assert len(await service.targets()) == 1
        await service.restore(enabled[2])
        assert await service.targets() == []
        assert enabled[:2] == ("memory.enable", f"Use {target} as a memory file")


async def test_what_cannot_be_a_memory_file(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        service = here.service
        with pytest.raises(Refused, match="not a memory file"):
            await service.enable(target.with_name("notes.md"))
        with pytest.raises(FileProblem, match="gone"):
            await service.enable(target.parent / "none" / "MEMORY.md")
        with pytest.raises(Refused, match="does not exist"):
            await service.enable(target.with_name("SKILL.md"))
        target.write_bytes("Größe".encode("latin-1"))
        with pytest.raises(Refused, match="UTF-8"):
            await service.enable(target)
        target.write_bytes(b"x" * 1_000_001)
        with pytest.raises(Refused, match="larger"):
            await service.enable(target)
        assert await service.targets() == []


@POSIX
async def test_a_link_is_refused_and_the_folder_resolved(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        link = tmp_path / "link"
        link.symlink_to(target.parent)
        assert (await here.service.enable(link / "MEMORY.md")).path == str(target)
        await here.service.disable(link / "MEMORY.md")
        target.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(Refused, match="symbolic link"):
            await here.service.enable(target)


# What is proposed


async def test_lessons_go_to_the_file_of_their_project(tmp_path: Path, target: Path) -> None:
    other = tmp_path / "MEMORY.md"
    async with memory(tmp_path) as here:
        await here.keep(["For the project"], project="/code/x")
        await here.keep(["For another"], project="/code/y")
        await here.keep(["Everywhere"])
        await here.service.enable(target, project="/code/x")
        await here.service.enable(other)
        found = await here.service.propose()
        assert found.problems == ()
        assert {(p.file, h.added) for p in found.proposals for h in p.hunks} == {
            (str(target), "- For the project"),
            (str(other.resolve()), "- Everywhere"),
        }


async def test_hunks_keep_their_numbers_over_a_refresh(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        (first,) = await here.hunks_of(target, "First rule")
        target.write_bytes(b"# By hand\n")
        await here.keep(["Second rule"])
        await here.service.propose()
        proposal = await here.only()
        assert [h.added for h in proposal.hunks] == ["- First rule", "- Second rule"]
        assert proposal.hunks[0].id == first
        assert " # By hand\n+\n+## Preferences" in proposal.hunks[0].diff


async def test_another_wording_has_another_number(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        (first,) = await here.hunks_of(target, "First rule")
        async with here.database.write() as connection:
            await connection.execute("update lesson set text = 'Second wording'")
        await here.service.propose()
        (hunk,) = (await here.only()).hunks
        assert (hunk.added, hunk.id == first) == ("- Second wording", False)


async def reworded(here: Memory, old: str, new: str) -> list[ShownHunk]:
    """Give a lesson other words and return what is proposed then."""
    async with here.database.write() as connection:
        await connection.execute("update lesson set text = ? where text = ?", (new, old))
    return [
        hunk for proposal in (await here.service.propose()).proposals for hunk in proposal.hunks
    ]


async def test_a_lesson_edited_after_it_was_written_replaces_our_line(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n- Mine\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "First words", "Another rule")
        await here.service.apply((await here.only()).id, hunks)
        written = target.read_bytes()
        (hunk,) = await reworded(here, "First words", "Second words")
        assert (hunk.removed, hunk.added, hunk.preselected) == (
            "- First words",
            "- Second words",
            True,
        )
        assert "-- First words\n+- Second words" in hunk.diff
        assert hunk.id not in hunks
        assert [h.id for h in (await here.service.propose()).proposals[0].hunks] == [hunk.id]
        done = await here.service.apply((await here.only()).id, [hunk.id])
        assert target.read_bytes() == written.replace(b"First", b"Second")
        # back to the first words, and once more: each is a change of the line that stands
        (back,) = await reworded(here, "Second words", "First words")
        assert (back.removed, back.added) == ("- Second words", "- First words")
        (again,) = await reworded(here, "First words", "Third words")
        assert again.removed == "- Second words"
        await here.service.undo_write(done.write)
        assert target.read_bytes() == written
        (anew,) = await reworded(here, "Third words", "Second words")
        assert (anew.id, anew.removed) == (hunk.id, "- First words")


async def test_a_line_that_a_person_wrote_or_changed_is_left_alone(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"## Preferences\n- Mine\n")
    async with memory(tmp_path) as here:
        ours, typed = await here.hunks_of(target, "Our words", "Typed words")
        target.write_bytes(target.read_bytes() + b"- Typed words\n")
        await here.service.apply((await here.only()).id, [ours, typed])
        target.write_bytes(target.read_bytes().replace(b"Our words", b"Our words, by hand"))
        first = await reworded(here, "Our words", "New words")
        second = await reworded(here, "Typed words", "Other words")
        assert [h.removed for h in first + second] == ["", "", ""]
        before = target.read_bytes()
        await here.service.apply((await here.only()).id, [h.id for h in second])
        assert target.read_bytes() == before + b"- New words\n- Other words\n"


async def test_a_line_edited_between_proposal_and_apply_stays(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.service.apply(1, await here.hunks_of(target, "Our words"))
        (hunk,) = await reworded(here, "Our words", "New words")
        target.write_bytes(b"## Preferences\n\n- Our words, by hand\n")
        await here.service.apply((await here.only()).id, [hunk.id])
        assert target.read_bytes() == b"## Preferences\n\n- Our words, by hand\n- New words\n"


async def test_a_new_wording_that_was_rejected_does_not_come_back(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        await here.service.apply(1, await here.hunks_of(target, "Our words"))
        (hunk,) = await reworded(here, "Our words", "New words")
        await here.service.reject([hunk.id])
        assert (await here.service.propose()).proposals == ()
        target.write_bytes(b"## Preferences\n")
        assert (await here.service.propose()).proposals == ()


async def test_the_preview_is_one_diff_of_the_file(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n- Mine\n\n## End\n")
    async with memory(tmp_path) as here:
        hunks = await here.hunks_of(target, "First rule", "Second rule")
        diff = await here.service.preview((await here.only()).id, hunks)
        assert diff.splitlines() == [
            "@@ -2,5 +2,7 @@",
            " ",
            " ## Preferences",
            " - Mine",
            "+- First rule",
            "+- Second rule",
            " ",
            " ## End",
        ]
        assert b"rule" not in target.read_bytes()
        with pytest.raises(Refused, match="no change 99"):
            await here.service.preview((await here.only()).id, [99])


async def test_a_lesson_that_is_no_longer_kept_is_withdrawn(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.hunks_of(target, "First rule")
        async with here.database.write() as connection:
            await connection.execute("update lesson set state = 'rejected'")
        assert (await here.service.propose()).proposals == ()
        assert await here.rows("select state from proposal") == [("withdrawn",)]


async def test_doubtful_hunks_are_not_preselected(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.keep(["From a page"], untrusted=True)
        await here.keep(["zero\u200bwidth", "Plain"])
        await here.service.enable(target)
        (proposal,) = (await here.service.propose()).proposals
        assert {h.added: h.preselected for h in proposal.hunks} == {
            "- From a page": False,
            "- zero\u200bwidth": False,
            "- Plain": True,
        }
        assert "⟪U+200B⟫" in (await here.hunk("zero")).diff


async def test_one_bad_file_does_not_stop_the_others(tmp_path: Path, target: Path) -> None:
    other = tmp_path / "MEMORY.md"
    async with memory(tmp_path) as here:
        await here.keep(["A rule"])
        for path in (target, other):
            await here.service.enable(path)
        target.write_bytes(b"text\n\n```\nnever closed")
        found = await here.service.propose()
        assert [p.file for p in found.proposals] == [str(other.resolve())]
        assert [problem.message for problem in found.problems] == [
            f"{target} ends inside a block that begins in line 3."
        ]


async def test_a_disabled_file_keeps_its_proposal_for_later(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        (first,) = await here.hunks_of(target, "A rule")
        await here.service.disable(target)
        assert await here.service.proposals() == []
        with pytest.raises(Refused, match="no open proposal"):
            await here.service.apply(1, [first])
        await here.service.enable(target)
        assert (await here.hunk("A rule")).id == first


async def test_two_open_proposals_for_one_file_cannot_be(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.hunks_of(target, "A rule")
        await here.service.propose()
        assert len(await ProposalStore(here.database).proposals()) == 1


# Rejecting


async def test_a_rejected_hunk_does_not_come_back_unless_undone(
    tmp_path: Path, target: Path
) -> None:
    async with memory(tmp_path) as here:
        first, second = await here.hunks_of(target, "First rule", "Second rule")
        await here.service.reject([first])
        name, label, inverse = await here.last_command()
        assert (name, label) == ("memory.reject", "Reject 1 proposed change")
        await here.service.propose()
        assert [h.id for h in (await here.only()).hunks] == [second]
        with pytest.raises(Refused, match="No change"):
            await here.service.reject([first])
        await here.service.reject([second])
        assert await here.service.proposals() == []
        await here.service.restore((await here.last_command())[2])
        await here.service.restore(inverse)
        assert [h.id for h in (await here.only()).hunks] == [first, second]
