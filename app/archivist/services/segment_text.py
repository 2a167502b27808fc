"""What the windows and the command line say about a segment, in words for people."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from archivist.domain.knowledge import RULES
from archivist.domain.segment_filter import project_name
from archivist.domain.segment_list import ListedSegment, ReadTurn, SegmentContent
from archivist.domain.segment_markdown import SaidMarkdown, SegmentMarkdown, as_markdown
from archivist.domain.segments import CloseReason
from archivist.domain.transcripts import Outcome, Role
from archivist.domain.turns import ToolCall
from archivist.texts import tr, tr_n

When = Callable[[int | None], str]
"""Writes a time as the person's clock shows it."""

_CALL: Final = 160
_TELLING: Final = ("command", "cmd", "file_path", "path", "pattern", "query", "url", "prompt")
"""Arguments by which people know a tool call, the most telling one first."""
_WITHHELD: Final = "text withheld"
"""The kind under which the gate notes a text of a tool that it could not clean."""
_MINUTE: Final = 60_000
_HOUR: Final = 60
_SOURCES: Final[Mapping[str, str]] = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "qwen-code": "Qwen Code",
    "copilot-vscode": "Copilot in VS Code",
    "copilot-cli": "Copilot CLI",
    "chatgpt": "ChatGPT",
    "claude-ai": "Claude.ai",
    "open-webui": "Open WebUI",
    "lm-studio": "LM Studio",
    "openhuman": "OpenHuman",
}


def source_name(source: str) -> str:
    """Return a source as its makers write it."""
    if source == "clipboard":
        return tr("Clipboard")
    return _SOURCES.get(source, source.replace("-", " ").capitalize())


def maker_name(maker: str) -> str:
    """Return who made a recap."""
    return tr("by rules") if maker == RULES else tr("by the model {name}", name=maker)


def why_closed(reason: str | None) -> str:
    """Say why a segment ended; one that has not ended is open."""
    match reason:
        case None:
            return tr("Still open: the next turns of this conversation may go on with it.")
        case CloseReason.COUNT:
            return tr("Ended because it was long enough.")
        case CloseReason.GAP:
            return tr("Ended by a long silence before the next prompt.")
        case CloseReason.MARKER:
            return tr("Ended because the next prompt opens another topic in words.")
        case CloseReason.PROJECT:
            return tr("Ended because the next prompt is about another project.")
        case CloseReason.DRIFT:
            return tr("Ended because the talk went on to another topic.")
        case CloseReason.IDLE:
            return tr("Ended because nothing more was said for some time.")
        case CloseReason.END:
            return tr("Ended because its transcript is gone or complete.")
        case CloseReason.EXIT:
            return tr("Ended when Archivist was closed.")
        case CloseReason.SWEEP:
            return tr("Ended before its assistant deletes the transcript.")
        case CloseReason.PERSON:
            return tr("Ended by you.")
        case _:
            return tr("Ended ({reason}).", reason=reason)


def standing(content: SegmentContent) -> str:
    """Say why a segment ended, or what becomes of turns that are in none."""
    if not content.row.is_unfiled:
        return why_closed(content.row.reason)
    said = tr(
        "Not in a segment yet: these turns come into one with the next prompt, or when it has "
        "been quiet for two minutes."
    )
    if len(content.turns) == content.row.turns:
        return said
    shown = tr("The newest {n} turns are shown.", n=f"{len(content.turns):,}")
    return f"{said} {shown}"


def speaker(turn: ReadTurn) -> str:
    """Return who said a turn."""
    match turn.turn.role:
        case Role.USER:
            return tr("You")
        case Role.TASK:
            return tr("Task for a sub-agent")
        case _:
            return tr("Assistant")


def outcome_word(outcome: Outcome) -> str:
    """Return what became of a tool call in a word."""
    match outcome:
        case Outcome.OK:
            return tr("done")
        case Outcome.FAILED:
            return tr("failed")
        case Outcome.REJECTED:
            return tr("you said no")
        case _:
            return tr("no answer")


def call_line(tool: ToolCall) -> str:
    """Return what a tool was asked, on one line: the command or the file where it names one."""
    flat = " ".join(_asked(tool.arguments).split())
    return flat if len(flat) <= _CALL else f"{flat[: _CALL - 1]}…"


def _asked(arguments: str) -> str:
    try:
        asked = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(asked, dict):
        return arguments
    for key in _TELLING:
        value = asked.get(key)
        if isinstance(value, list):
            value = " ".join(map(str, value))
        if isinstance(value, str) and value.strip():
            return value
    return arguments


def redaction_notes(turn: ReadTurn) -> list[str]:
    """Say what the gate took out of a turn, by kind."""
    kinds = dict.fromkeys(turn.redacted)
    notes = [tr("Taken out: {kind}", kind=kind) for kind in kinds if kind != _WITHHELD]
    if _WITHHELD in kinds:
        notes.append(tr("A text of a tool was not stored: its secrets could not be told apart."))
    if turn.withheld:
        notes.append(tr("The text was not stored: its secrets could not be told apart."))
    return notes


def title_of(row: ListedSegment) -> str:
    """Return the title of a segment, also of one in which nobody said a word."""
    return row.title or tr("No prompt")


def facts(row: ListedSegment) -> list[str]:
    """Return what is known of a segment at a glance: source, project, turns, length."""
    found = [source_name(row.source)]
    if row.project:
        found.append(project_name(row.project))
    found.append(tr_n("{n} turn", "{n} turns", row.turns))
    if row.start is not None and row.end is not None and row.end > row.start:
        found.append(lasted(row.end - row.start))
    return found


def lasted(milliseconds: int) -> str:
    """Return a length of time in its largest unit."""
    minutes = round(milliseconds / _MINUTE)
    if minutes < 1:
        return tr("under a minute")
    if minutes < _HOUR:
        return tr_n("{n} minute", "{n} minutes", minutes)
    return tr_n("{n} hour", "{n} hours", round(minutes / _HOUR))


def row_sentence(row: ListedSegment, when: When) -> str:
    """Say a row of the list in one sentence, for people who hear it."""
    parts = [tr("Segment"), when(row.start), *facts(row)]
    if row.is_unfiled:
        parts.append(tr("not in a segment yet"))
    elif row.reason is None:
        parts.append(tr("open"))
    if row.lessons:
        parts.append(tr_n("{n} lesson", "{n} lessons", row.lessons))
    if row.hits:
        parts.append(tr_n("{n} match", "{n} matches", row.hits))
    return tr("{facts}: {title}", facts=", ".join(parts), title=row.snippet or title_of(row))


def markdown(content: SegmentContent, when: When) -> str:
    """Return a segment as Markdown."""
    row = content.row
    meta = [" · ".join(facts(row)), when(row.start), standing(content)]
    return as_markdown(
        SegmentMarkdown(
            title=title_of(row),
            meta=meta,
            recap_head=tr("Recap, {maker}", maker=maker_name(row.maker or RULES)),
            recap=content.recap,
            turns=[_said(turn, when) for turn in content.turns],
        )
    )


def _said(turn: ReadTurn, when: When) -> SaidMarkdown:
    said = turn.turn
    return SaidMarkdown(
        who=speaker(turn),
        when=when(said.at),
        text=said.text,
        tools=[(t.name, call_line(t), outcome_word(t.outcome)) for t in said.tools],
        notes=redaction_notes(turn),
    )
