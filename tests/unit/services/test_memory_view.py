import sys
from pathlib import Path

import pytest

from archivist.domain.memory_diff import Sign
from archivist.domain.problems import Problem, Refused
from archivist.domain.proposals import FileWrite, HunkId, ProposalId, WriteId, WriteState
from archivist.services.bus import LessonsChanged, ProposalsChanged
from archivist.services.memory_shown import FileState
from archivist.services.memory_view import CHANGED
from archivist.services.memory_writes import CONFLICT
from archivist.services.supervise import Supervisor
from archivist.store import file_writes
from archivist.store.file_writes import WriteStore
from helpers.memory_files import memory, number, only_file, shown, the_hunk

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights and links")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path.resolve() / "project" / "MEMORY.md"


# The file on disk


async def test_a_hand_edit_since_is_told_once_and_the_proposal_redone(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        first = await shown(here, target, "A rule")
        target.write_bytes(b"# Notes\n\nBy hand.\n")
        changed = round(target.stat().st_mtime * 1000)
        second = await only_file(here, {str(target): first.sha})
        assert second.changed_at == pytest.approx(changed, abs=2)
        assert "By hand." in [row.text for row in second.hunks[0].lines]
        assert (await only_file(here, {str(target): second.sha})).changed_at is None


async def test_an_edit_made_while_nobody_looked_is_told_too(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await shown(here, target, "A rule")
        target.write_bytes(b"By hand.\n")
        assert (await only_file(here)).changed_at is not None


async def test_our_own_writes_are_no_change_by_somebody(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule", "Another")
        seen = {str(target): view.sha}
        done = await here.view.write(number(view), [view.hunks[0].id], seen=view.sha)
        assert (await only_file(here, seen)).changed_at is None
        await here.service.undo_write(done.write)
        assert (await only_file(here, {str(target): done.sha256})).changed_at is None


@POSIX
async def test_missing_read_only_and_in_the_way(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        assert (view.state, view.sha, len(view.hunks)) == (FileState.MISSING, None, 1)
        target.write_bytes(b"# Notes\n")
        target.chmod(0o444)
        view = await only_file(here)
        assert (view.state, len(view.hunks)) == (FileState.READ_ONLY, 1)
        target.unlink()
        target.symlink_to(tmp_path)
        linked = await only_file(here)
        assert (linked.state, linked.hunks) == (FileState.TROUBLE, view.hunks)  # they wait
        view = linked
        assert view.problem is not None
        assert "symbolic link" in view.problem.message


async def test_a_skill_that_was_deleted_is_not_made_anew(tmp_path: Path) -> None:
    skill = tmp_path.resolve() / "SKILL.md"
    skill.write_bytes(b"---\nname: x\n---\n")
    async with memory(tmp_path) as here:
        assert (await shown(here, skill, "A rule")).state is FileState.READY
        skill.unlink()
        view = await only_file(here)
        assert (view.state, [hunk.text for hunk in view.hunks]) == (FileState.TROUBLE, ["A rule"])


# Preview, write, take back


async def test_the_preview_is_what_is_written(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\r\n\r\n## Preferences\r\n- Mine")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "First", "Second")
        chosen = [the_hunk(view, "Second").id]
        preview = await here.view.preview(number(view), chosen)
        await here.view.write(number(view), chosen, seen=view.sha)
        after = target.read_bytes()
        assert after == b"# Notes\r\n\r\n## Preferences\r\n- Mine\r\n- Second"
        assert [line.text for line in preview.lines] == after.decode().split("\r\n")
        assert preview.size == len(after)
        assert [line.text for line in preview.lines if line.sign is Sign.ADDED] == ["- Second"]


async def test_the_preview_of_nothing_is_the_file(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        preview = await here.view.preview(number(view), [])
        assert ([line.text for line in preview.lines], preview.size) == (["# Notes"], 8)


async def test_a_file_that_is_not_the_one_shown_is_not_written(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"# Notes\n")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        target.write_bytes(b"# Notes, by hand\n")
        with pytest.raises(Refused, match="Nothing was written") as caught:
            await here.view.write(number(view), [view.hunks[0].id], seen=view.sha)
        assert caught.value.key == CHANGED
        assert target.read_bytes() == b"# Notes, by hand\n"
        again = await only_file(here)
        await here.view.write(number(again), [again.hunks[0].id], seen=again.sha)
        assert target.read_bytes() == b"# Notes, by hand\n\n## Preferences\n\n- A rule\n"


async def test_a_conflict_names_the_line(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n\n- Mine\n")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        target.write_bytes(b"# Notes\n\nRewritten.\n")
        with pytest.raises(Refused, match="near line 3,") as caught:
            await here.service.apply(number(view), [view.hunks[0].id])
        assert caught.value.key == CONFLICT


async def test_history_tells_what_can_still_be_taken_out(tmp_path: Path, target: Path) -> None:
    target.write_bytes(b"# Notes\n\n## Preferences\n- Mine\n")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "First", "Second")
        for word in ("First", "Second"):
            view = await only_file(here)
            await here.view.write(number(view), [the_hunk(view, word).id], seen=view.sha)
        target.write_bytes(target.read_bytes().replace(b"- First", b"- My words"))
        second, first = await here.view.history()
        assert [(w.state, w.hunks, w.is_held) for w in (second, first)] == [
            (WriteState.WRITTEN, 1, True),
            (WriteState.WRITTEN, 1, False),
        ]
        (rows,) = await here.view.written(second.id)
        assert [row.text for row in rows if row.sign is Sign.ADDED] == ["- Second"]
        await here.service.undo_write(second.id)
        assert [w.is_held for w in await here.view.history()] == [False, False]
        with pytest.raises(Refused, match="no write 99"):
            await here.view.written(WriteId(99))


async def test_looking_and_the_list_of_writes_read_no_contents(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        done = await here.view.write(number(view), [view.hunks[0].id], seen=view.sha)
        store = WriteStore(here.database)
        (past,) = await store.past([WriteState.WRITTEN], limit=9)
        write = await store.find(done.write)
        assert write is not None
        for name in ("id", "path", "state", "before_sha", "after_sha", "hunks"):
            assert getattr(past, name) == getattr(write, name)
        assert past.at == write.written_at
        assert await store.past([WriteState.WRITTEN], path="elsewhere", limit=9) == []
        monkeypatch.setattr(file_writes, "_write", _no_contents)  # a whole write is read by nobody
        assert [one.is_held for one in await here.view.history()] == [True]
        target.write_bytes(b"By hand.\n")
        assert (await only_file(here, {str(target): done.sha256})).changed_at is not None


def _no_contents(row: object) -> FileWrite:
    raise AssertionError


async def test_history_of_a_file_that_cannot_be_read(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        view = await shown(here, target, "A rule")
        await here.view.write(number(view), [view.hunks[0].id], seen=view.sha)
        target.unlink()
        target.mkdir()
        (write,) = await here.view.history()
        assert not write.is_held


# Edit a line


async def test_an_edited_line_edits_its_lesson_and_comes_back(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        view = await shown(here, target, "First words", "Another")
        new = await here.view.edit(the_hunk(view, "First").id, "  Better\nwords ")
        again = await only_file(here)
        assert the_hunk(again, "Better").id == new
        assert the_hunk(again, "Better").text == "Better words"
        (lesson,) = [one for one in await here.review.lessons() if one.text == "Better words"]
        assert lesson.said == "First words"
        await here.view.write(number(again), [the_hunk(again, "Better").id], seen=again.sha)
        assert [hunk.text for hunk in (await only_file(here)).hunks] == ["Another"]


async def test_a_new_wording_stands_where_the_old_one_did(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.keep(["A fact"], "fact")
        view = await shown(here, target, "First", "Second", "Third")
        assert [hunk.text for hunk in view.hunks] == ["First", "Second", "Third", "A fact"]
        await here.view.edit(the_hunk(view, "Second").id, "Another")
        again = await only_file(here)
        assert [hunk.text for hunk in again.hunks] == ["First", "Another", "Third", "A fact"]
        ids = [hunk.id for hunk in again.hunks]
        preview = await here.view.preview(number(again), ids)
        await here.view.write(number(again), ids, seen=again.sha)
        written = target.read_text().splitlines()
        assert written == [line.text for line in preview.lines]
        assert [line for line in written if line.startswith("- ")] == [
            *("- First", "- Another", "- Third", "- A fact")
        ]


async def test_a_wording_that_the_file_has_leaves_nothing_to_add(
    tmp_path: Path, target: Path
) -> None:
    target.write_bytes(b"- By hand\n")
    async with memory(tmp_path) as here:
        view = await shown(here, target, "First words")
        assert await here.view.edit(view.hunks[0].id, "By hand") is None


async def test_what_cannot_be_edited(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await here.keep(["Use pytest"], "preference")
        await here.keep(["Use py test"], "preference")
        view = await shown(here, target, "Another")
        double = the_hunk(view, "py")
        assert len(double.sources) == 2
        with pytest.raises(Refused, match="2 lessons at once"):
            await here.view.edit(double.id, "Use tox")
        with pytest.raises(Refused, match="decided or withdrawn"):
            await here.view.edit(HunkId(99), "x")
        with pytest.raises(Refused, match="between 1 and"):
            await here.view.edit(the_hunk(view, "Another").id, " ")
        assert {one.text for one in await here.review.lessons()} == {
            *("Use pytest", "Use py test", "Another")
        }


async def test_a_proposal_that_is_gone_is_refused(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await shown(here, target)
        with pytest.raises(Refused, match="decided or withdrawn"):
            await here.view.preview(ProposalId(9), [])
        with pytest.raises(Refused, match="decided or withdrawn"):
            await here.view.write(ProposalId(9), [HunkId(1)], seen=None)


# By itself


async def test_kept_lessons_become_changes_by_themselves(tmp_path: Path, target: Path) -> None:
    problems: list[Problem] = []

    async def report(problem: Problem) -> None:
        problems.append(problem)

    async with memory(tmp_path) as here, Supervisor(report) as supervisor:
        told: list[object] = []
        here.bus.listen(ProposalsChanged, told.append)
        await here.service.enable(target)
        told.clear()
        supervisor.spawn(here.view.follow(supervisor), name="follow")
        await here.keep(["A rule"])
        here.bus.tell(LessonsChanged())
        while not told:
            await here.rows("select 1")
        assert [hunk.added for hunk in (await here.only()).hunks] == ["- A rule"]
        assert problems == []


async def test_nothing_new_is_no_event(tmp_path: Path, target: Path) -> None:
    async with memory(tmp_path) as here:
        await shown(here, target, "A rule")
        told: list[object] = []
        here.bus.listen(ProposalsChanged, told.append)
        await here.view.look({})
        assert told == []
        await here.keep(["Another"])
        await here.view.look({})
        assert told == [ProposalsChanged()]
