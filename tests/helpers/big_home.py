"""Fill a home folder with many sessions of Claude Code: code, tool calls, long outputs.

The same number of turns gives the same files.
"""

import random
from pathlib import Path
from typing import Any

from helpers.claude import Writer, call, transcript
from helpers.transcript_texts import answer, code, listing, log, prompt, records, sentence

_SESSION_TURNS = (20, 60, 200, 600)
_TOOLS = ("Bash", "Read", "Edit", "Grep")
_LONG_OUTPUTS = 0.02


def fill(home: Path, turns: int) -> int:
    """Write sessions until there are so many turns; return how many there are."""
    dice = random.Random(2026)
    made = session = 0
    while made < turns:
        session += 1
        writer = Writer(session, cwd=f"/home/demo/code/app{session % 5}")
        count = min(dice.choice(_SESSION_TURNS), turns - made)
        found, rows = _talk(writer, count, dice)
        transcript(home, writer, rows)
        made += found
    return made


def _talk(writer: Writer, turns: int, dice: random.Random) -> tuple[int, list[dict[str, Any]]]:
    """Return at least so many turns of one session, and its records."""
    rows: list[dict[str, Any]] = []
    made = calls = 0
    while made < turns:
        rows.append(writer.user(prompt(dice)))
        steps = dice.randint(1, 4)
        for _ in range(steps):
            calls += 1
            rows += _step(writer, f"toolu_{writer.session[-8:]}{calls:06d}", dice)
        rows.append(writer.assistant(text=answer(dice)))
        made += steps + 2
    return made, rows


def _step(writer: Writer, ident: str, dice: random.Random) -> list[dict[str, Any]]:
    """Return what an assistant says before a tool call, the call and its result."""
    command = code(dice) if dice.random() < 0.3 else sentence(dice)
    used = call(ident, dice.choice(_TOOLS), command=command, path=f"{writer.session}/a.py")
    output = dice.choice((listing, log, records, code))(dice)
    if dice.random() < _LONG_OUTPUTS:
        output = "\n".join(log(dice) for _ in range(dice.randint(20, 200)))
    said = writer.assistant(used, text=sentence(dice))
    return [said, writer.result(ident, output, failed=dice.random() < 0.05)]
