from dataclasses import replace
from pathlib import Path

from archivist.domain.intake import Intake
from archivist.domain.problems import Problem
from archivist.domain.transcripts import Source, Tally
from archivist.services.overview import overview
from archivist.store.browse import BrowseStore
from archivist.store.problems import ProblemStore
from helpers.lessons import learn
from helpers.stored import CURSOR, said, stored

DAY = 86_400_000


async def test_everything_is_counted_and_what_will_be_deleted_is_told(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await learn(archive, "I prefer tabs")
        for days, path in ((1, "/new"), (24, "/old")):
            changed = (archive.clock() - days * DAY) * 1_000_000
            await archive.transcripts.commit(
                Intake(
                    source=Source.CLAUDE_CODE,
                    path=path,
                    seen=(said(path, "hello", session=path),),
                    cursor=replace(CURSOR, mtime_ns=changed),
                    tally=Tally(bad_lines=2),
                    last=True,
                    at=archive.clock(),
                )
            )
        problems = ProblemStore(archive.database)
        await problems.add(Problem("x", advice="y"), at=1)
        found = await overview(
            BrowseStore(archive.database), archive.transcripts, problems, clock=archive.clock
        )
        (state,) = found.sources
        assert (state.sessions, state.user, state.files, state.skipped) == (3, 3, 3, 4)
        assert state.last_read == archive.clock()
        assert found.at_risk == {"claude-code": 2}
        assert dict(found.counts) == {
            "turns": 3, "segments": 1, "lessons": 1, "waiting": 1, "proposals": 0,
        }  # fmt: skip
        assert [row.message for row in found.problems] == ["x"]
