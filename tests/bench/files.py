"""Memory files under stress: many writers, hand edits, kills. Prints one JSON object.

`writes`: hunks that eight processes wrote to one file. `lost_updates`: how many of them are not in
it. `edits`, `conflicts`, `lost_edits`: files edited by hand between proposal and apply, how many of
those were refused untouched, and lines of an edit that are gone. `kills`, `torn`: processes killed
while they wrote, and files that were then neither as before nor as after. `apply_ms_p95`: the time
of one write.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

from archivist.domain.problems import Problem  # noqa: E402
from helpers import memory_child  # noqa: E402
from helpers.memory_files import Memory, lost_lines, memory  # noqa: E402

WRITERS, EACH = 8, 50
EDITS = 200
KILLS = 30
TIMED = 100

START = b"# Notes\r\n\r\n## Preferences\r\n* Mine\r\n\r\nAn end.\r\n"
PIECES = "- a bullet|* Mine|text|## Preferences|## Facts|# Other||An end.|  more|1. one".split("|")


async def timed(folder: Path) -> float:
    """Return the 95th percentile of one write, in milliseconds."""
    target = folder / "MEMORY.md"
    target.write_bytes(START)
    took: list[float] = []
    async with memory(folder) as here:
        proposal, hunks = await here.propose(target, [f"Rule {n}" for n in range(TIMED)])
        service = here.service
        for hunk in hunks:
            before = time.perf_counter()
            await service.apply(proposal, [hunk])
            took.append((time.perf_counter() - before) * 1000)
    return sorted(took)[int(len(took) * 0.95)]


async def many_writers(folder: Path) -> tuple[int, int]:
    """Return how many hunks were written by processes at the same time, and how many are lost."""
    target = folder / "MEMORY.md"
    target.write_bytes(START)
    texts = [f"Rule {number} of writer {n}" for n in range(WRITERS) for number in range(EACH)]
    async with memory(folder) as here:
        proposal, hunks = await here.propose(target, texts)
    children = [
        memory_child.start("apply", folder, proposal, *hunks[EACH * n : EACH * (n + 1)])
        for n in range(WRITERS)
    ]
    written = 0
    for child in children:
        out, _ = await asyncio.to_thread(child.communicate)
        if child.returncode:
            raise RuntimeError(f"a writer failed: {out}")
        written += sum("done" in json.loads(line) for line in out.splitlines())
    lines = target.read_bytes().splitlines()
    return written, sum(lines.count(f"* {text}".encode()) != 1 for text in texts)


async def hand_edits(folder: Path, chance: random.Random) -> tuple[int, int]:
    """Return how many edited files were refused untouched, and how many edited lines are lost."""
    refused, lost = 0, 0
    async with memory(folder) as here:
        for number in range(EDITS):
            target = folder / f"project{number}" / "MEMORY.md"
            target.parent.mkdir()
            target.write_bytes(document(chance))
            done, gone = await one_edit(here, target, chance)
            await here.service.disable(target)
            refused += not done
            lost += gone
    return refused, lost


async def one_edit(here: Memory, target: Path, chance: random.Random) -> tuple[bool, int]:
    """Edit a file between proposal and apply; return whether it was written and what is lost."""
    project = str(target.parent)
    await here.keep([f"Rule of {target.parent.name}"], project=project)
    await here.service.enable(target, project=project)
    await here.service.propose()
    (proposal,) = [p for p in await here.service.proposals() if p.project == project]
    edited = document(chance) if chance.random() < 0.5 else edit(target.read_bytes(), chance)
    target.write_bytes(edited)
    try:
        await here.service.apply(proposal.id, [hunk.id for hunk in proposal.hunks])
    except Problem:
        return False, int(target.read_bytes() != edited)
    return True, len(lost_lines(edited, target.read_bytes()))


def document(chance: random.Random) -> bytes:
    end = chance.choice(["\n", "\r\n"])
    lines = [chance.choice(PIECES) for _ in range(chance.randrange(12))]
    return (end.join(lines) + chance.choice(["", end])).encode()


def edit(data: bytes, chance: random.Random) -> bytes:
    """Change, delete or insert some lines."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + chance.randrange(2)] = [b"By hand.\n"] * chance.randrange(2)
    return b"".join(lines)


async def kills(folder: Path, chance: random.Random) -> int:
    """Return how many files a kill left torn; each time the next process goes on."""
    target = folder / "MEMORY.md"
    target.write_bytes(START)
    texts = [f"Rule {n}" for n in range(3 * KILLS)]
    states = [START]
    for text in texts:
        states.append(states[-1].replace(b"\r\n\r\nAn", f"\r\n* {text}\r\n\r\nAn".encode()))
    async with memory(folder) as here:
        proposal, hunks = await here.propose(target, texts)
    torn = 0
    for _ in range(KILLS):
        async with memory(folder) as here:
            await here.service.recover()
            waiting = {hunk.id for p in await here.service.proposals() for hunk in p.hunks}
        left = [hunk for hunk in hunks if hunk in waiting]
        torn += target.read_bytes() != states[len(hunks) - len(left)]
        child = memory_child.start("apply", folder, proposal, *left)
        await asyncio.to_thread(memory_child.wait_until_ready, child)
        await asyncio.sleep(chance.uniform(0, 0.05))
        child.kill()
        child.communicate()
        torn += target.read_bytes() not in states
    return torn


async def measure() -> dict[str, float]:
    chance = random.Random(2026)
    with TemporaryDirectory() as name:
        folders = [Path(name).resolve() / part for part in ("timed", "writers", "edits", "kills")]
        for folder in folders:
            folder.mkdir()
        p95 = await timed(folders[0])
        writes, lost_updates = await many_writers(folders[1])
        conflicts, lost_edits = await hand_edits(folders[2], chance)
        torn = await kills(folders[3], chance)
    return {
        "writes": writes,
        "lost_updates": lost_updates,
        "edits": EDITS,
        "conflicts": conflicts,
        "lost_edits": lost_edits,
        "torn": torn,
        "kills": KILLS,
        "apply_ms_p95": round(p95, 2),
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures to a file as well")
    options = parser.parse_args(argv)
    line = json.dumps(asyncio.run(measure()))
    if options.out is not None:
        options.out.write_text(line + "\n", encoding="utf-8")
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
