"""Commands of the memory files: which may be proposed to, what is proposed, what was written."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from archivist.cli.commands import Groups, add_command, listed
from archivist.cli.consent import consent, must_be_askable
from archivist.cli.output import iso, local, show
from archivist.domain.hidden import visible
from archivist.domain.problems import Problem, Refused
from archivist.domain.proposals import Target
from archivist.services.facade import Services
from archivist.services.proposals import ShownHunk, ShownProposal
from archivist.texts import tr, tr_n


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Memory files and the changes proposed to them.")
    group = groups.add_parser("memory", help=text).add_subparsers(required=True)
    add_command(group, "targets", tr("List the memory files in use."), _targets)
    text = tr("Let lessons be proposed to a MEMORY.md or SKILL.md.")
    parser = add_command(group, "enable", text, _enable, approves=True)
    parser.add_argument("path", type=Path)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--project", help=tr("take the lessons of this project"))
    text = tr("take those for everywhere")
    where.add_argument("--everywhere", action="store_true", help=text)
    parser = add_command(group, "disable", tr("Propose nothing to a file any more."), _disable)
    parser.add_argument("path", type=Path)
    add_command(group, "propose", tr("Turn kept lessons into proposed changes."), _propose)
    add_command(group, "proposals", tr("Show the proposed changes."), _proposals)
    parser = add_command(group, "apply", tr("Write the chosen hunks."), _apply, approves=True)
    parser.add_argument("id", type=listed)
    parser.add_argument(
        "--hunk", type=listed, action="append", required=True, dest="hunks", metavar="H"
    )
    parser = add_command(group, "reject", tr("Never propose these hunks again."), _reject)
    parser.add_argument("hunks", type=listed, nargs="+", metavar="H")
    add_command(group, "history", tr("Show what was written and taken back."), _history)


async def _targets(services: Services, args: argparse.Namespace) -> int:
    return _told(await services.proposals.targets(), args)


def _told(targets: Sequence[Target], args: argparse.Namespace) -> int:
    value = [
        {"file": t.path, "project": t.project or None, "id": t.id, "since": iso(t.enabled_at)}
        for t in targets
    ]
    lines = [f"{visible(t.path)}  ({visible(t.project) or tr('everywhere')})" for t in targets]
    empty = tr("No memory file is in use: `archivist memory enable PATH` adds one.")
    show(value, lines or [empty], as_json=args.json)
    return 0


async def _enable(services: Services, args: argparse.Namespace) -> int:
    project = args.project
    if project is None and not args.everywhere:
        project = await services.browse.project_at(args.path.absolute().parent)
    path = visible(str(args.path))
    question = (
        tr("Propose lessons of {project} to {path}?", project=visible(project), path=path)
        if project
        else tr("Propose the lessons for everywhere to {path}?", path=path)
    )
    consent(question, always=services.profile.approves_always)
    return _told([await services.proposals.enable(args.path, project=project or "")], args)


async def _disable(services: Services, args: argparse.Namespace) -> int:
    return _told([await services.proposals.disable(args.path)], args)


async def _propose(services: Services, args: argparse.Namespace) -> int:
    found = await services.proposals.propose()
    return _shown(found.proposals, found.problems, args)


async def _proposals(services: Services, args: argparse.Namespace) -> int:
    return _shown(await services.proposals.proposals(), (), args)


def _shown(
    proposals: Sequence[ShownProposal], problems: Sequence[Problem], args: argparse.Namespace
) -> int:
    lines = [line for proposal in proposals for line in _lines(proposal)]
    lines += [f"! {problem.message} {problem.advice}" for problem in problems]
    empty = tr("No proposed changes. Kept lessons turn into changes of the files in use.")
    show([_json(proposal) for proposal in proposals], lines or [empty], as_json=args.json)
    return 1 if problems else 0


def _json(proposal: ShownProposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "file": proposal.file,
        "project": proposal.project or None,
        "made": iso(proposal.made_at),
        "hunks": [
            {
                "id": hunk.id,
                "diff": hunk.diff,
                "lessons": list(hunk.lessons),
                "preselected": hunk.preselected,
                "heading": hunk.heading,
            }
            for hunk in proposal.hunks
        ],
    }


def _lines(proposal: ShownProposal) -> list[str]:
    lines = [f"{proposal.id}  {visible(proposal.file)}"]
    for hunk in proposal.hunks:
        mark = "x" if hunk.preselected else " "
        numbers = ", ".join(map(str, hunk.lessons))
        lines.append(
            tr_n(
                "  [{mark}] hunk {id}, from lesson {numbers}",
                "  [{mark}] hunk {id}, from lessons {numbers}",
                len(hunk.lessons),
                mark=mark,
                id=hunk.id,
                numbers=numbers,
            )
        )
        lines += [f"      {line}" for line in hunk.diff.rstrip("\n").split("\n")]
    return lines


async def _apply(services: Services, args: argparse.Namespace) -> int:
    must_be_askable(always=services.profile.approves_always)
    hunks = list(dict.fromkeys(args.hunks))
    proposal, chosen = await _chosen(services, args.id, hunks)
    count = tr_n("Write {n} hunk to {file}?", "Write {n} hunks to {file}?", len(chosen),
                 file=visible(proposal.file))  # fmt: skip
    question = "\n".join([*(hunk.diff for hunk in chosen), count])
    consent(question, always=services.profile.approves_always)
    done = await services.proposals.apply(proposal.id, hunks)
    value = {"written": done.written, "sha256": done.sha256, "file": done.path}
    line = tr_n("{n} hunk written to {file}.", "{n} hunks written to {file}.", done.written,
                file=visible(done.path))  # fmt: skip
    show(value, [line], as_json=args.json)
    return 0


async def _chosen(
    services: Services, ident: int, hunks: Sequence[int]
) -> tuple[ShownProposal, list[ShownHunk]]:
    """Return the proposal and its hunks. Raises Refused, before anybody is asked anything."""
    found = [p for p in await services.proposals.proposals() if p.id == ident]
    if not found:
        raise Refused(
            tr("There is no open proposal {id}.", id=ident),
            advice=tr("`archivist memory proposals` shows the proposals with their numbers."),
        )
    waiting = {int(hunk.id): hunk for hunk in found[0].hunks}
    unknown = [str(hunk) for hunk in hunks if hunk not in waiting]
    if unknown:
        raise Refused(
            tr("No change {hunks} waits in proposal {id}.", id=ident, hunks=", ".join(unknown)),
            advice=tr("`archivist memory proposals` shows the changes that wait."),
        )
    return found[0], [waiting[hunk] for hunk in hunks]


async def _reject(services: Services, args: argparse.Namespace) -> int:
    hunks = list(dict.fromkeys(args.hunks))
    await services.proposals.reject(hunks)
    line = tr_n("{n} change rejected.", "{n} changes rejected.", len(hunks))
    show({"rejected": hunks}, [line], as_json=args.json)
    return 0


async def _history(services: Services, args: argparse.Namespace) -> int:
    writes = await services.proposals.history()
    value = [
        {"id": w.id, "file": w.file, "state": w.state, "at": iso(w.at), "diff": w.diff}
        for w in writes
    ]
    lines = [f"{w.id}  {local(w.at)}  {w.state}  {visible(w.file)}\n{w.diff}" for w in writes]
    show(value, lines or [tr("Nothing was written yet.")], as_json=args.json)
    return 0
