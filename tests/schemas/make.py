"""Make the small database of the current schema: run it once, when a new numbered script is added.

    .venv/bin/python tests/schemas/make.py

It is committed beside this file; `test_schemas.py` brings each of them to the newest schema.
"""

import asyncio
import sqlite3
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "app")]

from archivist.domain.knowledge import LessonId  # noqa: E402 - after the path is set
from archivist.domain.transcripts import Outcome, Role, ToolAnswered, ToolCalled  # noqa: E402
from archivist.services.archive import Done  # noqa: E402
from archivist.services.review import Review  # noqa: E402
from archivist.store.migrate import scripts  # noqa: E402
from archivist.store.review import ReviewStore  # noqa: E402
from helpers.archiving import archive_over  # noqa: E402
from helpers.stored import Stored, said, stored  # noqa: E402

PROJECT = "/home/demo/code/app"
EXTRA = """
insert into memory_target (path, project, enabled_at) values ('/home/demo/MEMORY.md', '', 1);
insert into proposal (target_id, base_sha, base, made_at) values (1, 'aa', x'23', 2);
insert into hunk (proposal_id, seq, heading, removed, added, lessons, preselected)
  values (1, 1, 'Preferences', '', '- Small commits', '[1]', 1);
insert into file_write (proposal_id, path, state, before, after, after_sha, hunks, planned_at)
  values (1, '/home/demo/MEMORY.md', 'written', null, x'23', 'bb', '[1]', 3);
insert into problem values ('disk-full', 'The disk is full.', 'Free some space.', 2, 4, 5);
insert into meta values ('made-for', 'tests');
"""


async def fill(archive: Stored) -> None:
    """Store one session and let every stage run."""
    await archive.take_in(
        said("u1", "I prefer small commits. 我喜欢用 Rust 写后端服务。", at=1_000, cwd=PROJECT),
        said("a1", "Noted, I will commit in small steps.", role=Role.ASSISTANT, at=2_000),
        ToolCalled("a1", "c1", "Bash", '{"command": "git commit"}', 2_500),
        ToolAnswered("a1", "c1", Outcome.FAILED, "nothing to commit", 2_600),
        said("u2", "We decided to use Postgres 16 for the orders.", at=3_000, cwd=PROJECT),
        said("a2", "Then I write the compose file for it.", role=Role.ASSISTANT, at=4_000),
    )
    await archive_over(archive).step(Done())
    review = Review(ReviewStore(archive.database), clean=str, bus=archive.bus, clock=archive.clock)
    await review.keep([LessonId(1)])


async def make(target: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        async with stored(Path(temporary)) as archive:
            await fill(archive)
        connection = sqlite3.connect(Path(temporary) / "archive.db")
        connection.executescript(EXTRA)
        connection.execute("pragma journal_mode = delete")
        connection.execute("vacuum")
        connection.close()
        target.write_bytes((Path(temporary) / "archive.db").read_bytes())


if __name__ == "__main__":
    asyncio.run(make(HERE / f"{len(scripts()):04}.db"))
