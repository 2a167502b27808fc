"""Commands of the review: list, keep, edit, reject, later, reopen."""

import argparse
from collections.abc import Sequence
from typing import Any

from archivist.cli.commands import Groups, add_command, listed
from archivist.cli.consent import consent, must_be_askable
from archivist.cli.output import iso, one_line, show
from archivist.domain.hidden import visible
from archivist.domain.knowledge import Lesson, LessonId, LessonState
from archivist.domain.problems import Refused
from archivist.domain.review import last_said, sessions_of
from archivist.services.facade import Services
from archivist.texts import tr, tr_n


def add(groups: Groups) -> None:
    """Add the commands of this group."""
    group = groups.add_parser("lessons", help=tr("Review lessons.")).add_subparsers(required=True)
    parser = add_command(group, "list", tr("List lessons with their evidence."), _list)
    parser.add_argument("--state", choices=[state.value for state in LessonState])
    text = tr("Keep lessons; they are then proposed.")
    _ids(add_command(group, "keep", text, _keep, approves=True))
    text = tr("Change the wording of a lesson.")
    parser = add_command(group, "edit", text, _edit, approves=True)
    parser.add_argument("id", type=listed)
    parser.add_argument("--text", required=True)
    parser = add_command(group, "reject", tr("Reject lessons; they do not come back."), _reject)
    _ids(parser)
    text = tr("wrong, trivial, private, known or old, or your own word")
    parser.add_argument("--reason", help=text)
    _ids(add_command(group, "later", tr("Put lessons off."), _later))
    _ids(add_command(group, "reopen", tr("Let decided lessons wait again."), _reopen))


def _ids(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", type=listed, metavar="ID")


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
        "reason": lesson.reason,
        "sessions": sessions_of(lesson),
        "said": iso(last_said(lesson)),
        "evidence": [
            {
                "turn": item.turn,
                "session": item.session,
                "quote": item.quote,
                "source": item.source,
                "at": iso(item.at),
                "segment": item.segment,
            }
            for item in lesson.evidence
        ],
    }


def lesson_lines(lesson: Lesson) -> list[str]:
    """Return a lesson and its quotes for people."""
    mark = " !" if lesson.untrusted else ""
    where = visible(lesson.project) or tr("everywhere")
    text = visible(lesson.text)
    state = f"{lesson.state}: {visible(lesson.reason)}" if lesson.reason else lesson.state
    head = f"{lesson.id:>4}  {state}  {lesson.category}{mark}  {text}  ({where})"
    quotes = [
        tr("        “{quote}”  turn {turn}", quote=one_line(item.quote, 90), turn=item.turn)
        for item in lesson.evidence
    ]
    return [head, *(quotes or [tr("        what it was found in is gone")])]


async def _keep(services: Services, args: argparse.Namespace) -> int:
    must_be_askable(always=services.profile.approves_always)
    ids = _distinct(args.ids)
    found = await _known(services, ids)
    texts = [f"  - {visible(lesson.text)}" for lesson in found]
    question = "\n".join([tr_n("Keep this lesson?", "Keep these {n} lessons?", len(ids)), *texts])
    consent(question, always=services.profile.approves_always)
    return _told(await services.review.keep(ids), args)


async def _edit(services: Services, args: argparse.Namespace) -> int:
    must_be_askable(always=services.profile.approves_always)
    text = " ".join(args.text.split())
    if not text:
        raise Refused(tr("A lesson needs some words."), advice=tr("Give them with --text."))
    (lesson,) = await _known(services, _distinct([args.id]))
    question = tr(
        "Change lesson {id}?\n  - {old}\n  + {new}",
        id=lesson.id,
        old=visible(lesson.text),
        new=visible(text),
    )
    consent(question, always=services.profile.approves_always)
    return _told([await services.review.edit(lesson.id, text)], args)


async def _reject(services: Services, args: argparse.Namespace) -> int:
    return _told(await services.review.reject(_distinct(args.ids), reason=args.reason), args)


async def _later(services: Services, args: argparse.Namespace) -> int:
    return _told(await services.review.later(_distinct(args.ids)), args)


async def _reopen(services: Services, args: argparse.Namespace) -> int:
    return _told(await services.review.reopen(_distinct(args.ids)), args)


def _distinct(numbers: Sequence[int]) -> list[LessonId]:
    return [LessonId(number) for number in dict.fromkeys(numbers)]


async def _known(services: Services, ids: Sequence[LessonId]) -> list[Lesson]:
    """Return the lessons in this order. Raises Refused, before anybody is asked anything."""
    known = {lesson.id: lesson for lesson in await services.review.lessons()}
    missing = [ident for ident in ids if ident not in known]
    if missing:
        raise Refused(
            tr("There is no lesson {ids}.", ids=", ".join(map(str, missing))),
            advice=tr("`archivist lessons list` shows the lessons with their numbers."),
        )
    return [known[ident] for ident in ids]


def _told(lessons: Sequence[Lesson], args: argparse.Namespace) -> int:
    lines = [line for lesson in lessons for line in lesson_lines(lesson)]
    show([lesson_json(lesson) for lesson in lessons], lines, as_json=args.json)
    return 0
