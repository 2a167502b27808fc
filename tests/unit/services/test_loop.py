import asyncio
from pathlib import Path

from archivist.domain.problems import Problem
from archivist.machine.home import GitProjects, HomeFolder
from archivist.services.ingest import Ingest
from archivist.services.loop import Loop
from archivist.services.supervise import Supervisor
from archivist.shipped import gate
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.follow import changes
from helpers.claude import chat, lines, transcript
from helpers.stored import Stored, stored
from unit.services.test_archive import service

PROMPTS = "select text from episode where role = 'user' order by session_id, seq"


async def until(archive: Stored, query: str, rows: list[tuple[object, ...]]) -> None:
    """Wait until the archive says so; fails after a while with what it says."""
    found: list[tuple[object, ...]] = []
    for _ in range(400):
        found = await archive.rows(query)
        if found == rows:
            return
        await asyncio.sleep(0.05)
    assert found == rows


def loop_of(archive: Stored, home: Path, supervisor: Supervisor) -> Loop:
    folder, readers = HomeFolder(home), (ClaudeCode(),)
    ingest = Ingest(
        archive.transcripts,
        readers,
        gate,
        GitProjects(folder),
        bus=archive.bus,
        clock=archive.clock,
    )
    return Loop(
        ingest,
        service(archive),
        readers,
        folder,
        changes,
        off=(),
        poll_seconds=1,
        supervisor=supervisor,
    )


async def test_what_is_there_is_read_what_grows_is_followed_and_the_end_closes(
    tmp_path: Path,
) -> None:
    problems: list[Problem] = []

    async def report(problem: Problem) -> None:
        problems.append(problem)

    home = tmp_path / "home"
    writer, records = chat(1, ["first", "second"])
    data = lines(records)
    path = transcript(home, writer, records[:2])
    async with stored(tmp_path) as archive, Supervisor(report) as supervisor:
        stop = asyncio.Event()
        running = asyncio.ensure_future(loop_of(archive, home, supervisor).run(stop))
        await until(archive, PROMPTS, [("first",)])
        start = len(lines(records[:2]))
        with path.open("ab") as file:
            for cut in range(start, len(data), 97):
                file.write(data[cut : cut + 97])
                file.flush()
                await asyncio.sleep(0.005)
        await until(archive, PROMPTS, [("first",), ("second",)])
        other, more = chat(2, ["in a new session"])
        transcript(home, other, more)
        await until(archive, PROMPTS, [("first",), ("second",), ("in a new session",)])
        stop.set()
        await asyncio.wait_for(running, 10)
        reasons = await archive.rows("select distinct state, reason from segment")
        assert set(reasons) <= {("closed", "exit"), ("closed", "idle"), ("closed", "gap")}
        assert await archive.rows("select count(*) from episode where segment_id is null") == [(0,)]
    assert problems == []
