"""The sentences of the memory window. Pure: values in, text out."""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from archivist.domain.care import Care
from archivist.domain.hidden import visible
from archivist.domain.memory_diff import DiffLine, Sign
from archivist.domain.memory_readers import FileReader
from archivist.domain.proposals import Target, WriteState
from archivist.services.memory_shown import FileState, FileView, HunkView, WriteView
from archivist.services.times import ago
from archivist.texts import tr, tr_n

_KILO: Final = 1_000


def size_of(count: int) -> str:
    """Return a number of bytes as people read it."""
    if count < _KILO:
        return tr_n("{n} byte", "{n} bytes", count)
    return tr("{n} kB", n=f"{count / _KILO:.1f}")


def scope_of(project: str) -> str:
    """Return which lessons a file takes."""
    if not project:
        return tr("lessons for everywhere")
    return tr("lessons of {project}", project=visible(project))


def read_by(readers: Sequence[FileReader]) -> str:
    """Return who reads a file."""
    if not readers:
        return tr("no assistant reads it by itself: name it in CLAUDE.md or AGENTS.md")
    return tr("read by {names}", names=", ".join(reader.name for reader in readers))


def about(view: FileView) -> str:
    """Return what a file takes and who reads it."""
    return tr(
        "Takes {scope}; {readers}.",
        scope=scope_of(view.target.project),
        readers=read_by(view.readers),
    )


def where_read(path: str, readers: Sequence[FileReader]) -> str:
    """Return the full path of a file and who reads it."""
    return tr("{path}: {readers}.", path=path, readers=read_by(readers))


def name_of(path: str, project: str) -> str:
    """Return the short name of a file and of its project."""
    return tr("{name} · {place}", name=_last(path), place=_last(project) or tr("everywhere"))


def entry(target: Target, waiting: int) -> str:
    """Return the entry of a file in the list of files."""
    name = name_of(target.path, target.project)
    return tr("{name} ({n})", name=name, n=waiting) if waiting else name


def broken(text: str) -> str:
    """Return a text whose paths may be broken over lines, and in which nothing hides."""
    return visible(text).replace("/", "/\u200b").replace("\\", "\\\u200b")


def _last(path: str) -> str:
    return visible(path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])


def state_line(view: FileView, changed_at: int | None, now: int) -> str:
    """Return the line about the file on disk, "" when there is nothing to say."""
    match view.state:
        case FileState.TROUBLE:
            problem = view.problem
            return f"{problem.message} {problem.advice}" if problem else ""
        case FileState.READ_ONLY:
            return tr("This file is read-only. Allow writing to it, then look again.")
        case FileState.MISSING:
            return tr("This file does not exist. Writing the chosen changes makes it.")
        case FileState.READY if changed_at is not None:
            when = ago(changed_at, now)
            return tr(
                "The file changed on disk {when}; the proposal was redone on top of it.", when=when
            )
        case FileState.READY:
            return ""
        case _:
            assert_never(view.state)


def nothing(view: FileView | None) -> str:
    """Return what stands where a file has no changes to show."""
    if view is not None and view.state is FileState.TROUBLE:
        return tr("Nothing can be proposed to this file as it is. Kept lessons wait for it.")
    return tr("No proposed changes. Kept lessons turn into changes here.")


def care(reason: Care) -> str:
    """Return the badge for a reason to look twice."""
    match reason:
        case Care.HIDDEN:
            return tr("hides characters")
        case Care.ORDER:
            return tr("reads like an order to an assistant")
        case Care.OUTSIDE:
            return tr("from a text that was pasted or fetched")
        case Care.YOURS:
            return tr("replaces a line you wrote")
        case _:
            assert_never(reason)


def care_question(hunk: HunkView) -> str:
    """Return what is asked before a change that needs care is chosen."""
    reasons = "; ".join(care(reason) for reason in hunk.cares)
    return tr("Look twice at this change: {reasons}. Choose it all the same?", reasons=reasons)


def origin(hunk: HunkView) -> str:
    """Return where a change comes from."""
    if len(hunk.sources) > 1:
        return tr_n("from {n} lesson", "from {n} lessons", len(hunk.sources))
    sessions = hunk.sources[0].sessions if hunk.sources else 0
    if not sessions:
        return tr("from a lesson")
    return tr_n("from a lesson, {n} session", "from a lesson, {n} sessions", sessions)


def replacing(hunk: HunkView) -> str:
    """Return the label of a change of a line that Archivist wrote, "" for any other."""
    if hunk.replaces and Care.YOURS not in hunk.cares:
        return tr("replaces the older wording")
    return ""


def told(hunk: HunkView, number: int, count: int) -> str:
    """Return a change as a screen reader says it."""
    added = sum(row.sign is Sign.ADDED and bool(row.text.strip()) for row in hunk.lines)
    removed = sum(row.sign is Sign.REMOVED for row in hunk.lines)
    act = tr_n("add {n} line", "add {n} lines", added)
    if removed:
        act = tr("replace {old} by {new}", old=removed, new=added)
    sentence = tr(
        "Hunk {number} of {count}, {act} under {heading}: {text}",
        number=number,
        count=count,
        act=act,
        heading=hunk.heading,
        text=_said(hunk.lines),
    )
    warnings = [care(reason) for reason in hunk.cares]
    return tr("{sentence} Attention: {warnings}.", sentence=sentence, warnings="; ".join(warnings)
              ) if warnings else sentence  # fmt: skip


def _said(lines: Iterable[DiffLine]) -> str:
    said = [row.text.removeprefix("- ") for row in lines if row.sign is Sign.ADDED]
    return said[-1] if said else ""


def rows_told(lines: Iterable[DiffLine]) -> str:
    """Return the rows of a change in words, line by line."""
    names = {Sign.SAME: tr("same"), Sign.REMOVED: tr("removed"), Sign.ADDED: tr("added")}
    return "\n".join(
        tr("line {n}, {sign}: {text}", n=row.new or row.old, sign=names[row.sign], text=row.text)
        for row in lines
    )


def budget(size: int, lines: int, readers: Sequence[FileReader]) -> str:
    """Return how large the result is, against what assistants load of the file."""
    reader = readers[0] if readers else FileReader("")
    amount = size_of(size)
    if reader.size is not None:
        amount = tr("{size} of {most}", size=amount, most=size_of(reader.size))
    count = tr_n("{n} line", "{n} lines", lines)
    if reader.lines is not None:
        count = tr("{n} of {most} lines", n=lines, most=reader.lines)
    result = tr("Result: {size}, {lines}", size=amount, lines=count)
    if is_over(size, lines, readers):
        return tr("{result}. {name} does not load the rest.", result=result, name=reader.name)
    return result


def is_over(size: int, lines: int, readers: Sequence[FileReader]) -> bool:
    """Tell whether an assistant would not load the whole file."""
    return any(
        (reader.size is not None and size > reader.size)
        or (reader.lines is not None and lines > reader.lines)
        for reader in readers
    )


def write_verb(count: int, state: FileState) -> str:
    """Return the words of the button that writes."""
    if state is FileState.MISSING:
        return tr("Create with {n} ▸", n=count) if count else tr("Create")
    return tr("Write {n} ▸", n=count) if count else tr("Write")


def written(count: int, path: str) -> str:
    """Return what was done."""
    return tr_n("Written to {path}: {n} change.", "Written to {path}: {n} changes.", count,
                path=path)  # fmt: skip


def fate(write: WriteView) -> str:
    """Return what became of a write."""
    if write.state is WriteState.UNDONE:
        return tr("taken back")
    return tr("in the file") if write.is_held else tr("no longer in the file as written")
