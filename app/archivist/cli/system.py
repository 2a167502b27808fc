"""Commands about the program itself: settings, undo, problems, models, doctor."""

import argparse
from typing import Any

from archivist import settings as all_settings
from archivist.cli.commands import Groups, add_command
from archivist.cli.consent import consent
from archivist.cli.output import iso, local, show
from archivist.domain.problems import Problem
from archivist.services.facade import Services
from archivist.texts import tr, tr_n

_APPROVING = "cli.approve"


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    group = groups.add_parser("settings", help="Read and change settings.")
    verbs = group.add_subparsers(required=True)
    add_command(verbs, "list", "List all settings with their help.", _settings)
    parser = add_command(verbs, "get", "Show one setting.", _get)
    parser.add_argument("key")
    parser = add_command(verbs, "set", "Change one setting.", _set, approves=True)
    parser.add_argument("key")
    parser.add_argument("value", nargs="?", help="left out: back to the default")
    parser = add_command(groups, "undo", "Take back the last actions.", _undo, approves=True)
    parser.add_argument("count", nargs="?", type=int, default=1, metavar="N")
    parser.add_argument("--list", action="store_true", help="show what can be taken back")
    group = groups.add_parser("problems", help="What went wrong, and what to do.")
    verbs = group.add_subparsers(required=True)
    add_command(verbs, "list", "List the problems.", _problems)
    parser = add_command(verbs, "clear", "Take a problem off the list.", _clear)
    parser.add_argument("key")
    group = groups.add_parser("models", help="Local models.")
    add_command(group.add_subparsers(required=True), "list", "Show what is installed.", _models)
    add_command(groups, "doctor", "Check this profile from end to end.", _doctor)


async def _settings(services: Services, args: argparse.Namespace) -> int:
    value = [_setting(services, entry) for entry in all_settings.entries()]
    lines = [f"{item['key']} = {item['value']!r}\n    {item['help']}" for item in value]
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


async def _get(services: Services, args: argparse.Namespace) -> int:
    value = all_settings.get(services.settings, args.key)
    show({"key": args.key, "value": value}, [f"{args.key} = {value!r}"], as_json=args.json)
    return 0


async def _set(services: Services, args: argparse.Namespace) -> int:
    if args.key == _APPROVING:
        question = tr("Let programs approve on the command line without asking you?")
        consent(question, always=services.profile.approves_always)
    value = await services.preferences.set(args.key, args.value)
    show({"key": args.key, "value": value}, [f"{args.key} = {value!r}"], as_json=args.json)
    return 0


async def _undo(services: Services, args: argparse.Namespace) -> int:
    commands = await services.undo.commands(20 if args.list else args.count)
    if not args.list:
        labels = "\n".join(f"  - {command.label}" for command in commands)
        if commands:
            question = f"{tr('Take this back?')}\n{labels}"
            consent(question, always=services.profile.approves_always)
        commands = await services.undo.undo(args.count)
    value = [{"id": c.id, "name": c.name, "label": c.label, "at": iso(c.at)} for c in commands]
    lines = [f"{local(command.at)}  {command.label}" for command in commands]
    show(value, lines, as_json=args.json)
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
    lines = [f"{row.key}: {row.message} ({row.count} x)\n    {row.advice}" for row in rows]
    show(value, lines or [tr("No problems.")], as_json=args.json)
    return 0


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
    lines = [f"{'ok ' if ok else 'BAD'} {text}" for ok, text in checks]
    show(value, lines, as_json=args.json)
    return 0 if good else 1


async def _database(services: Services) -> tuple[bool, str]:
    try:
        counts = (await services.overview()).counts
    except Problem as problem:
        return False, f"{problem.message} {problem.advice}"
    text = tr("archive {folder}: {turns} turns", folder=services.profile.data, **counts)
    return True, text


async def _listed(services: Services) -> tuple[bool, str]:
    rows = await services.browse.problems()
    return not rows, tr_n("{n} problem is listed", "{n} problems are listed", len(rows))


def _model_checks(services: Services) -> list[tuple[bool, str]]:
    """A missing model is no fault: rules do its work."""
    return [(True, f"{n.role}: {n.message} {n.advice}".rstrip()) for n in services.models()]
