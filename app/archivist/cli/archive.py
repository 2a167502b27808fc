"""Commands that read and archive: import, status, archive, run."""

import argparse
import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from archivist.cli import counts, pausing
from archivist.cli.commands import Groups, add_command
from archivist.cli.output import iso, local, note, show
from archivist.domain.hidden import visible
from archivist.domain.intake import FileReport
from archivist.domain.problems import Problem, Refused
from archivist.ports.machine import Message
from archivist.services.archive import Done
from archivist.services.facade import Services
from archivist.services.ingest import Progress
from archivist.services.overview import Overview
from archivist.services.supervise import Supervisor, is_bug, settled, stop_on_signals
from archivist.texts import tr, tr_n

_PAUSE = 0.25
_LOG = "log-file"


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Read transcripts: single files, folders, or every source of the home folder.")
    parser = add_command(groups, "import", text, _import)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_command(groups, "status", tr("Show what was read and what waits."), _status)
    text = tr("Close what is quiet, write recaps, find lessons.")
    parser = add_command(groups, "archive", text, _archive)
    text = tr("return when nothing is left to do, by anybody")
    parser.add_argument("--wait", action="store_true", help=text)
    parser = add_command(groups, "run", tr("Keep the archive up to date until stopped."), _run)
    text = tr("without a window or tray icon")
    parser.add_argument("--no-gui", action="store_true", help=text)
    text = tr("with the tray icon alone; no window opens")
    parser.add_argument("--background", action="store_true", help=text)


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
    unread = [report for report in files if report.reason]
    lines.append(_read_line(len(files) - len(unread), len(unread), new))
    show(value, lines, as_json=args.json)
    return 1 if args.paths and len(unread) == len(files) else 0


def _ticker() -> Any:  # noqa: ANN401 - a listener of Progress
    last = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0:
            last = now
            number, path = progress.done + 1, visible(progress.path)
            note(tr("reading {n} of {files}: {path}", n=number, files=progress.files, path=path))

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
    path = visible(report.path)
    if report.reason:
        reason = visible(report.reason)
        if path in reason:
            return tr("Not read: {reason}", reason=reason)
        return tr("{path}: not read: {reason}", path=path, reason=reason)
    line = tr(
        "{path}: {prompts}, {answers}, {new}",
        path=path,
        prompts=counts.prompts(report.tally.user + report.tally.queued),
        answers=counts.answers(report.tally.assistant),
        new=counts.new_turns(report.new_turns),
    )
    skipped = report.tally.bad_lines
    more = tr_n("; {n} line could not be read", "; {n} lines could not be read", skipped)
    return line + more if skipped else line


def _read_line(read: int, unread: int, new: int) -> str:
    files = tr_n("{n} file read", "{n} files read", read)
    turns = counts.new_turns(new)
    if not unread:
        return tr("{files}, {turns}.", files=files, turns=turns)
    missed = tr_n("{n} file not read", "{n} files not read", unread)
    return tr("{files}, {turns}; {missed}.", files=files, turns=turns, missed=missed)


async def _status(services: Services, args: argparse.Namespace) -> int:
    state = await services.overview()
    paused = await services.pause.look()
    value = {"sources": _sources_json(state), **state.counts, **pausing.state(paused)}
    value["problems"] = [
        {"key": p.key, "message": p.message, "advice": p.advice, "count": p.count}
        for p in state.problems
    ]
    rest = [] if paused is None else [pausing.line(paused)]
    show(value, [*rest, *_status_lines(state)], as_json=args.json)
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
            "{source}: {sessions}, {prompts}, {answers}, last read {when}",
            source=source.source,
            sessions=counts.sessions(source.sessions),
            prompts=counts.prompts(source.user),
            answers=counts.answers(source.assistant),
            when=local(source.last_read),
        )
        n = state.at_risk.get(source.source, 0)
        risk = tr_n(
            "; {n} transcript is deleted by its assistant within a week (kept here)",
            "; {n} transcripts are deleted by their assistant within a week (kept here)",
            n,
        )
        lines.append(read + risk if n else read)
    lines.append(_counts_line(state.counts))
    lines += [f"! {problem.message} {problem.advice}" for problem in state.problems]
    return lines


def _counts_line(found: Mapping[str, int]) -> str:
    proposals = found["proposals"]
    return tr(
        "{turns} in {segments}; {lessons}, {waiting}; {proposals}",
        turns=counts.turns(found["turns"]),
        segments=counts.segments(found["segments"]),
        lessons=counts.lessons(found["lessons"]),
        waiting=tr_n("{n} waits for review", "{n} wait for review", found["waiting"]),
        proposals=tr_n("{n} proposed change", "{n} proposed changes", proposals),
    )


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
    show(value, [_done_line(done, value["seconds"])], as_json=args.json)
    return 0


def _done_line(done: Done, seconds: float) -> str:
    line = tr(
        "{closed}, {recapped}, {lessons} in {seconds} s.",
        closed=tr_n("{n} segment closed", "{n} segments closed", done.closed),
        recapped=tr_n("{n} recap written", "{n} recaps written", done.recapped),
        lessons=tr_n("{n} lesson found", "{n} lessons found", done.lessons),
        seconds=seconds,
    )
    failed = tr_n(
        "{n} step failed and is tried again later.",
        "{n} steps failed and are tried again later.",
        done.failed,
    )
    return f"{line} {failed}" if done.failed else line


async def _run(services: Services, args: argparse.Namespace) -> int:
    if not args.no_gui:
        raise Refused(
            tr("`archivist run` shows windows and prints nothing, so it takes no --json."),
            advice=tr("Leave --json out, or use `archivist run --no-gui --json`."),
        )
    with services.instance.held() as is_first:
        if not is_first:
            return await _already_running(services, args)
        with services.logging() as fault:
            return await _run_alone(services, [fault] if fault is not None else [])


async def _already_running(services: Services, args: argparse.Namespace) -> int:
    answer = await services.instance.ask({"do": "show"})
    value = {"running": True, "answer": answer}
    show(value, [tr("Archivist already runs for this profile.")], as_json=args.json)
    return 0


async def _run_alone(services: Services, faults: Sequence[Problem]) -> int:
    stop = asyncio.Event()

    def end() -> None:
        services.hurry()
        stop.set()

    stop_on_signals(end)

    async def answer(message: Message) -> Message:
        found = await settled(_answer(services, end, message), where="message")
        if not isinstance(found, Problem):
            return found
        if is_bug(found):
            await services.browse.report(found)
        raise found

    note(tr("Archivist keeps {folder} up to date. Ctrl+C ends it.", folder=services.profile.data))
    async with (
        services.instance.listening(answer),
        Supervisor(services.browse.report) as supervisor,
    ):
        supervisor.spawn(services.browse.settle(_LOG, faults), name="log")
        supervisor.spawn(services.memory.follow(supervisor), name="propose")
        await services.loop(supervisor).run(stop)
    return 0


async def _answer(services: Services, end: Callable[[], None], message: Message) -> Message:
    """Answer the second start and the command line. Nothing here approves anything."""
    match message:
        case {"do": "status"}:
            state = await services.overview()
            return {"ok": True, **state.counts}
        case {"do": "show" | "ping"}:
            return {"ok": True, "window": False}
        case {"do": "refresh"}:
            await services.pause.look()
            return {"ok": True}
        case {"do": "quit"}:
            end()
            return {"ok": True}
        case _:
            return {"ok": False, "error": "unknown request"}
