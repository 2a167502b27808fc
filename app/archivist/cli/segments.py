"""Commands that read the archive: segments and search."""

import argparse
from typing import Any

from archivist.cli.commands import Groups, add_command, whole
from archivist.cli.output import iso, local, one_line, show
from archivist.domain.hidden import visible
from archivist.domain.knowledge import SegmentRow
from archivist.domain.problems import Refused
from archivist.domain.turns import SegmentId, Turn
from archivist.services.facade import Services
from archivist.services.search import Hit
from archivist.services.segment_text import markdown
from archivist.texts import tr, tr_n

_ID_SHOWN = 12
_ID_LENGTH = len("seg-") + 36
_MOST = 1_000
"""Hits that one search may give."""


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    group = groups.add_parser("segments", help=tr("Browse segments.")).add_subparsers(required=True)
    parser = add_command(group, "list", tr("List the segments, oldest first."), _list)
    text = tr("only recaps by this maker: rules or a model's name")
    parser.add_argument("--maker", help=text)
    parser = add_command(group, "show", tr("Show a segment with its turns."), _show)
    parser.add_argument("id", help=_id_help())
    parser.add_argument("--markdown", action="store_true", help=tr("print it as Markdown"))
    text = tr("Open the transcript that a segment was read from with the system's program.")
    parser = add_command(group, "open", text, _open)
    parser.add_argument("id", help=_id_help())
    parser.add_argument("--folder", action="store_true", help=tr("open the folder it lies in"))
    parser = add_command(groups, "search", tr("Find turns by words."), _search)
    parser.add_argument("query", nargs="+", help=tr('words; "phrases", +must, -not'))
    parser.add_argument("--limit", type=whole(1, _MOST), default=20, metavar="N")
    parser.add_argument("--source")
    parser.add_argument("--project")
    text = tr("only in segments whose recap has this maker")
    parser.add_argument("--maker", help=text)


def _id_help() -> str:
    return tr("the segment's id, or the first characters of it")


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
        id=row.id[:_ID_SHOWN],
        start=local(row.start),
        source=row.source,
        project=visible(row.project or "-"),
        reason=row.reason or tr("still open"),
    )
    recap = [f"    [{row.maker}] {one_line(row.recap, 200)}"] if row.recap else []
    return [head, *recap]


async def _show(services: Services, args: argparse.Namespace) -> int:
    segment = await segment_of(services, args.id)
    if args.markdown:
        text = markdown((await services.segments.preview(segment)).content, local)
        show({"id": segment, "markdown": text}, [text.rstrip("\n")], as_json=args.json)
        return 0
    row, turns = await services.browse.segment(segment)
    value = {**_json(row), "content": [_turn_json(turn) for turn in turns]}
    lines = [*_lines(row), *(line for turn in turns for line in _turn_lines(turn))]
    show(value, lines, as_json=args.json)
    return 0


async def _open(services: Services, args: argparse.Namespace) -> int:
    segment = await segment_of(services, args.id)
    opened = services.segments.open_folder if args.folder else services.segments.open_transcript
    path = await opened(segment)
    show({"opened": str(path)}, [tr("{path} is open.", path=path)], as_json=args.json)
    return 0


async def segment_of(services: Services, start: str) -> SegmentId:
    """Return the one segment whose id begins so. Raises Refused for none, several, or no start."""
    if not start.strip():
        raise Refused(tr("The id of the segment is empty."), advice=_see_list())
    if len(start) >= _ID_LENGTH:
        return SegmentId(start)
    rows = await services.browse.segments()
    found = [row.id for row in rows if row.id.startswith(start)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(tr("No segment's id begins with {start}.", start=start), advice=_see_list())
    some = ", ".join(ident[:_ID_SHOWN] for ident in found[:3])
    raise Refused(
        tr("The ids of {n} segments begin with {start}.", n=len(found), start=start),
        advice=tr("Give more of the id; some of them are: {some}.", some=some),
    )


def _see_list() -> str:
    return tr("`archivist segments list` shows them all.")


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
        f"  > {visible(tool.name)} {one_line(tool.arguments, 80)}: {tool.outcome}"
        for tool in turn.tools
    ]
    return [*lines, turn.failed_tools] if turn.failed_tools else lines


async def _search(services: Services, args: argparse.Namespace) -> int:
    found = await services.search.find(
        " ".join(args.query),
        limit=args.limit,
        source=args.source,
        project=args.project,
        maker=args.maker,
    )
    value = {"hits": [_hit(hit) for hit in found.hits], "mode": found.mode, "ms": found.ms}
    lines = [
        line
        for hit in found.hits
        for line in (
            f"[{hit.turn}] {local(hit.at)}  {hit.source}  {visible(hit.project or '-')}",
            f"    {one_line(hit.snippet, len(hit.snippet))}",
        )
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
