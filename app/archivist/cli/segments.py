"""Commands that read the archive: segments and search."""

import argparse
from typing import Any

from archivist.cli.commands import Groups, add_command
from archivist.cli.output import iso, local, one_line, show
from archivist.domain.knowledge import SegmentRow
from archivist.domain.turns import SegmentId, Turn
from archivist.services.facade import Services
from archivist.services.search import Hit
from archivist.texts import tr, tr_n


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    group = groups.add_parser("segments", help="Browse segments.").add_subparsers(required=True)
    parser = add_command(group, "list", "List the segments, oldest first.", _list)
    parser.add_argument("--maker", help="only recaps by this maker: rules or a model's name")
    parser = add_command(group, "show", "Show a segment with its turns.", _show)
    parser.add_argument("id", help="the segment's id, or its first characters")
    parser = add_command(groups, "search", "Find turns by words.", _search)
    parser.add_argument("query", nargs="+", help='words; "phrases", +must, -not')
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--source")
    parser.add_argument("--project")
    parser.add_argument("--maker", help="only in segments whose recap has this maker")


async def _list(services: Services, args: argparse.Namespace) -> int:
    rows = await services.browse.segments(maker=args.maker)
    lines = [line for row in rows for line in _lines(row)]
    show([_json(row) for row in rows], lines or [tr("No segments yet.")], as_json=args.json)
    return 0


def _json(row: SegmentRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "session": row.session,
        "source": row.source,
        "project": row.project,
        "start": iso(row.start),
        "end": iso(row.end),
        "turns": row.turns,
        "reason": row.reason,
        "recap": row.recap,
        "maker": row.maker,
        "state": row.state,
        "trouble": row.trouble,
    }


def _lines(row: SegmentRow) -> list[str]:
    head = tr_n(
        "{id}  {start}  {source}  {project}  {n} turn  closed: {reason}",
        "{id}  {start}  {source}  {project}  {n} turns  closed: {reason}",
        row.turns,
        id=row.id[:12],
        start=local(row.start),
        source=row.source,
        project=row.project or "-",
        reason=row.reason or tr("still open"),
    )
    recap = [f"    [{row.maker}] {one_line(row.recap, 200)}"] if row.recap else []
    return [head, *recap]


async def _show(services: Services, args: argparse.Namespace) -> int:
    wanted = args.id
    if len(wanted) < len("seg-") + 36:
        rows = await services.browse.segments()
        wanted = next((row.id for row in rows if row.id.startswith(wanted)), wanted)
    row, turns = await services.browse.segment(SegmentId(wanted))
    value = {**_json(row), "content": [_turn_json(turn) for turn in turns]}
    lines = [*_lines(row), *(line for turn in turns for line in _turn_lines(turn))]
    show(value, lines, as_json=args.json)
    return 0


def _turn_json(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.id,
        "role": turn.role,
        "at": iso(turn.at),
        "text": turn.text,
        "failed_tools": turn.failed_tools,
        "tools": [
            {"name": t.name, "arguments": t.arguments, "outcome": t.outcome, "output": t.output}
            for t in turn.tools
        ],
    }


def _turn_lines(turn: Turn) -> list[str]:
    lines = ["", f"[{turn.id}] {turn.role}  {local(turn.at)}", turn.text]
    lines += [
        f"  > {tool.name} {one_line(tool.arguments, 80)}: {tool.outcome}" for tool in turn.tools
    ]
    return [*lines, turn.failed_tools] if turn.failed_tools else lines


async def _search(services: Services, args: argparse.Namespace) -> int:
    found = await services.search.find(
        " ".join(args.query),
        limit=max(1, min(args.limit, 1_000)),
        source=args.source,
        project=args.project,
        maker=args.maker,
    )
    value = {"hits": [_hit(hit) for hit in found.hits], "mode": found.mode, "ms": found.ms}
    lines = [
        f"[{hit.turn}] {local(hit.at)}  {hit.source}  {hit.project or '-'}\n    {hit.snippet}"
        for hit in found.hits
    ]
    count = tr_n("{n} turn in {ms} ms.", "{n} turns in {ms} ms.", len(found.hits), ms=found.ms)
    show(value, [*lines, count], as_json=args.json)
    return 0


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "turn": hit.turn,
        "session": hit.session,
        "source": hit.source,
        "project": hit.project,
        "at": iso(hit.at),
        "snippet": hit.snippet,
        "score": hit.score,
    }
