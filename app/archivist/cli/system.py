"""Commands about the program itself: settings, undo, problems, models, doctor."""

import argparse
from typing import Any

from archivist import settings as all_settings
from archivist.cli import counts
from archivist.cli.commands import Groups, add_command, whole
from archivist.cli.consent import consent
from archivist.cli.output import iso, local, show
from archivist.domain.hidden import visible
from archivist.domain.problems import Problem, ProblemRow
from archivist.services.facade import Services
from archivist.texts import tr, tr_n

_APPROVING = "cli.approve"
_MOST = 100
"""Actions that are taken back at once."""


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    text = tr("Read and change settings.")
    verbs = groups.add_parser("settings", help=text).add_subparsers(required=True)
    add_command(verbs, "list", tr("List all settings with their help."), _settings)
    parser = add_command(verbs, "get", tr("Show one setting."), _get)
    parser.add_argument("key")
    parser = add_command(verbs, "set", tr("Change one setting."), _set, approves=True)
    parser.add_argument("key")
    parser.add_argument("value", nargs="?", help=tr("left out: back to the default"))
    parser = add_command(groups, "undo", tr("Take back the last actions."), _undo, approves=True)
    text = tr("how many, 1 where left out")
    parser.add_argument("count", nargs="?", type=whole(1, _MOST), default=1, metavar="N", help=text)
    text = tr("show what can be taken back")
    parser.add_argument("--list", action="store_true", help=text)
    text = tr("pass over what can no longer be taken back")
    parser.add_argument("--skip", action="store_true", help=text)
    text = tr("Do again what was just taken back.")
    add_command(groups, "redo", text, _redo, approves=True)
    text = tr("What went wrong, and what to do.")
    verbs = groups.add_parser("problems", help=text).add_subparsers(required=True)
    add_command(verbs, "list", tr("List the problems."), _problems)
    parser = add_command(verbs, "clear", tr("Take a problem off the list."), _clear)
    parser.add_argument("key")
    verbs = groups.add_parser("models", help=tr("Local models.")).add_subparsers(required=True)
    add_command(verbs, "list", tr("Show what is installed."), _models)
    add_command(groups, "doctor", tr("Check this profile from end to end."), _doctor)


async def _settings(services: Services, args: argparse.Namespace) -> int:
    value = [_setting(services, entry) for entry in all_settings.entries()]
    lines = [f"{_line(item['key'], item['value'])}\n    {item['help']}" for item in value]
    show(value, lines, as_json=args.json)
    return 0


def _setting(services: Services, entry: all_settings.Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "value": all_settings.get(services.settings, entry.key),
        "default": entry.default,
        "label": tr(entry.label),
        "help": tr(entry.help),
        "restart": entry.restart,
    }


def _line(key: str, value: object) -> str:
    return f"{key} = {visible(all_settings.shown(value))}"


async def _get(services: Services, args: argparse.Namespace) -> int:
    value = all_settings.get(services.settings, args.key)
    show({"key": args.key, "value": value}, [_line(args.key, value)], as_json=args.json)
    return 0


async def _set(services: Services, args: argparse.Namespace) -> int:
    if args.value is not None:
        all_settings.with_value(services.settings, args.key, args.value)
    if args.key == _APPROVING:
        question = tr("Let programs approve on the command line without asking you?")
        consent(question, always=services.profile.approves_always)
    value = await services.preferences.set(args.key, args.value)
    show({"key": args.key, "value": value}, [_line(args.key, value)], as_json=args.json)
    return 0


async def _undo(services: Services, args: argparse.Namespace) -> int:
    commands = await services.undo.commands(20 if args.list else args.count)
    if not args.list:
        if commands:
            labels = [f"  - {visible(command.label)}" for command in commands]
            question = "\n".join([tr("Take this back?"), *labels])
            consent(question, always=services.profile.approves_always)
        commands = await services.undo.undo(args.count, passing_over=args.skip)
    value = [{"id": c.id, "name": c.name, "label": c.label, "at": iso(c.at)} for c in commands]
    lines = [f"{local(command.at)}  {visible(command.label)}" for command in commands]
    empty = [tr("There is nothing to undo.")]
    show(value, lines or empty, as_json=args.json)
    return 0


async def _redo(services: Services, args: argparse.Namespace) -> int:
    command = await services.undo.next_redo()
    if command is not None:
        question = "\n".join([tr("Do this again?"), f"  - {visible(command.label)}"])
        consent(question, always=services.profile.approves_always)
    command = await services.undo.redo()
    value = {"id": command.id, "name": command.name, "label": command.label, "at": iso(command.at)}
    show(value, [visible(command.label)], as_json=args.json)
    return 0


async def _problems(services: Services, args: argparse.Namespace) -> int:
    rows = await services.browse.problems()
    value = [
        {
            "key": row.key,
            "message": row.message,
            "advice": row.advice,
            "count": row.count,
            "first": iso(row.first_at),
            "last": iso(row.last_at),
        }
        for row in rows
    ]
    lines = [line for row in rows for line in _problem_lines(row)]
    show(value, lines or [tr("No problems.")], as_json=args.json)
    return 0


def _problem_lines(row: ProblemRow) -> list[str]:
    head = tr_n("{key}: {message} ({n} time)", "{key}: {message} ({n} times)", row.count,
                key=visible(row.key), message=visible(row.message))  # fmt: skip
    return [head, f"    {visible(row.advice)}"]


async def _clear(services: Services, args: argparse.Namespace) -> int:
    await services.browse.clear(args.key)
    show({"cleared": args.key}, [tr("Cleared.")], as_json=args.json)
    return 0


async def _models(services: Services, args: argparse.Namespace) -> int:
    notes = services.models()
    value = [{"role": n.role, "name": n.name, "message": n.message} for n in notes]
    lines = [f"{note.role}: {note.message} {note.advice}".rstrip() for note in notes]
    show(value, lines, as_json=args.json)
    return 0


async def _doctor(services: Services, args: argparse.Namespace) -> int:
    """Check the database, the list of problems, the models: each one line, good or not."""
    checks = [await _database(services), await _listed(services), *_model_checks(services)]
    good = all(ok for ok, _ in checks)
    value = {"ok": good, "checks": [{"ok": ok, "text": text} for ok, text in checks]}
    lines = [tr("ok   {text}", text=t) if ok else tr("BAD  {text}", text=t) for ok, t in checks]
    show(value, lines, as_json=args.json)
    return 0 if good else 1


async def _database(services: Services) -> tuple[bool, str]:
    try:
        found = (await services.overview()).counts
    except Problem as problem:
        return False, f"{problem.message} {problem.advice}"
    folder, turns = services.profile.data, counts.turns(found["turns"])
    return True, tr("archive {folder}: {turns}", folder=folder, turns=turns)


async def _listed(services: Services) -> tuple[bool, str]:
    rows = await services.browse.problems()
    return not rows, tr_n("{n} problem is listed", "{n} problems are listed", len(rows))


def _model_checks(services: Services) -> list[tuple[bool, str]]:
    """A missing model is no fault: rules do its work."""
    return [(True, f"{n.role}: {n.message} {n.advice}".rstrip()) for n in services.models()]
