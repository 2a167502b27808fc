"""What a person typed in a Codex user item, and what the output of a call says of its success."""

import re
from collections.abc import Iterator
from typing import Final

import orjson

from archivist.domain.transcripts import Outcome
from archivist.sources.content import (
    attachment_note,
    block_text,
    bounded,
    bounded_json,
    json_text,
    output_text,
)
from archivist.sources.records import Record, table_in, tables_in, text_in

_NOT_TYPED: Final = (
    "<environment_context",
    "# AGENTS.md instructions",
    "<user_instructions",
    "<INSTRUCTIONS",
    "<permissions instructions",
    "<turn_aborted",
    "<subagent_notification",
    "<skill>",
    "<goal_context",
    "<user_shell_command",
    "<hook_prompt",
    "<recommended_plugins",
    "<codex_internal_context",
)
_BEFORE_PROMPT: Final = re.compile(
    r"<(recommended_plugins|environment_context)\b[^>]*>.*?</\1>", re.DOTALL
)
_IDE: Final = "# Context from my IDE setup"
_REQUEST: Final = "## My request for Codex:"

_HEADER: Final = re.compile(
    r"(?:Chunk ID|Wall time|Exit code|Process exited with code|Process running|Total output lines"
    r"|Original token count)\b[^\n]*"
)
_EXIT: Final = re.compile(r"(?:Exit code:?|Process exited with code)\s+(-?\d+)")
_FAILURES: Final = (
    "patch rejected",
    "apply_patch verification failed",
    "execution error",
    "unsupported call",
    "aborted by user",
    "exec command rejected",
    "failed to parse function arguments",
)


def typed_text(content: object) -> str | None:
    """Return the typed part of a user item's content, None when it is nobody's prompt."""
    if isinstance(content, str):
        return _typed(content) or None
    text = "\n\n".join(part for part in _parts(tables_in(content)) if part)
    return text or None


def _parts(blocks: list[Record]) -> Iterator[str]:
    for block in blocks:
        text = block_text(block)
        yield text if "image_url" in block else _typed(text)


def _typed(text: str) -> str:
    text = text.strip()
    while found := _BEFORE_PROMPT.match(text):
        text = text[found.end() :].lstrip()
    if text.startswith("# "):
        _, heading, request = text.rpartition(_REQUEST)
        if heading:
            return request.strip()
        if text.startswith(_IDE):
            return ""
    return "" if text.startswith(_NOT_TYPED) else text


def visible_text(content: object) -> str:
    """Return the text of an assistant item."""
    if isinstance(content, str):
        return content.strip()
    return "\n\n".join(filter(None, (block_text(block).strip() for block in tables_in(content))))


def judged(value: object) -> tuple[Outcome, str]:
    """Return the outcome of a call and the text of its output."""
    success = None
    if isinstance(value, dict):
        success = value.get("success")
        content = value.get("content", value.get("output"))
        if content is None:
            content = _streams(value) if value.keys() & {"stdout", "stderr"} else value
        outcome, text = _judged_text(value, content)
    elif isinstance(value, str) and value.startswith("{"):
        outcome, text = _judged_json(value)
    else:
        outcome, text = _judged_text({}, value)
    return (Outcome.FAILED if success is False else outcome), text


def _judged_json(value: str) -> tuple[Outcome, str]:
    """Judge an output that is JSON text; one without the known fields is a plain text."""
    try:
        table = orjson.loads(value)
    except orjson.JSONDecodeError:
        return _judged_text({}, value)
    if not isinstance(table, dict):
        return _judged_text({}, value)
    known = isinstance(table.get("output"), str) and isinstance(table.get("metadata"), dict)
    # Without the field that Codex has around an output, it is the output that is JSON.
    outcome, text = _judged_text(table, table["output"]) if known else _judged_text({}, value)
    return (Outcome.FAILED if table.get("success") is False else outcome), text


def _judged_text(table: Record, content: object) -> tuple[Outcome, str]:
    text = output_text(content)
    code = exit_code(table)
    if code is None:
        code, is_running = _header(text)
        if is_running and code is None:
            return Outcome.PENDING, text
    if code:
        return Outcome.FAILED, text
    if code is None and text.casefold().startswith(_FAILURES):
        by_person = "rejected by user" in text and "approval settings" not in text
        return (Outcome.REJECTED if by_person else Outcome.FAILED), text
    return Outcome.OK, text


def exit_code(table: Record) -> int | None:
    """Return the exit code that a result carries in a field of its own."""
    for place in (table_in(table, "metadata"), table):
        for key in ("exit_code", "exitCode"):
            code = place.get(key)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    return None


def _header(text: str) -> tuple[int | None, bool]:
    """Read the lines before an output that tell how the process ended, or that it still runs."""
    code, is_running, at = None, False, 0
    while found := _HEADER.match(text, at):
        at = found.end() + 1
        if exited := _EXIT.match(found[0]):
            code = int(exited[1])
        is_running = is_running or found[0].startswith("Process running")
    return code, is_running


def _streams(table: Record) -> str:
    parts = [table.get("stdout"), table.get("stderr")]
    return bounded("\n".join(part for part in parts if isinstance(part, str) and part))


def call_arguments(payload: Record) -> str:
    """Return the arguments of a call, wherever its kind has them."""
    for key in ("arguments", "input", "action", "query", "changes", "invocation"):
        value = payload.get(key)
        if isinstance(value, str):
            return bounded_json(value)
        if value is not None:
            return json_text(value)
    return "{}"


def result_text(payload: Record) -> str:
    """Return the text of a result that stands in the call itself or in an event."""
    image = text_in(payload, "result")
    if image is not None:
        return attachment_note("image", "image/png", image)
    return judged({"stdout": payload.get("stdout"), "stderr": payload.get("stderr")})[1]
