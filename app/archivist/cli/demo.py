"""The demo: the whole way on the home folder that ships, in a throw-away profile."""

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from archivist.cli.commands import Groups, add_command
from archivist.cli.lessons import lesson_lines
from archivist.cli.output import local, note, one_line, show
from archivist.domain.intake import FileReport
from archivist.domain.knowledge import Lesson, LessonState, SegmentRow
from archivist.domain.turns import Turn
from archivist.services.archive import Done
from archivist.services.facade import Services
from archivist.services.stages import make_recap
from archivist.texts import tr, tr_n

_SAMPLE_LEAST = 500
_SAMPLE_SIZE = 2_000
_PROJECT = "/home/demo/code/orders-api"
_MEMORY_FILE = ("code", "orders-api", "MEMORY.md")


class _Open(Protocol):
    """Opens a profile; given by the command line."""

    def __call__(self, options: Any) -> AbstractAsyncContextManager[Services]: ...  # noqa: ANN401 - cli.main.Options


@dataclass(frozen=True, slots=True)
class _Place:
    """What the demo opens: a copy of the demo home and an empty profile."""

    profile: Path
    home: Path


def add(groups: Groups) -> None:
    """Add the command."""
    text = "Show the whole way on a small home folder made for the purpose."
    parser = add_command(groups, "demo", text, _demo)  # type: ignore[arg-type]  # opens its own services
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep profile and home in DIR")
    parser.set_defaults(without_services=True)


async def _demo(opened: _Open, args: argparse.Namespace) -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="archivist-demo-") as temporary:
        folder = args.keep.absolute() if args.keep else Path(temporary)
        place = _Place(folder / "profile", folder / "home")
        await asyncio.to_thread(_lay_out, place)
        async with opened(place) as services:
            value = await _show_all(services, place, as_json=args.json)
    value["seconds"] = round(time.monotonic() - began, 1)
    line = tr("The demo took {seconds} s.", seconds=value["seconds"])
    show(value, [line], as_json=args.json)
    return 0


def _lay_out(place: _Place) -> None:
    from archivist import resources

    shutil.copytree(resources.path("demo/home"), place.home, dirs_exist_ok=True)
    place.profile.mkdir(parents=True, exist_ok=True)


async def _show_all(services: Services, place: _Place, *, as_json: bool) -> dict[str, Any]:
    """Run each part and print it; return the figures."""
    parts = (_read, _understand, _review_and_write)
    value: dict[str, Any] = {}
    for part in parts:
        found, lines = await part(services, place)
        value |= found
        if not as_json:
            show(None, lines, as_json=False)
    return value


async def _read(services: Services, _place: _Place) -> tuple[dict[str, Any], list[str]]:
    home = services.profile.home
    reports = [report async for report in services.ingest.import_home(home)]
    again = [report async for report in services.ingest.import_home(home)]
    state = await services.overview()
    lines = [_title(tr("What was read")), *_reading_lines(reports)]
    lines += [
        tr("  {source}: {sessions} sessions, {user} prompts, {assistant} answers",
           source=s.source, sessions=s.sessions, user=s.user, assistant=s.assistant)
        for s in state.sources
    ]  # fmt: skip
    new = sum(report.new_turns for report in reports)
    twice = sum(report.new_turns for report in again)
    lines.append(tr("  {new} new turns; reading it all again adds {twice}", new=new, twice=twice))
    redacted = await services.browse.redactions()
    lines += [_title(tr("What was redacted before it was written"))]
    lines += [f"  {kind}: {count} x" for kind, count in redacted.items()]
    lines += [_title(tr("What was ignored, and why")), *_ignored(reports)]
    value = {"files": len(reports), "new_turns": new, "second_import": twice, "redacted": redacted}
    return value, lines


def _reading_lines(reports: Sequence[FileReport]) -> Iterator[str]:
    for report in reports:
        tally = report.tally
        yield (
            f"  {report.source:<12} {Path(report.path).name:<45} "
            + tr("{user} prompts  {assistant} answers  {tools} tools  {failed} failed",
                 user=tally.user + tally.queued, assistant=tally.assistant,
                 tools=tally.tools, failed=tally.failed)
        )  # fmt: skip


def _ignored(reports: Sequence[FileReport]) -> Iterator[str]:
    """Copies, empty sessions and broken lines, each with its reason."""
    for report in reports:
        tally, name = report.tally, Path(report.path).name
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
    yield tr("  prompts that an agent gave its sub-agent, command echoes, reminders, summaries of")
    yield tr("  compactions and tool results are no words of yours: kept or dropped, never lessons")


