"""Commands that show what was understood: events and facets."""

import argparse
from typing import Any

from archivist.cli.commands import Groups, add_command
from archivist.cli.output import iso, local, one_line, show
from archivist.cli.segments import segment_of
from archivist.domain.hidden import visible
from archivist.domain.knowledge import EventRow, FacetRow
from archivist.services.facade import Services
from archivist.texts import tr, tr_n


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Decisions, commitments, preferences and facts that were said.")
    group = groups.add_parser("events", help=text).add_subparsers(required=True)
    text = tr("List the events with the words they stand on.")
    parser = add_command(group, "list", text, _events)
    text = tr("only those of one segment: its id, or the first characters of it")
    parser.add_argument("--segment", metavar="ID", help=text)
    text = tr("What is known of you and your projects.")
    group = groups.add_parser("facets", help=text).add_subparsers(required=True)
    add_command(group, "list", tr("List what is known, by project and kind."), _facets)


async def _events(services: Services, args: argparse.Namespace) -> int:
    segment = None if args.segment is None else await segment_of(services, args.segment)
    rows = await services.browse.events(segment)
    lines = [line for row in rows for line in _event_lines(row)]
    show([_event(row) for row in rows], lines or [tr("No events yet.")], as_json=args.json)
    return 0


def _event(row: EventRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "quote": row.quote,
        "turn": row.turn,
        "session": row.session,
        "at": iso(row.at),
        "confidence": round(row.confidence, 2),
        "lang": row.lang,
    }


def _event_lines(row: EventRow) -> list[str]:
    head = tr("{id}  {when}  {kind}  turn {turn}", id=f"{row.id:>4}", when=local(row.at),
              kind=row.kind, turn=row.turn)  # fmt: skip
    return [head, f"        “{one_line(row.quote, 200)}”"]


async def _facets(services: Services, args: argparse.Namespace) -> int:
    rows = await services.browse.facets()
    lines = [_facet_line(row) for row in rows]
    show([_facet(row) for row in rows], lines or [tr("Nothing is known yet.")], as_json=args.json)
    return 0


def _facet(row: FacetRow) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "slot": row.slot,
        "value": row.value,
        "confidence": round(row.confidence, 2),
        "evidence": row.evidence,
        "first": iso(row.first_at),
        "last": iso(row.last_at),
        "project": row.project or None,
    }


def _facet_line(row: FacetRow) -> str:
    return tr_n(
        "{kind}  {slot}: {value}  ({where}; said {n} time, last {when})",
        "{kind}  {slot}: {value}  ({where}; said {n} times, last {when})",
        row.evidence,
        kind=row.kind,
        slot=visible(row.slot),
        value=one_line(row.value, 200),
        where=visible(row.project) or tr("everywhere"),
        when=local(row.last_at),
    )
