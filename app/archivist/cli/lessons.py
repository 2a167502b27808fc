"""Commands of the review: list, keep, edit, reject, later."""

import argparse
from collections.abc import Sequence
from typing import Any

from archivist.cli.commands import Groups, add_command
from archivist.cli.consent import consent
from archivist.cli.output import iso, one_line, show
from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.services.facade import Services
from archivist.texts import tr, tr_n


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    group = groups.add_parser("lessons", help="Review lessons.").add_subparsers(required=True)
    parser = add_command(group, "list", "List lessons with their evidence.", _list)
    parser.add_argument("--state", choices=[state.value for state in LessonState])
    parser = add_command(
        group, "keep", "Keep lessons; they are then proposed.", _keep, approves=True
    )
    _ids(parser)
    parser = add_command(group, "edit", "Change the wording of a lesson.", _edit, approves=True)
    parser.add_argument("id", type=int)
    parser.add_argument("--text", required=True)
    parser = add_command(group, "reject", "Reject lessons; they do not come back.", _reject)
    _ids(parser)
    parser.add_argument("--reason", help="wrong, trivial, private, known or old, or your own word")
    parser = add_command(group, "later", "Put lessons off.", _later)
    _ids(parser)


def _ids(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", type=int, metavar="ID")


async def _list(services: Services, args: argparse.Namespace) -> int:
    state = LessonState(args.state) if args.state else None
    lessons = await services.review.lessons(state)
    lines = [line for lesson in lessons for line in lesson_lines(lesson)]
    empty = [tr("Nothing to review.")]
    show([lesson_json(lesson) for lesson in lessons], lines or empty, as_json=args.json)
    return 0


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    """Return a lesson with the stable keys."""
    return {
        "id": lesson.id,
        "category": lesson.category,
        "kind": lesson.kind,
        "text": lesson.text,
        "scope": lesson.scope,
        "project": lesson.project or None,
        "state": lesson.state,
        "confidence": round(lesson.confidence, 2),
        "lang": lesson.lang,
        "correction": lesson.correction,
        "untrusted": lesson.untrusted,
        "evidence": [
            {
                "turn": item.turn,
                "session": item.session,
                "quote": item.quote,
                "source": item.source,
                "at": iso(item.at),
            }
            for item in lesson.evidence
        ],
    }


def lesson_lines(lesson: Lesson) -> list[str]:
    """Return a lesson and its quotes for people."""
    mark = " !" if lesson.untrusted else ""
    where = lesson.project or tr("everywhere")
    head = f"{lesson.id:>4}  {lesson.state}  {lesson.category}{mark}  {lesson.text}  ({where})"
    quotes = [f"        “{one_line(e.quote, 90)}”  turn {e.turn}" for e in lesson.evidence]
    return [head, *quotes]


async def _keep(services: Services, args: argparse.Namespace) -> int:
    ids = [LessonId(number) for number in args.ids]
    known = {lesson.id: lesson for lesson in await services.review.lessons()}
    texts = [f"  - {known[ident].text}" for ident in ids if ident in known]
    question = "\n".join([tr_n("Keep this lesson?", "Keep these {n} lessons?", len(ids)), *texts])
    consent(question, always=services.profile.approves_always)
    return _told(await services.review.keep(ids), args)


async def _edit(services: Services, args: argparse.Namespace) -> int:
    question = tr("Change lesson {id} to “{text}”?", id=args.id, text=args.text)
    consent(question, always=services.profile.approves_always)
    return _told([await services.review.edit(LessonId(args.id), args.text)], args)


async def _reject(services: Services, args: argparse.Namespace) -> int:
    ids = [LessonId(number) for number in args.ids]
    return _told(await services.review.reject(ids, reason=args.reason), args)


async def _later(services: Services, args: argparse.Namespace) -> int:
    return _told(await services.review.later([LessonId(number) for number in args.ids]), args)


def _told(lessons: Sequence[Lesson], args: argparse.Namespace) -> int:
    lines = [line for lesson in lessons for line in lesson_lines(lesson)]
    show([lesson_json(lesson) for lesson in lessons], lines, as_json=args.json)
    return 0
