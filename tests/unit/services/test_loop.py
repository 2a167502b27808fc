import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from archivist.domain.activity import Activity, Archiving, Idle, Importing
from archivist.domain.jobs import Job, Stage
from archivist.domain.pause import Paused
from archivist.domain.problems import Problem
from archivist.domain.transcripts import Chunk, Cursor
from archivist.machine.home import GitProjects, HomeFolder
from archivist.services.activity import Activities
from archivist.services.archive import Archive
from archivist.services.bus import ActivityChanged, Bus, SegmentsChanged
from archivist.services.ingest import Ingest
from archivist.services.loop import Loop
from archivist.services.pause import Pause
from archivist.services.supervise import Supervisor
from archivist.shipped import gate
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.follow import changes
from archivist.store.marks import MarkStore
from helpers.claude import Writer, call, chat, lines, transcript
from helpers.stored import Stored, said, stored
from unit.services.test_archive import service

PROMPTS = "select text from episode where role = 'user' order by session_id, seq"
QUIET = """
select g.state, g.reason from segment g join episode e on e.segment_id = g.id
where e.text = 'quiet'
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the watcher's thread come back at once: at the end each test waits for it."""
    monkeypatch.setattr("archivist.sources.follow._IDLE_STEP_MS", 50)


async def holds(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; fails after a while."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def until(archive: Stored, query: str, rows: list[tuple[object, ...]]) -> None:
    """Wait until the archive says so; fails after a while with what it says."""
    found: list[tuple[object, ...]] = []
    for _ in range(400):
        found = await archive.rows(query)
        if found == rows:
            return
        await asyncio.sleep(0.05)
    assert found == rows


class Looked(MarkStore):
    """Counts how often it was asked: each poll asks."""

    looks = 0

    async def get(self, key: str) -> str | None:
        self.looks += 1
        return await super().get(key)


class Held(ClaudeCode):
    """Reads a file only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[Path] = []
        self.listed: list[Path] = []
        self._turns = threading.Semaphore(0)

    def let(self, files: int) -> None:
        for _ in range(files):
            self._turns.release()

    def files(self, root: Path) -> Iterator[Path]:
        self.listed.append(root)
        return super().files(root)

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        self.begun.append(path)
        assert self._turns.acquire(timeout=20)
        yield from super().read(path, since, settled=settled)


class Full(ClaudeCode):
    """Stands for a disk that is full while the files are read."""

    is_full = True

    def files(self, root: Path) -> Iterator[Path]:
        if self.is_full:
            raise Problem("The disk is full.", advice="Free some space.", key="disk-full")
        return super().files(root)


def loop_of(
    archive: Stored,
    home: Path,
    supervisor: Supervisor,
    *,
    work: Archive | None = None,
    reader: ClaudeCode | None = None,
    marks: MarkStore | None = None,
    poll_seconds: float = 0.2,
) -> Loop:
    folder, readers = HomeFolder(home), (reader or ClaudeCode(),)
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
        work or service(archive),
        readers,
        folder,
        changes,
        off=(),
        poll_seconds=poll_seconds,
        supervisor=supervisor,
        pause=pause_of(archive, marks or MarkStore(archive.database)),
        activities=Activities(archive.bus),
        bus=archive.bus,
        clock=archive.clock,
        maker="rules",
    )


def pause_of(archive: Stored, marks: MarkStore | None = None) -> Pause:
    """Return the service over the archive: without marks, that of another process."""
    bus = archive.bus if marks else Bus()
    return Pause(marks or MarkStore(archive.database), bus=bus, clock=archive.clock)


@asynccontextmanager
async def looping(
    archive: Stored,
    home: Path,
    *,
    work: Archive | None = None,
    reader: ClaudeCode | None = None,
    marks: MarkStore | None = None,
    poll_seconds: float = 0.2,
) -> AsyncIterator[Loop]:
    """Run the loop; at the end it must stop in time and have reported nothing."""
    problems: list[Problem] = []

    async def report(problem: Problem) -> None:
        problems.append(problem)

    async with Supervisor(report) as supervisor:
        stop = asyncio.Event()
        loop = loop_of(
            archive,
            home,
            supervisor,
            work=work,
            reader=reader,
            marks=marks,
            poll_seconds=poll_seconds,
        )
        running = asyncio.ensure_future(loop.run(stop))
        try:
            yield loop
        finally:
            stop.set()
            await asyncio.wait_for(running, 10)
    assert problems == []


async def test_what_is_there_is_read_what_grows_is_followed_and_the_end_closes(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    writer, records = chat(1, ["first", "second"])
    data = lines(records)
    path = transcript(home, writer, records[:2])
    async with stored(tmp_path) as archive:
        async with looping(archive, home):
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
        reasons = await archive.rows("select distinct state, reason from segment")
        assert set(reasons) <= {("closed", "exit"), ("closed", "idle"), ("closed", "gap")}
        assert await archive.rows("select count(*) from episode where segment_id is null") == [(0,)]


async def test_a_turn_that_grows_is_told_too(tmp_path: Path) -> None:
    home, writer = tmp_path / "home", Writer(1)
    asked = [writer.user("first"), writer.assistant(call("t1", "Bash", command="make"))]
    path = transcript(home, writer, asked)
    outcome = "select outcome from tool_call"
    async with stored(tmp_path) as archive:
        heard: list[SegmentsChanged] = []
        async with looping(archive, home, poll_seconds=60):
            await until(archive, outcome, [("pending",)])
            archive.bus.listen(SegmentsChanged, heard.append)
            with path.open("ab") as file:
                file.write(lines([writer.result("t1", "built")]))
            await until(archive, outcome, [("ok",)])
            await holds(lambda: bool(heard))


def first_chat(home: Path) -> Path:
    """Write a session of one prompt."""
    writer, records = chat(1, ["first"])
    return transcript(home, writer, records)


async def test_paused_it_reads_and_archives_nothing_and_catches_up_when_the_time_has_come(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    first_chat(home)
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "quiet", at=archive.clock.now - 3_600_000))
        await pause_of(archive).pause_for(60)
        marks = Looked(archive.database)
        async with looping(archive, home, marks=marks) as loop:
            await holds(lambda: marks.looks > 4)
            other, more = chat(2, ["said meanwhile"])
            transcript(home, other, more)
            await holds(lambda: len(loop._again) == 1)
            looks = marks.looks
            await holds(lambda: marks.looks > looks + 4)
            assert await archive.rows(PROMPTS) == [("quiet",)]
            assert await archive.rows("select count(*) from segment") == [(0,)]
            archive.clock.tick(seconds=9 * 3_600)
            await until(archive, PROMPTS, [("quiet",), ("first",), ("said meanwhile",)])
            await until(archive, QUIET, [("closed", "idle")])


async def test_the_end_of_a_pause_does_not_wait_for_the_next_poll(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archivist.services.loop._TICK", 0.05)
    home = tmp_path / "home"
    first_chat(home)
    async with stored(tmp_path) as archive:
        await pause_of(archive).pause_for(60)
        marks = Looked(archive.database)
        async with looping(archive, home, marks=marks, poll_seconds=600) as loop:
            # It looks at the start, before it archives and before it reads: then at no time.
            await holds(lambda: loop._must_import and marks.looks == 3)
            archive.clock.tick(seconds=9 * 3_600)
            await until(archive, PROMPTS, [("first",)])


async def test_everything_is_read_once_then_only_what_changes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = first_chat(home)
    reader = Held()
    reader.let(100)
    async with stored(tmp_path) as archive:
        async with looping(archive, home, reader=reader):
            await until(archive, PROMPTS, [("first",)])
            with path.open("ab") as file:
                file.write(lines([chat(1, ["", ""])[0].user("second")]))
            await until(archive, PROMPTS, [("first",), ("second",)])
            other, more = chat(2, ["elsewhere"])
            transcript(home, other, more)
            await until(archive, PROMPTS, [("first",), ("second",), ("elsewhere",)])
        assert reader.listed.count(path.parent.parent) == 1


async def test_a_pause_by_another_process_is_noticed_and_so_is_its_end(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = first_chat(home)
    told: list[Activity] = []
    async with stored(tmp_path) as archive:
        archive.bus.listen(ActivityChanged, lambda event: told.append(event.activity))
        theirs = pause_of(archive)
        marks = Looked(archive.database)
        async with looping(archive, home, marks=marks):
            await until(archive, PROMPTS, [("first",)])
            await theirs.until_resumed()
            await holds(lambda: told[-1:] == [Paused(None)])
            with path.open("ab") as file:
                file.write(lines([chat(1, ["", ""])[0].user("second")]))
            looks = marks.looks
            await holds(lambda: marks.looks > looks + 4)
            assert await archive.rows(PROMPTS) == [("first",)]
            await theirs.resume()
            await until(archive, PROMPTS, [("first",), ("second",)])
            await holds(lambda: isinstance(told[-1], Idle))


async def test_a_pause_stops_the_import_in_hand_and_its_end_goes_on_from_there(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    for number in (1, 2, 3):
        writer, records = chat(number, [f"prompt {number}"])
        transcript(home, writer, records)
    reader = Held()
    async with stored(tmp_path) as archive, looping(archive, home, reader=reader) as loop:
        reader.let(1)
        await until(archive, PROMPTS, [("prompt 1",)])
        await holds(lambda: len(reader.begun) == 2)
        await loop._pause.until_resumed()
        await holds(lambda: not loop._pieces)
        reader.let(100)
        assert await archive.rows(PROMPTS) == [("prompt 1",)]
        await loop._pause.resume()
        await until(archive, PROMPTS, [("prompt 1",), ("prompt 2",), ("prompt 3",)])


async def test_a_cancelled_import_goes_on_only_when_it_is_asked_for(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number in (1, 2, 3):
        writer, records = chat(number, [f"prompt {number}"])
        transcript(home, writer, records)
    reader = Held()
    told: list[Activity] = []
    async with stored(tmp_path) as archive:
        archive.bus.listen(ActivityChanged, lambda event: told.append(event.activity))
        async with looping(archive, home, reader=reader) as loop:
            reader.let(1)
            await holds(lambda: len(reader.begun) == 2)
            loop.cancel_import()
            await holds(lambda: bool(told) and isinstance(told[-1], Idle))
            reader.let(100)
            other, more = chat(4, ["changed meanwhile"])
            transcript(home, other, more)
            await until(archive, PROMPTS, [("prompt 1",), ("changed meanwhile",)])
            loop.read_now()
            everything = ["prompt 1", "changed meanwhile", "prompt 2", "prompt 3"]
            await until(archive, PROMPTS, [(prompt,) for prompt in everything])
            loop.cancel_import()  # there is nothing to cancel, and no harm in it


async def test_what_a_person_asks_for_is_done_once_while_it_is_paused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first_chat(home)
    async with stored(tmp_path) as archive:
        await pause_of(archive).until_resumed()
        marks = Looked(archive.database)
        async with looping(archive, home, marks=marks) as loop:
            loop.read_now()
            await until(archive, PROMPTS, [("first",)])
            assert await archive.rows("select count(*) from segment") == [(0,)]
            archive.clock.now += 365 * 86_400_000
            loop.archive_now()
            await until(archive, "select state from segment", [("closed",)])
            other, more = chat(2, ["said after that"])
            transcript(home, other, more)
            await holds(lambda: len(loop._again) == 1)
            looks = marks.looks
            await holds(lambda: marks.looks > looks + 4)
            assert await archive.rows(PROMPTS) == [("first",)]


async def test_it_tells_what_it_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = first_chat(home)
    told: list[Activity] = []
    async with stored(tmp_path) as archive:
        archive.clock.now += 365 * 86_400_000
        archive.bus.listen(ActivityChanged, lambda event: told.append(event.activity))
        going_on = asyncio.Event()

        async def slow(job: Job) -> None:
            await going_on.wait()

        async with looping(archive, home, work=service(archive, do=slow)):
            await holds(lambda: Archiving(0, 5, Stage.RECAP, "rules") in told)
            going_on.set()
            await until(archive, "select distinct state from job", [("done",)])
            await holds(lambda: isinstance(told[-1], Idle))
    assert Importing(0, 1, 0, str(path)) in told
    assert Archiving(0, 0, None, "rules") in told


async def test_an_import_that_failed_is_tried_again_at_the_next_poll(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first_chat(home)
    problems: list[Problem] = []

    async def report(problem: Problem) -> None:
        problems.append(problem)

    async with stored(tmp_path) as archive, Supervisor(report) as supervisor:
        stop, reader = asyncio.Event(), Full()
        loop = loop_of(archive, home, supervisor, reader=reader)
        running = asyncio.ensure_future(loop.run(stop))
        await holds(lambda: len(problems) == 1)
        reader.is_full = False
        await until(archive, PROMPTS, [("first",)])
        stop.set()
        await asyncio.wait_for(running, 10)
    assert [problem.key for problem in problems] == ["disk-full"]


async def test_stopped_in_a_long_step_it_gives_the_step_back_and_ends(tmp_path: Path) -> None:
    began = asyncio.Event()

    async def endless(job: Job) -> None:
        began.set()
        await asyncio.Event().wait()

    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock.now - 3_600_000))
        async with looping(archive, tmp_path / "home", work=service(archive, do=endless)):
            await asyncio.wait_for(began.wait(), 10)
        assert await archive.rows(
            "select distinct state, attempts, owner, lease_until from job"
        ) == [("waiting", 0, None, None)]
