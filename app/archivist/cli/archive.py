"""Commands that read and archive: import, status, archive, run."""

import argparse
import asyncio
import signal
import time
from pathlib import Path
from typing import Any

from archivist.cli.commands import Groups, add_command
from archivist.cli.output import iso, local, note, show
from archivist.domain.intake import FileReport
from archivist.domain.problems import Refused
from archivist.services.archive import Done
from archivist.services.facade import Services
from archivist.services.ingest import Progress
from archivist.services.overview import Overview
from archivist.services.supervise import Supervisor
from archivist.texts import tr, tr_n

_PAUSE = 0.25


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = "Read transcripts: single files, folders, or every source of the home folder."
    parser = add_command(groups, "import", text, _import)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_command(groups, "status", "Show what was read and what waits.", _status)
    text = "Close what is quiet, write recaps, find lessons."
    parser = add_command(groups, "archive", text, _archive)
    parser.add_argument(
        "--wait", action="store_true", help="return when nothing is left to do, by anybody"
    )
    parser = add_command(groups, "run", "Keep the archive up to date until stopped.", _run)
    parser.add_argument("--no-gui", action="store_true", help="without a window or tray icon")


async def _import(services: Services, args: argparse.Namespace) -> int:
    progress = Progress()
    if not args.json:
        progress.listeners.append(_ticker())
    if args.paths:
        reports = services.ingest.import_paths(args.paths, progress=progress)
    else:
        home, off = services.profile.home, services.settings.sources_off
        reports = services.ingest.import_home(home, off=off, progress=progress)
    files = [report async for report in reports]
    new = sum(report.new_turns for report in files)
    value = {"files": [_file_json(report) for report in files], "new_turns": new}
    lines = [_file_line(report) for report in files if report.new_turns or report.reason]
    lines.append(
        tr_n(
            "{n} file read, {new} new turns.",
            "{n} files read, {new} new turns.",
            len(files),
            new=new,
        )
    )
    show(value, lines, as_json=args.json)
    unread = [report for report in files if report.reason]
    return 1 if args.paths and len(unread) == len(files) else 0


def _ticker() -> Any:  # noqa: ANN401 - a listener of Progress
    last = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0:
            last = now
            note(f"{progress.done}/{progress.files}  {progress.path}")

    return tell


def _file_json(report: FileReport) -> dict[str, object]:
    tally = report.tally
    return {
        "path": report.path,
        "source": report.source,
        "user": tally.user,
        "assistant": tally.assistant,
        "tools": tally.tools,
        "failed": tally.failed,
        "queued": tally.queued,
        "skipped": tally.bad_lines,
        "reason": report.reason,
        "new": report.new_turns,
    }


def _file_line(report: FileReport) -> str:
    if report.reason:
        return tr("{path}: not read: {reason}", path=report.path, reason=report.reason)
    line = tr(
        "{path}: {user} prompts, {assistant} answers, {new} new turns",
        path=report.path,
        user=report.tally.user + report.tally.queued,
        assistant=report.tally.assistant,
        new=report.new_turns,
    )
    skipped = report.tally.bad_lines
    more = tr_n("; {n} line could not be read", "; {n} lines could not be read", skipped)
    return line + more if skipped else line


async def _status(services: Services, args: argparse.Namespace) -> int:
    state = await services.overview()
    value = {"sources": _sources_json(state), **state.counts}
    value["problems"] = [
        {"key": p.key, "message": p.message, "advice": p.advice, "count": p.count}
        for p in state.problems
    ]
    show(value, _status_lines(state), as_json=args.json)
    return 0


def _sources_json(state: Overview) -> dict[str, object]:
    return {
        source.source: {
            "sessions": source.sessions,
            "user": source.user,
            "assistant": source.assistant,
            "last_read": iso(source.last_read),
            "at_risk": state.at_risk.get(source.source, 0),
            "files": source.files,
            "skipped": source.skipped,
        }
        for source in state.sources
    }


def _status_lines(state: Overview) -> list[str]:
    lines = [] if state.sources else [tr("Nothing was read yet: run `archivist import`.")]
    for source in state.sources:
        read = tr(
            "{source}: {sessions} sessions, {user} prompts, {assistant} answers, last read {when}",
            source=source.source,
            sessions=source.sessions,
            user=source.user,
            assistant=source.assistant,
            when=local(source.last_read),
        )
        n = state.at_risk.get(source.source, 0)
        risk = tr_n(
            "; {n} transcript is deleted by its assistant within a week (kept here)",
            "; {n} transcripts are deleted by their assistant within a week (kept here)",
            n,
        )
        lines.append(read + risk if n else read)
    counts = state.counts
    lines.append(
        tr(
            "{turns} turns in {segments} segments; {lessons} lessons, {waiting} wait for review; "
            "{proposals} proposed changes",
            **counts,
        )
    )
    lines += [f"! {problem.message} {problem.advice}" for problem in state.problems]
    return lines


async def _archive(services: Services, args: argparse.Namespace) -> int:
    began = time.monotonic()
    done = Done()
    if args.wait:
        await services.archive.finish(done, pause=lambda: asyncio.sleep(_PAUSE))
    else:
        await services.archive.sweep_into(done)
        await services.archive.step(done)
    value = {
        "closed": done.closed,
        "recapped": done.recapped,
        "lessons": done.lessons,
        "seconds": round(time.monotonic() - began, 2),
        "failed": done.failed,
    }
    line = tr(
        "{closed} segments closed, {recapped} recaps written, {lessons} lessons found "
        "in {seconds} s.",
        **value,
    )
    show(value, [line], as_json=args.json)
    return 0


async def _run(services: Services, args: argparse.Namespace) -> int:
    if not args.no_gui:
        raise Refused(tr("This build has no window."), advice=tr("Use `archivist run --no-gui`."))
    with services.instance.held() as is_first:
        if not is_first:
            return await _already_running(services, args)
        with services.logging():
            return await _run_alone(services)


async def _already_running(services: Services, args: argparse.Namespace) -> int:
    answer = await services.instance.ask({"do": "show"})
    value = {"running": True, "answer": answer}
    show(value, [tr("Archivist already runs for this profile.")], as_json=args.json)
    return 0


async def _run_alone(services: Services) -> int:
    stop = asyncio.Event()
    _stop_on_signals(stop)

    async def answer(message: Any) -> dict[str, object]:  # noqa: ANN401 - a JSON line
        return await _answer(services, stop, message)

    note(tr("Archivist keeps {folder} up to date. Ctrl+C ends it.", folder=services.profile.data))
    async with (
        services.instance.listening(answer),
        Supervisor(services.browse.report) as supervisor,
    ):
        await services.loop(supervisor).run(stop)
    return 0


def _stop_on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: the handler runs in the main thread
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


async def _answer(services: Services, stop: asyncio.Event, message: Any) -> dict[str, object]:  # noqa: ANN401 - a JSON line
    """Answer the second start and the command line. Nothing here approves anything."""
    match message:
        case {"do": "status"}:
            state = await services.overview()
            return {"ok": True, **state.counts}
        case {"do": "show"}:
            return {"ok": True, "window": False}
        case {"do": "quit"}:
            stop.set()
            return {"ok": True}
        case _:
            return {"ok": False, "error": "unknown request"}