async def _understand(services: Services, _place: _Place) -> tuple[dict[str, Any], list[str]]:
    done = Done()
    await services.archive.finish(done, pause=lambda: asyncio.sleep(0.1))
    rows = await services.browse.segments()
    lines = [_title(tr("Segments, why each ended, and its recap"))]
    for row in rows:
        lines += _segment_lines(row)
    lessons = await services.review.lessons()
    lines += [_title(tr("Lessons with the words they stand on"))]
    lines += [line for lesson in lessons for line in lesson_lines(lesson)]
    refused = await services.browse.refusals()
    lines += [_title(tr("Sentences that look like a lesson and are none"))]
    lines += [f"  {item.reason:<12} “{one_line(item.quote, 90)}”" for item in refused]
    lines += await _sample(services, rows)
    value = {
        "segments": len(rows),
        "reasons": _count([row.reason or "open" for row in rows]),
        "lessons": len(lessons),
        "by_lang": _count([lesson.lang for lesson in lessons]),
        "refused": len(refused),
    }
    return value, lines


def _segment_lines(row: SegmentRow) -> list[str]:
    head = tr_n(
        "  {start}  {project}  {n} turn  ended by: {reason}",
        "  {start}  {project}  {n} turns  ended by: {reason}",
        row.turns,
        start=local(row.start),
        project=Path(row.project or "-").name,
        reason=row.reason or tr("still open"),
    )
    return [head, f"      [{row.maker}] {one_line(row.recap or '', 240)}"]


def _count(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in sorted(set(names))}


async def _sample(services: Services, rows: Sequence[SegmentRow]) -> list[str]:
    """One recap by the small model beside the one by rules, on a segment of ordinary length."""
    lines = [_title(tr("One recap by rules and by the small model"))]
    found = await _ordinary(services, rows)
    if found is None:
        return [*lines, tr("  no segment is long enough")]
    row, turns = found
    lines.append(f"  [{row.maker}] {row.recap}")
    if services.recapper is None:
        (missing,) = (n for n in services.models() if n.role == "text")
        return [*lines, f"  {missing.message} {missing.advice}"]
    note(tr("The small model writes one recap ..."))
    made = await make_recap(turns, services.recapper, services.cues())
    lines.append(f"  [{made.maker}] {made.text}")
    return [*lines, f"  ({made.note})"] if made.note else lines


async def _ordinary(
    services: Services, rows: Sequence[SegmentRow]
) -> tuple[SegmentRow, Sequence[Turn]] | None:
    """Return the English segment whose length is nearest to that of an ordinary one."""
    best: tuple[int, SegmentRow, Sequence[Turn]] | None = None
    for row in rows:
        found, turns = await services.browse.segment(row.id)
        size = sum(len(turn.text) for turn in turns)
        is_english = all(ord(char) < 0x80 for turn in turns for char in turn.text)
        off = abs(size - _SAMPLE_SIZE)
        if is_english and size >= _SAMPLE_LEAST and (best is None or off < best[0]):
            best = (off, found, turns)
    return best[1:] if best else None


async def _review_and_write(services: Services, place: _Place) -> tuple[dict[str, Any], list[str]]:
    """Keep what belongs to one project, show the diff, write it, and take it back."""
    target = place.home.joinpath(*_MEMORY_FILE)
    before = await asyncio.to_thread(target.read_bytes)
    await services.proposals.enable(target, project=_PROJECT)
    waiting = await services.review.lessons(LessonState.WAITING)
    keep = [lesson for lesson in waiting if _belongs(lesson)]
    if keep:
        await services.review.keep([lesson.id for lesson in keep])
    await services.proposals.propose()
    lines = [_title(tr("The proposed change of {file}", file="/".join(_MEMORY_FILE)))]
    proposals = await services.proposals.proposals()
    hunks = [hunk for proposal in proposals for hunk in proposal.hunks]
    lines += [line for hunk in hunks for line in hunk.diff.rstrip("\n").split("\n")]
    written = 0
    for proposal in proposals:
        chosen = [hunk.id for hunk in proposal.hunks if hunk.preselected]
        await services.proposals.apply(proposal.id, chosen)
        written += len(chosen)
    after = await asyncio.to_thread(target.read_bytes)
    lines.append(
        tr("  {n} hunks approved and written: {before} bytes became {after}", n=written,
           before=len(before), after=len(after))
    )  # fmt: skip
    await services.undo.undo()
    same = await asyncio.to_thread(target.read_bytes) == before
    lines.append(tr("  undone: every byte as before") if same else tr("  UNDO FAILED"))
    return {"kept": len(keep), "hunks": len(hunks), "written": written, "undone": same}, lines


def _belongs(lesson: Lesson) -> bool:
    return lesson.project == _PROJECT and not lesson.untrusted


def _title(text: str) -> str:
    return f"\n== {text} =="
