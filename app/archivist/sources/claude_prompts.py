"""What a person typed in a Claude Code user record, and what the program put there."""

import re
from collections.abc import Iterator
from typing import Final

from archivist.sources.content import block_text
from archivist.sources.records import Record, table_in, tables_in, text_in

_NOT_TYPED: Final = (
    "<local-command-caveat>",
    "Caveat: The messages below",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "[Request interrupted by user",
    "Stop hook feedback:",
    "This session is being continued from a previous conversation",
)
_WRAPPER: Final = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook)\b"
    r"[^>]*>.*?</\1>",
    re.DOTALL,
)
_COMMAND: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_FOREIGN: Final = re.compile(r"notification|system|hook|teammate|agent|coordinator")


def typed_prompt(record: Record) -> str | None:
    """Return what a person typed in a user record, None when it is nobody's prompt."""
    if (
        record.get("isMeta") is True
        or record.get("isCompactSummary") is True
        or record.get("isVisibleInTranscriptOnly") is True
        or record.get("promptSource") == "system"
        or is_foreign(record)
    ):
        return None
    return typed_text(table_in(record, "message").get("content"))


def queued_prompt(record: Record) -> str | None:
    """Return the prompt typed while the assistant was busy that an attachment holds, or None."""
    attachment = table_in(record, "attachment")
    if (
        attachment.get("type") != "queued_command"
        or attachment.get("commandMode", "prompt") != "prompt"
        or attachment.get("isMeta") is True
        or is_foreign(attachment)
        or is_foreign(record)
    ):
        return None
    return typed_text(attachment.get("prompt"))


def is_foreign(record: Record) -> bool:
    """Tell a message that a program sent in the person's place."""
    return _FOREIGN.search(text_in(table_in(record, "origin"), "kind") or "") is not None


def typed_text(content: object) -> str | None:
    """Return the typed part of a message's content; wrappers around it are taken off."""
    if isinstance(content, str):
        parts = [_typed(content)]
    else:
        blocks = tables_in(content)
        if any(block.get("type") == "tool_result" for block in blocks):
            return None
        parts = list(_typed_blocks(blocks))
    text = "\n\n".join(part for part in parts if part)
    return text or None


def _typed_blocks(blocks: list[Record]) -> Iterator[str]:
    for block in blocks:
        text = block_text(block)
        yield _typed(text) if block.get("type") == "text" else text


def _typed(text: str) -> str:
    text = _unwrapped(text)
    if text.startswith(("<command-name>", "<command-message>")):
        return _command(text)
    return "" if text.startswith(_NOT_TYPED) else text


def _unwrapped(text: str) -> str:
    """Take wrappers off the beginning and the end; one in the middle may be quoted on purpose."""
    text = text.strip()
    while found := _WRAPPER.match(text):
        text = text[found.end() :].lstrip()
    while text.endswith(">") and (found := _last_wrapper(text)):
        text = text[: found.start()].rstrip()
    return text


def _last_wrapper(text: str) -> re.Match[str] | None:
    opening = max(
        text.rfind("<" + name) for name in ("system-reminder", "ide_", "user-prompt-submit-hook")
    )
    return _WRAPPER.fullmatch(text, opening) if opening >= 0 else None


def _command(text: str) -> str:
    """Return "/name arguments" for a slash command with arguments; one without is no prompt."""
    name = _COMMAND.search(text)
    arguments = _ARGUMENTS.search(text)
    if name is None or arguments is None or not arguments[1]:
        return ""
    return f"/{name[1].lstrip('/')} {arguments[1]}"
