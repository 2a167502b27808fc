"""The demo: the whole way on the home folder that ships, in a throw-away profile."""

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from archivist.cli import demo_lines as page
from archivist.cli.commands import Groups, add_command
from archivist.cli.output import note, output_is_watched, show
from archivist.domain.knowledge import Lesson, LessonState, SegmentRow
from archivist.domain.proposals import HunkId
from archivist.domain.turns import Turn
from archivist.services.archive import Done
from archivist.services.facade import Services
from archivist.services.proposals import ShownProposal
from archivist.services.stages import make_recap
from archivist.texts import tr, tr_n

_SAMPLE_LEAST: Final = 500
_SAMPLE_SIZE: Final = 2_000
_PROJECT: Final = "/home/demo/code/orders-api"
_MEMORY_FILE: Final = ("code", "orders-api", "MEMORY.md")

_Part = tuple[dict[str, Any], list[str]]


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
    text = tr("Show the whole way on a small home folder made for the purpose.")
    parser = add_command(groups, "demo", text, _demo)  # type: ignore[arg-type]  # opens its own services
    parser.add_argument("--keep", type=Path, metavar="DIR", help=tr("keep profile and home in DIR"))
    parser.set_defaults(without_services=True)


async def _demo(opened: _Open, args: argparse.Namespace) -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="archivist-demo-") as temporary:
        folder = args.keep.absolute() if args.keep else Path(temporary)
        place = _Place(folder / "profile", folder / "home")
        await asyncio.to_thread(_lay_out, place)
        async with opened(place) as services:
            value = await _show_all(services, place, as_json=args.json)
            can_open = services.profile.can_show_windows
            opens = output_is_watched() and not args.json and can_open()
        value["seconds"] = round(time.monotonic() - began, 1)
        show(value, _last_lines(value["seconds"]), as_json=args.json)
        if opens:
            note(tr("Its windows open now; quit them (Ctrl+Q) to end the demo."))
            await _open_windows(place)
    return 0


def _last_lines(seconds: float) -> list[str]:
    return [
        "",
        tr("The demo took {seconds} s; your own files were not looked at.", seconds=seconds),
        tr("Next: `archivist import` reads yours, `archivist lessons list` shows what it learnt."),
    ]


async def _open_windows(place: _Place) -> None:
    """Run the tray application on the demo until the person quits it."""
    program = (
        [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "archivist"]
    )
    folders = ("--profile-dir", str(place.profile), "--home", str(place.home))
    child = await asyncio.create_subprocess_exec(*program, *folders, "run")
    await child.wait()


def _lay_out(place: _Place) -> None:
    from archivist import resources

    shutil.copytree(resources.path("demo/home"), place.home, dirs_exist_ok=True)
    place.profile.mkdir(parents=True, exist_ok=True)


async def _show_all(services: Services, place: _Place, *, as_json: bool) -> dict[str, Any]:
    """Run each part and print it; return the figures."""
    value: dict[str, Any] = {}
    for part in (_read, _understand, _compare, _review_and_write):
        found, lines = await part(services, place)
        value |= found
        if not as_json:
            show(None, lines, as_json=False)
    return value


async def _read(services: Services, _place: _Place) -> _Part:
    home = services.profile.home
    reports = [report async for report in services.ingest.import_home(home)]
    again = [report async for report in services.ingest.import_home(home)]
    state = await services.overview()
    new = sum(report.new_turns for report in reports)
    twice = sum(report.new_turns for report in again)
    redacted = await services.browse.redactions()
    lines = [
        page.title(tr("What was read")),
        *page.files(reports),
        *(
            tr("  {source}: {sessions} sessions, {user} prompts, {assistant} answers",
               source=s.source, sessions=s.sessions, user=s.user, assistant=s.assistant)
            for s in state.sources
        ),
        tr("  {new} new turns; reading it all again adds {twice}", new=new, twice=twice),
        page.title(tr("What was taken out before anything was written")),
        *(
            tr_n("  {kind}: in {n} turn", "  {kind}: in {n} turns", count, kind=kind)
            for kind, count in redacted.items()
        ),
        page.title(tr("What was ignored, and why")),
        *page.ignored(reports),
    ]  # fmt: skip
    value = {"files": len(reports), "new_turns": new, "second_import": twice, "redacted": redacted}
    return value, lines


