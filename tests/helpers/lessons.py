"""Lessons in a real archive, made the way the stage makes them."""

from archivist.domain.jobs import Stage
from archivist.domain.lessons import Category, LessonDraft, LessonKind, Scope
from archivist.domain.segments import CloseReason
from helpers.archiving import filer_over
from helpers.stored import Stored, said


def draft(
    turn: int, text: str, *, scope: Scope = Scope.PROJECT, confidence: float = 0.7
) -> LessonDraft:
    """Return a lesson that quotes a whole turn."""
    return LessonDraft(
        turn=turn,
        quote=text,
        category=Category.PREFERENCE,
        kind=LessonKind.PREFERENCE,
        text=text,
        confidence=confidence,
        lang="en",
        correction=False,
        scope=scope,
    )


async def close_segments(archive: Stored) -> None:
    """File every turn and close what is open."""
    await filer_over(archive).file_all()
    await archive.segments.close_all(CloseReason.EXIT, at=archive.clock())


async def learn(
    archive: Stored, *texts: str, session: str = "s1", project: str = "/code/app"
) -> int:
    """Store a session in which the person says these texts, and a lesson of each."""
    await archive.take_in(
        *(
            said(f"{session}-{n}", text, session=session, cwd=project)
            for n, text in enumerate(texts)
        )
    )
    await close_segments(archive)
    rows = await archive.rows(
        "select id, text from episode where message_key like ?", f"{session}-%"
    )
    drafts = [draft(int(str(row)), str(text)) for row, text in rows]
    jobs, found = archive.jobs(), 0
    while (job := await jobs.take(now=archive.clock())) is not None:
        if job.stage is Stage.LESSONS:
            found = await archive.knowledge.save_lessons(
                job, drafts, project=project, at=archive.clock()
            )
        else:
            await jobs.done(job)
    return found
