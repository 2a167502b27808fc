"""`kill -9` at random moments of import, archiving and apply: the end is that of a quiet run."""

import random
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from helpers.program import Program, demo

KILLS = 10
SOONEST = 0.05
"""Seconds before which nothing is killed."""

STATE = {
    "turns": """
        select s.native_id, e.seq, e.role, e.text, e.at, e.failed_tools, e.message_key
        from episode e join session s on s.id = e.session_id order by 1, 2""",
    "tools": """
        select e.message_key, t.seq, t.name, t.arguments, t.outcome, t.output
        from tool_call t join episode e on e.id = t.episode_id order by 1, 2""",
    "segments": """
        select s.native_id, g.start_at, g.end_at, g.exchanges, g.state,
          -- what a killed run has left open and quiet is swept by the next one
          iif(g.reason = 'sweep', 'idle', g.reason),
          r.text, r.maker, (select count(*) from episode where segment_id = g.id),
          (select min(seq) from episode where segment_id = g.id)
        from segment g join session s on s.id = g.session_id
        left join recap r on r.segment_id = g.id order by 1, 10""",
    "vectors": "select count(*) from vector",
    "events": """
        select e.message_key, v.kind, v.quote, v.cue from event v
        join episode e on e.id = v.episode_id order by 1, 2, 3""",
    "facets": "select kind, slot, project, value, evidence_count from facet order by 1, 2, 3",
    "lessons": """
        select l.norm, l.project, l.category, l.state, l.text, e.message_key, v.quote
        from lesson l join evidence v on v.lesson_id = l.id
        join episode e on e.id = v.episode_id order by 1, 2, 6, 7""",
    "jobs": "select stage, state, count(*) from job group by 1, 2",
    "index": "select count(*) from episode_fts where episode_fts match 'postgres'",
}


def state(program: Program) -> dict[str, list[tuple[object, ...]]]:
    """Everything that must not depend on how often the program was killed."""
    connection = sqlite3.connect(program.profile / "archive.db")
    try:
        check = connection.execute("pragma integrity_check").fetchall()
        assert check == [("ok",)]
        return {name: connection.execute(query).fetchall() for name, query in STATE.items()}
    finally:
        connection.close()


def disturb(program: Program, dice: random.Random, *arguments: str, seconds: float) -> int:
    """Start a command again and again and kill it at random moments; return how many were hit.

    `seconds` is how long it takes. One that ends before its moment takes less by now: there is less
    left to do, or the computer is less busy than when that was measured.
    """
    hit = 0
    for _ in range(KILLS):
        began = time.monotonic()
        child = program.start(*arguments)
        try:
            child.communicate(timeout=dice.uniform(SOONEST, seconds))
            seconds = max(2 * SOONEST, min(seconds, time.monotonic() - began))
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            hit += 1
    return hit


def timed(program: Program, *arguments: str) -> float:
    began = time.monotonic()
    program.run(*arguments)
    return time.monotonic() - began


def keep_and_propose(program: Program) -> tuple[Path, int, list[int]]:
    target = program.home / "code" / "orders-api" / "MEMORY.md"
    program.run("memory", "enable", str(target))
    lessons = program.ask("lessons", "list")
    keep = [str(x["id"]) for x in lessons if x["project"] == "/home/demo/code/orders-api"][:6]
    program.run("lessons", "keep", *keep)
    (proposal,) = program.ask("memory", "propose")
    return target, proposal["id"], [hunk["id"] for hunk in proposal["hunks"]]


def apply_all(program: Program) -> None:
    for proposal in program.ask("memory", "proposals"):
        hunks = [item for hunk in proposal["hunks"] for item in ("--hunk", str(hunk["id"]))]
        program.run("memory", "apply", str(proposal["id"]), *hunks)


@pytest.mark.long
def test_killed_at_thirty_moments_the_end_is_the_same(tmp_path: Path) -> None:
    quiet, shaken = demo(tmp_path / "quiet"), demo(tmp_path / "shaken")
    importing = timed(quiet, "import")
    archiving = timed(quiet, "archive", "--wait")
    undisturbed = state(quiet)
    target, proposal, hunks = keep_and_propose(quiet)
    applying = timed(
        quiet, "memory", "apply", str(proposal), *[x for h in hunks for x in ("--hunk", str(h))]
    )
    dice = random.Random(20260930)

    hits = disturb(shaken, dice, "import", seconds=importing)
    shaken.run("import")
    hits += disturb(shaken, dice, "archive", "--wait", seconds=archiving)
    shaken.run("archive", "--wait")
    assert state(shaken) == undisturbed

    moved, proposal, hunks = keep_and_propose(shaken)
    arguments = ["memory", "apply", str(proposal), *[x for h in hunks for x in ("--hunk", str(h))]]
    hits += disturb(shaken, dice, *arguments, seconds=applying)
    apply_all(shaken)
    assert moved.read_bytes() == target.read_bytes()
    assert shaken.ask("memory", "proposals") == []
    leftovers = [
        p.name for p in moved.parent.iterdir() if p.name not in {"MEMORY.md", ".memory-write.lock"}
    ]
    assert leftovers == []
    assert hits >= 20, f"{hits} kills: they came too late to mean anything"
