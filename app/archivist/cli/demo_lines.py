"""What the demo prints, as lines for people. Pure: values in, lines out."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Final

from archivist.cli.output import local, one_line
from archivist.domain.intake import FileReport
from archivist.domain.knowledge import Lesson, SegmentRow
from archivist.domain.refusals import Refusal
from archivist.texts import tr, tr_n

_WIDTH: Final = 110
_NAME: Final = 24
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def title(text: str) -> str:
    """Return the head of a part."""
    return f"\n== {text} =="


def short(session: str) -> str:
    """Return enough of a session's id or a file's name to tell it from the others."""
    return session[:8] if _UUID.fullmatch(session) else session[:_NAME]


def files(reports: Sequence[FileReport]) -> Iterator[str]:
    """Yield what each file holds."""
    for report in reports:
        tally = report.tally
        name = f"  {report.source:<11}  {short(PurePath(report.path).stem):<{_NAME}}  "
        yield name + tr(
            "{user} prompts  {assistant} answers  {tools} tools  {failed} failed",
            user=f"{tally.user + tally.queued:>2}",
            assistant=f"{tally.assistant:>2}",
            tools=f"{tally.tools:>2}",
            failed=tally.failed,
        )


def ignored(reports: Sequence[FileReport]) -> Iterator[str]:
    """Yield copies, empty sessions and broken lines, each with its reason."""
    for report in reports:
        tally, name = report.tally, short(PurePath(report.path).stem)
        said = tally.user + tally.queued + tally.assistant
        if said == 0:
            yield tr("  {name}: nobody said anything in it", name=name)
        elif report.new_turns < said:
            yield tr_n(
                "  {name}: {n} turn is a copy of another session (same ids)",
                "  {name}: {n} turns are copies of another session (same ids)",
                said - report.new_turns,
                name=name,
            )
        if tally.bad_lines:
            yield tr_n(
                "  {name}: {n} line holds no whole record",
                "  {name}: {n} lines hold no whole record",
                tally.bad_lines,
                name=name,
            )
    yield tr(
        "  command echoes, reminders of the program, summaries of compactions: nobody typed them"
    )
    yield tr(
        "  tool results and prompts for sub-agents are kept, but what they say is never a lesson"
    )


def segments(rows: Sequence[SegmentRow]) -> Iterator[str]:
    """Yield the segments by project and session, each on one line."""
    for (project, session), found in groupby(_in_order(rows), key=_place):
        group = list(found)
        yield tr(
            "  {project}  {source} {session}  {day}",
            project=_name(project) or tr("no project"),
            source=group[0].source,
            session=short(session),
            day=local(group[0].start)[:10],
        )
        for row in group:
            head = tr(
                "    {time}  {n} turns  {reason}  [{maker}] ",
                time=local(row.start)[11:],
                n=f"{row.turns:>2}",
                reason=f"{row.reason or tr('open'):<7}",
                maker=row.maker or "-",
            )
            yield head + fit(row.recap or "", _WIDTH - len(head))


def _in_order(rows: Sequence[SegmentRow]) -> list[SegmentRow]:
    """By project, then session, both in the order of their first segment; then by time."""
    order: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: row.start or 0):
        order.setdefault(row.project or "", len(order))
        order.setdefault(f"\n{row.session}", len(order))
    return sorted(
        rows,
        key=lambda row: (order[row.project or ""], order[f"\n{row.session}"], row.start or 0),
    )


def _place(row: SegmentRow) -> tuple[str, str]:
    return row.project or "", row.session


def lessons(found: Sequence[Lesson]) -> Iterator[str]:
    """Yield the lessons by project: what was said, where, and the wording where it differs."""
    ordered = sorted(found, key=lambda lesson: lesson.project)
    for project, group in groupby(ordered, key=lambda lesson: lesson.project):
        yield f"  {_name(project) or tr('everywhere')}"
        for lesson in group:
            yield from _lesson(lesson)


def _lesson(lesson: Lesson) -> Iterator[str]:
    said = lesson.evidence[0].quote if lesson.evidence else ""
    places = tr(", ").join(
        tr("{session} turn {turn}", session=short(item.session), turn=item.turn)
        for item in lesson.evidence
    )
    mark = tr("  (to be looked at twice)") if lesson.untrusted else ""
    yield f"    {lesson.category:<10}  “{one_line(said, _WIDTH)}”  {places}{mark}"
    if lesson.text.strip(" .。") != said.strip(" .。"):
        yield "    " + " " * 12 + tr("worded: {text}", text=lesson.text)


def refusals(found: Sequence[Refusal]) -> Iterator[str]:
    """Yield the look-alikes with the reason why each is none."""
    for item in found:
        yield f"  {item.reason:<14}  “{one_line(item.quote, 90)}”"


def counts(found: Mapping[str, int]) -> str:
    """Return counts in one line, the largest first."""
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tr(", ").join(f"{name} {count}" for name, count in ordered)


def fit(text: str, width: int) -> str:
    """Return a text on one line that is at most so many columns wide."""
    flat, used = " ".join(text.split()), 0
    for number, char in enumerate(flat):
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > width:
            return flat[: max(0, number - 1)].rstrip() + "…"
    return flat


def _name(project: str) -> str:
    return PurePath(project).name
