import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from archivist.domain.problems import ModelUnavailable
from archivist.models.endings import WorkerKind
from archivist.models.messages import (
    Complete,
    Encode,
    Encoded,
    LoadText,
    LoadVectors,
)
from archivist.models.process import (
    Limits,
    WorkerProcess,
    WorkerState,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX")

# Answers each Encode with the number of its texts as dimension, in the way its argument says. The
# first argument is a file with one line for each start.
FAKE = """
import os, signal, sys, time
from archivist.models import frames, messages
from archivist.models.messages import Encode, Encoded, Failed, Loaded

starts, mode = sys.argv[1:]
with open(starts, "a") as file:
    file.write("start\\n")
source, sink = sys.stdin.buffer, sys.stdout.buffer

def answer(number, message):
    sink.write(frames.pack(messages.to_frame(number, message)))
    sink.flush()

if mode == "exits":
    sys.exit(3)
while (frame := frames.read(source)) is not None:
    request = messages.parse_request(frame)
    if not isinstance(request, Encode):
        answer(frame.number, Failed("weights", "broken") if mode == "no-load" else Loaded(1))
        continue
    word = request.texts[0]
    if mode == "hangs":
        time.sleep(600)
    elif mode in ("SIGSEGV", "SIGILL", "SIGKILL", "SIGABRT"):
        os.kill(os.getpid(), getattr(signal, mode))
        time.sleep(600)
    elif mode == "garbage":
        sink.write(b"Segmentation fault (core dumped)\\n")
        sink.flush()
        time.sleep(600)
    elif mode == "half":
        sink.write(frames.pack(messages.to_frame(frame.number, Loaded(1)))[:12])
        sink.flush()
        os._exit(0)
    elif mode == "unasked":
        answer(frame.number + 7, Loaded(1))
        time.sleep(600)
    elif mode == "closes-stdin":
        os.close(0)
        time.sleep(600)
    elif mode == "closes-stdout":
        os.close(1)
        time.sleep(600)
    elif mode == "memory":
        answer(frame.number, Failed("memory", "not enough"))
    elif mode == "chatty":
        os.write(2, b"x" * 1_000_000 + b" the last words")
        os._exit(5)
    elif mode == "stubborn":
        answer(frame.number, Encoded(0, len(request.texts), b""))
        source.read()
        time.sleep(600)
    else:
        time.sleep(float(word))
        answer(frame.number, Encoded(0, len(request.texts), b""))
"""


@pytest.fixture
def starts(tmp_path: Path) -> Path:
    """One line for each start of the fake worker."""
    return tmp_path / "starts"


@pytest.fixture
def fake(tmp_path: Path, starts: Path) -> Callable[..., WorkerProcess]:
    """Makes a process of the fake worker in a mode; `echo` waits as many seconds as it is told."""
    script = tmp_path / "fake_worker.py"
    script.write_text(FAKE, encoding="utf-8")

    def make(
        mode: str,
        *,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        clock: Callable[[], float] = time.monotonic,
    ) -> WorkerProcess:
        command = (sys.executable, "-P", str(script), str(starts), mode)
        return WorkerProcess(
            WorkerKind.VECTORS, LoadVectors(1), command=command, limits=limits, clock=clock
        )

    return make


def count(starts: Path) -> int:
    return len(starts.read_text().splitlines()) if starts.exists() else 0


async def gone(pid: int, *, within: float) -> None:
    """Wait until a process is no more, a zombie counted as gone."""
    async with asyncio.timeout(within):
        while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            await asyncio.sleep(0.01)


def pid_of(worker: WorkerProcess) -> int:
    pid = worker.status.pid
    assert pid is not None
    return pid


async def size(worker: WorkerProcess, *texts: str, seconds: float = 10.0) -> int:
    """Ask the fake; the answer is the number of texts, so that a stranger's answer is noticed."""
    answer = await worker.ask(Encode(texts), seconds=seconds)
    assert isinstance(answer, Encoded)
    return answer.dimension


# -- a worker that fails ---------------------------------------------------------------------


@pytest.mark.usefixtures("allow_logs")
@pytest.mark.parametrize(
    "mode, sentence",
    [
        ("exits", "ended by itself (exit code 3)"),
        ("half", "ended by itself (exit code 0)"),
        ("chatty", "ended by itself (exit code 5)"),
        ("hangs", "did not answer within"),
        ("garbage", "gave an unreadable answer"),
        ("unasked", "gave an unreadable answer"),
        pytest.param("closes-stdin", "closed its pipe", marks=POSIX),
        pytest.param("closes-stdout", "closed its pipe", marks=POSIX),
        pytest.param("SIGILL", "this build needs processor instructions", marks=POSIX),
        pytest.param("SIGSEGV", "crashed", marks=POSIX),
        pytest.param("SIGABRT", "crashed", marks=POSIX),
        pytest.param("SIGKILL", "most likely because memory ran out", marks=POSIX),
        ("no-load", "does not work: broken"),
    ],
)
async def test_every_failure_is_a_sentence_and_leaves_no_child(
    fake: Callable[..., WorkerProcess], starts: Path, mode: str, sentence: str
) -> None:
    worker = fake(mode)
    seconds = 0.3 if mode == "hangs" else 10.0
    with pytest.raises(ModelUnavailable) as problem:
        await size(worker, "0", seconds=seconds)
    assert sentence in problem.value.message
    assert problem.value.advice.startswith("Search goes on by words.")
    assert worker.status.stopped == problem.value.message
    with pytest.raises(ModelUnavailable, match=r"search model"):  # a new start, not a hang
        await size(worker, "0", seconds=seconds)
    assert count(starts) == 2
    await worker.close()
    assert worker.status.pid is None
    assert not psutil.Process().children()


async def test_what_it_cannot_do_it_says_and_lives_on(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    worker = fake("memory")
    for _ in range(6):
        with pytest.raises(ModelUnavailable, match="ran out of memory"):
            await size(worker, "0")
    assert count(starts) == 1
    await worker.close()


async def test_the_log_gets_the_last_lines(
    fake: Callable[..., WorkerProcess], caplog: pytest.LogCaptureFixture
) -> None:
    worker = fake("chatty")
    with pytest.raises(ModelUnavailable):
        await size(worker, "0")
    assert "the last words" in caplog.text
    assert len(caplog.text) < 10_000
    await worker.close()


async def test_a_program_that_is_not_there_is_a_problem() -> None:
    worker = WorkerProcess(
        WorkerKind.TEXT, LoadText("x", 1, 1), command=("/nowhere/archivist", "--worker", "text")
    )
    with pytest.raises(ModelUnavailable, match="could not be started"):
        await worker.ask(Complete((), 1), seconds=1)
    await worker.close()


@pytest.mark.usefixtures("allow_logs")
async def test_three_restarts_then_a_pause_until_the_window_has_passed(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    now = [1_000.0]
    worker = fake("exits", clock=lambda: now[0])
    for _ in range(4):
        with pytest.raises(ModelUnavailable, match="exit code 3"):
            await size(worker, "0")
        now[0] += 10
    assert worker.status.state is WorkerState.PAUSED
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="paused for 9 more minutes"):
            await size(worker, "0")
    assert count(starts) == 4
    now[0] = 1_600.0
    assert worker.status.pid is None
    with pytest.raises(ModelUnavailable, match="exit code 3"):
        await size(worker, "0")
    assert count(starts) == 5
    await worker.close()


@POSIX
@pytest.mark.usefixtures("allow_logs")
async def test_a_worker_that_died_while_idle_is_replaced(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    worker = fake("echo")
    assert await size(worker, "0") == 1
    pid = pid_of(worker)
    os.kill(pid, signal.SIGKILL)
    await gone(pid, within=5)
    async with asyncio.timeout(5):
        while worker.status.pid is not None:
            await asyncio.sleep(0.01)
    assert await size(worker, "0", "0") == 2
    assert count(starts) == 2
    assert "memory ran out" in worker.status.stopped
    await worker.close()


# -- order, cancelling, ending ---------------------------------------------------------------


async def test_questions_wait_for_each_other(fake: Callable[..., WorkerProcess]) -> None:
    worker = fake("echo")
    asked = [size(worker, *["0.01"] * (1 + n)) for n in range(8)]
    assert await asyncio.gather(*asked) == [1, 2, 3, 4, 5, 6, 7, 8]
    await worker.close()


async def test_a_cancelled_question_leaves_the_pipe_in_step(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    worker = fake("echo")
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):  # at first also while it starts
                await size(worker, "0.4", "0.4", "0.4")
        assert await size(worker, "0") == 1
    assert count(starts) == 1
    await worker.close()


async def test_a_question_cancelled_while_it_waits_is_never_sent(
    fake: Callable[..., WorkerProcess],
) -> None:
    worker = fake("echo")
    await size(worker, "0")
    async with asyncio.TaskGroup() as group:
        first = group.create_task(size(worker, "0.3"))
        second = group.create_task(size(worker, "60", "60"))
        third = group.create_task(size(worker, *["0"] * 3))
        await asyncio.sleep(0.05)
        second.cancel()
    assert (first.result(), third.result()) == (1, 3)
    await worker.close()


async def test_an_answer_nobody_waits_for_is_not_waited_for_long(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    worker = fake("echo", limits=Limits(patience_seconds=0.1))
    await size(worker, "0")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await size(worker, "600")
    assert await size(worker, "0", "0") == 2
    assert count(starts) == 2
    assert worker.status.stopped == ""  # we ended it: no restart is used up
    await worker.close()
    assert not psutil.Process().children()


async def test_closing_ends_the_question_in_hand(fake: Callable[..., WorkerProcess]) -> None:
    worker = fake("echo")
    await size(worker, "0")
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(_outcome(worker))
        await asyncio.sleep(0.1)
        await worker.close()
    assert "was closed while it worked" in asked.result()
    assert not psutil.Process().children()
    assert await size(worker, "0") == 1  # it may be used again
    await worker.close()


async def _outcome(worker: WorkerProcess) -> str:
    try:
        return str(await size(worker, "600", seconds=600))
    except ModelUnavailable as problem:
        return problem.message


async def test_a_worker_that_does_not_want_to_end_is_killed(
    fake: Callable[..., WorkerProcess],
) -> None:
    worker = fake("stubborn")
    await size(worker, "0")
    pid = pid_of(worker)
    await worker.close()
    assert not psutil.pid_exists(pid)


async def test_kill_needs_no_waiting(fake: Callable[..., WorkerProcess]) -> None:
    worker = fake("stubborn")
    await size(worker, "0")
    pid = pid_of(worker)
    worker.kill()
    await gone(pid, within=5)
    await worker.close()


async def test_an_idle_worker_is_ended_and_started_again(
    fake: Callable[..., WorkerProcess], starts: Path
) -> None:
    worker = fake("echo", limits=Limits(idle_seconds=0.1))
    for number in (1, 2):
        assert await size(worker, "0.3") == 1  # work is not idleness
        await gone(pid_of(worker), within=5)
        assert worker.status.state is WorkerState.OFF
        assert count(starts) == number
    await worker.close()


@POSIX
async def test_a_worker_that_reacts_to_nothing_is_gone_before_the_program(
    fake: Callable[..., WorkerProcess],
) -> None:
    worker = fake("echo")
    await size(worker, "0")
    pid = pid_of(worker)
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    await worker.close()
    assert time.monotonic() - began < 0.6
    assert not psutil.pid_exists(pid)
