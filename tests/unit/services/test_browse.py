from pathlib import Path

import pytest

from archivist.domain.problems import Problem, Refused
from archivist.domain.transcripts import Role
from archivist.domain.turns import SegmentId
from archivist.machine.home import HomeFolder
from archivist.services.browse import Browse
from archivist.services.bus import ProblemsChanged
from archivist.shipped import cues
from archivist.store.browse import BrowseStore
from archivist.store.problems import ProblemStore
from helpers.lessons import close_segments
from helpers.stored import Stored, said, stored


def browse(archive: Stored, home: Path = Path("/nowhere")) -> Browse:
    return Browse(
        BrowseStore(archive.database),
        archive.segments,
        ProblemStore(archive.database),
        places=HomeFolder(home),
        cues=cues,
        bus=archive.bus,
        clock=archive.clock,
    )


async def test_segments_are_listed_with_what_is_known_of_them(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(
            said("u1", "hello", at=1_000, cwd="/code/app"),
            said("a1", "hi", role=Role.ASSISTANT, at=2_000),
        )
        await close_segments(archive)
        (row,) = await browse(archive).segments()
        assert (row.session, row.source, row.project) == ("s1", "claude-code", "/code/app")
        assert (row.start, row.end, row.turns) == (1_000, 2_000, 2)
        assert (row.state, row.reason, row.recap, row.maker) == ("closed", "exit", None, None)
        found, turns = await browse(archive).segment(row.id)
        assert found == row
        assert [turn.text for turn in turns] == ["hello", "hi"]
        assert await browse(archive).segments(maker="rules") == []


async def test_an_unknown_segment_is_refused(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        with pytest.raises(Refused, match="no segment seg-x"):
            await browse(archive).segment(SegmentId("seg-x"))


async def test_problems_are_counted_and_cleared(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        heard: list[ProblemsChanged] = []
        archive.bus.listen(ProblemsChanged, heard.append)
        service = browse(archive)
        await service.report(Problem("disk full", advice="free some", key="disk"))
        archive.clock.tick(seconds=5)
        await service.report(Problem("disk still full", advice="free more", key="disk"))
        (row,) = await service.problems()
        assert (row.message, row.count, row.last_at - row.first_at) == ("disk still full", 2, 5_000)
        await service.clear("disk")
        assert await service.problems() == []
        assert len(heard) == 3
        with pytest.raises(Refused):
            await service.clear("disk")


async def test_mended_problems_go_and_standing_ones_are_not_counted_again(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        service = browse(archive)
        bad = Problem("idle = x", advice="mend it", key="setting-idle")
        other = Problem("drift = y", advice="mend it", key="setting-drift")
        await service.report(Problem("disk full", advice="free some", key="disk"))
        for _ in range(3):
            await service.settle("setting", [bad, other])
        await service.settle("setting", [bad])
        rows = {row.key: row.count for row in await service.problems()}
        assert rows == {"disk": 1, "setting-idle": 1}
        await service.settle("setting", [])
        assert [row.key for row in await service.problems()] == ["disk"]


async def test_the_project_of_a_folder_is_found_by_its_recorded_name(tmp_path: Path) -> None:
    (tmp_path / "home" / "code" / "app").mkdir(parents=True)
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", cwd="/home/anna/code/app"))
        service = browse(archive, tmp_path / "home")
        found = await service.project_at(tmp_path / "home" / "code" / "app")
        assert found == "/home/anna/code/app"
        assert await service.project_at(tmp_path) == ""
