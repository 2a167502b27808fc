"""What other processes do to memory files in tests: `python -m helpers.memory_child VERB …`.

A Problem is printed as one JSON line with `problem` and `advice`.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from archivist.domain.memory_file import fingerprint
from archivist.domain.problems import Problem
from archivist.machine.files import MemoryFiles
from archivist.ports.files import LockedFile
from helpers.clock import FakeClock
from helpers.memory_files import memory

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


def start(*args: str | Path | int) -> subprocess.Popen[str]:
    """Start a child with pipes; the caller waits for it."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("app", "tests"))
    return subprocess.Popen(
        [sys.executable, "-m", "helpers.memory_child", *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def run(*args: str | Path | int) -> str:
    """Run a child to its end and return what it printed; a failure raises."""
    child = start(*args)
    out, _ = child.communicate(timeout=120)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, [str(arg) for arg in args], out)
    return out.strip()


def wait_until_ready(child: subprocess.Popen[str]) -> None:
    """Wait until a child that applies hunks is about to begin; a child that failed raises."""
    line = child.stdout.readline() if child.stdout is not None else ""
    if line.strip() != json.dumps({"ready": True}):
        raise RuntimeError(f"the child did not begin: {line}")


def say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


async def locked(path: Path, work: Callable[[LockedFile], Awaitable[None]]) -> None:
    async with MemoryFiles(clock=FakeClock(), program="child").locked(path) as file:
        await work(file)


async def replace(path: Path, data: bytes) -> None:
    """Replace a file once, whatever it holds."""

    async def work(file: LockedFile) -> None:
        say(done=await file.replace(data, expect=fingerprint(await file.read())))

    await locked(path, work)


async def append(path: Path, word: str, times: int) -> None:
    """Add a line under the lock, many times."""
    for count in range(times):
        await locked(path, partial(_add_line, line=f"{word} {count}\n".encode()))


async def _add_line(file: LockedFile, *, line: bytes) -> None:
    old = await file.read()
    if not await file.replace((old or b"") + line, expect=fingerprint(old)):
        raise RuntimeError("somebody wrote without the lock")


async def hold(path: Path) -> None:
    """Keep the lock until the standard input ends."""

    async def work(_file: LockedFile) -> None:
        say(held=os.getpid())
        await asyncio.to_thread(sys.stdin.read)

    await locked(path, work)


async def apply(profile: Path, proposal: int, hunks: Sequence[int]) -> None:
    """Write hunks one by one; says which is done."""
    async with memory(profile) as here:
        service = here.service
        say(ready=True)
        for hunk in hunks:
            say(done=hunk, sha256=(await service.apply(proposal, [hunk])).sha256)


async def replace_as_nobody(path: Path, data: bytes) -> None:
    """Replace a file without the rights of root; what needs those to be imported comes first."""
    await asyncio.to_thread(time.monotonic)
    _become_nobody()
    await replace(path, data)


def _become_nobody() -> None:
    if sys.platform != "win32" and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def limit_files(size: int) -> None:
    """Let no file grow beyond a size, as on a full disk."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def main(argv: Sequence[str]) -> None:
    verb, path, *rest = argv
    if verb == "nobody":
        work: Awaitable[None] = replace_as_nobody(Path(path), rest[0].encode())
    elif verb == "limited":
        limit_files(int(rest[0]))
        work = replace(Path(path), b"x" * int(rest[1]))
    elif verb == "append":
        work = append(Path(path), rest[0], int(rest[1]))
    elif verb == "hold":
        work = hold(Path(path))
    else:
        work = apply(Path(path), int(rest[0]), [int(hunk) for hunk in rest[1:]])
    try:
        asyncio.run(_awaited(work))
    except Problem as problem:
        say(problem=problem.message, advice=problem.advice, kind=type(problem).__name__)


async def _awaited(work: Awaitable[None]) -> None:
    await work


if __name__ == "__main__":
    main(sys.argv[1:])