async def _understand(services: Services, _place: _Place) -> _Part:
    done = Done()
    await services.archive.finish(done, pause=lambda: asyncio.sleep(0.1))
    rows = await services.browse.segments()
    lessons = await services.review.lessons()
    refused = await services.browse.refusals()
    reasons = _count([row.reason or "open" for row in rows])
    value = {
        "segments": len(rows),
        "reasons": reasons,
        "makers": _count([row.maker for row in rows if row.maker]),
        "lessons": len(lessons),
        "by_lang": _count([lesson.lang for lesson in lessons]),
        "refused": len(refused),
    }
    lines = [
        page.title(tr("Segments: when, why each ended, who made the recap")),
        *page.segments(rows),
        tr("  {n} segments; why they ended: {reasons}", n=len(rows), reasons=page.counts(reasons)),
        page.title(tr("Lessons, in the words they were said in")),
        *page.lessons(lessons),
        page.title(tr("Sentences that look like a lesson and are none")),
        *page.refusals(refused),
    ]
    return value, lines


def _count(names: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


async def _compare(services: Services, _place: _Place) -> _Part:
    """One recap by the small model beside the one by rules, on a segment of ordinary length."""
    lines = [page.title(tr("The same segment, recapped by rules and by the small model"))]
    found = await _ordinary(services, await services.browse.segments())
    if found is None:
        return {"sample": None}, [*lines, tr("  no segment is long enough")]
    row, turns = found
    lines += [f"  [{row.maker}]", *_indented(row.recap or "")]
    if services.recapper is None:
        missing = next(model for model in services.models() if model.role == "text")
        return {"sample": None}, [*lines, f"  {missing.message} {missing.advice}"]
    note(tr("The small model writes one recap ..."))
    made = await make_recap(turns, services.recapper, services.cues)
    lines += [f"  [{made.maker}]", *_indented(made.text)]
    lines += [f"  ({made.note})"] if made.note else []
    sample = {"rules": row.recap, "maker": made.maker, "text": made.text, "note": made.note}
    return {"sample": sample}, lines


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


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


async def _review_and_write(services: Services, place: _Place) -> _Part:
    """Keep what belongs to one project, show the diff, write it, and take it back."""
    target = place.home.joinpath(*_MEMORY_FILE)
    before = await asyncio.to_thread(target.read_bytes)
    await services.proposals.enable(target, project=_PROJECT)
    waiting = await services.review.lessons(LessonState.WAITING)
    keep = [lesson for lesson in waiting if _belongs(lesson)]
    if keep:
        await services.review.keep([lesson.id for lesson in keep])
    proposals = (await services.proposals.propose()).proposals
    lines = [page.title(tr("The proposed change of {file}", file="/".join(_MEMORY_FILE)))]
    written = 0
    for proposal in proposals:
        chosen = _chosen(proposal)
        diff = await services.proposals.preview(proposal.id, chosen)
        lines += [f"  {line}" for line in diff.split("\n")]
        lines += _left_out(proposal)
        written += (await services.proposals.apply(proposal.id, chosen)).written
    after = await asyncio.to_thread(target.read_bytes)
    await services.undo.undo()
    same = await asyncio.to_thread(target.read_bytes) == before
    lines += [
        tr("  {n} changes approved and written: {before} bytes became {after}", n=written,
           before=len(before), after=len(after)),
        tr("  taken back: every byte as before") if same else tr("  TAKING IT BACK FAILED"),
    ]  # fmt: skip
    hunks = sum(len(proposal.hunks) for proposal in proposals)
    return {"kept": len(keep), "hunks": hunks, "written": written, "undone": same}, lines


def _belongs(lesson: Lesson) -> bool:
    return lesson.project == _PROJECT and not lesson.untrusted


def _chosen(proposal: ShownProposal) -> list[HunkId]:
    return [hunk.id for hunk in proposal.hunks if hunk.preselected]


def _left_out(proposal: ShownProposal) -> list[str]:
    return [
        tr("  not chosen beforehand: {words}", words=hunk.added)
        for hunk in proposal.hunks
        if not hunk.preselected
    ]
