import asyncio
import gc

import pytest

from archivist.domain.problems import Problem
from archivist.services.supervise import Supervisor, settled

LISTED: list[Problem] = []


async def report(problem: Problem) -> None:
    LISTED.append(problem)


@pytest.fixture(autouse=True)
def _empty_list() -> None:
    LISTED.clear()


async def fail(error: Exception) -> None:
    raise error


async def test_a_problem_is_listed_and_the_others_go_on() -> None:
    ended = asyncio.Event()

    async def other() -> None:
        ended.set()

    async with Supervisor(report) as supervisor:
        await supervisor.spawn(fail(Problem("disk full", advice="free some")), name="one")
        await supervisor.spawn(other(), name="two")
    assert ended.is_set()
    assert [problem.message for problem in LISTED] == ["disk full"]


async def test_a_bug_is_logged_with_its_traceback_and_listed_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Supervisor(report) as supervisor:
        await supervisor.spawn(fail(KeyError("secret text")), name="reader")
    assert [problem.key for problem in LISTED] == ["bug-reader-KeyError"]
    assert "secret text" not in LISTED[0].message
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize(
    "fault", [Problem("disk full", advice="free some", key="full"), KeyError("bug")]
)
async def test_a_report_that_fails_is_logged_and_not_reported_again(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    lost: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: lost.append(context))

    async def no_report(_problem: Problem) -> None:
        raise fault

    async with Supervisor(no_report) as supervisor:
        await supervisor.spawn(fail(Problem("unread", advice="", key="unread")), name="one")
        await supervisor.spawn(fail(ValueError("bug")), name="two")
    gc.collect()  # a task that nobody asks tells of its exception when it goes
    assert lost == []
    told = [record.getMessage() for record in caplog.records if "report failed" in record.message]
    assert [line.split()[2] for line in told] == ["problem=unread", "problem=bug-two-ValueError"]
    assert "disk full" not in caplog.text


async def test_leaving_cancels_what_still_runs() -> None:
    cancelled = asyncio.Event()

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with Supervisor(report) as supervisor:
        supervisor.spawn(forever(), name="forever")
        await asyncio.sleep(0)
    assert cancelled.is_set()
    assert LISTED == []


async def test_settled_gives_the_result_the_problem_or_the_bug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fine() -> int:
        return 7

    assert await settled(fine(), where="here") == 7
    problem = Problem("no", advice="yes")
    assert await settled(fail(problem), where="here") is problem
    bug = await settled(fail(ValueError("x")), where="here")
    assert isinstance(bug, Problem)
    assert bug.key == "bug-here-ValueError"
