"""Texts made fit to keep: images are named instead of copied, long outputs shortened."""

import binascii
import hashlib
import json
import re
from typing import Final

import orjson

from archivist.sources.records import Record, table_in, text_in

OUTPUT_LIMIT: Final = 16 * 1024
"""Characters; of a longer tool output or argument only its beginning and end are kept."""

_HEAD: Final = 8 * 1024
_TAIL: Final = 4 * 1024
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/=_-]{64,})")


def shorten(text: str) -> str:
    """Return a tool's text with images named, and of a long one the beginning, the end, a note."""
    if ";base64," in text:
        text = _DATA_URL.sub(lambda found: attachment_note("image", found[1], found[2]), text)
    if len(text) <= OUTPUT_LIMIT:
        return text
    note = f"[{len(text) - _HEAD - _TAIL} of {len(text)} characters left out]"
    return f"{text[:_HEAD]}\n{note}\n{text[-_TAIL:]}"


def json_text(value: object) -> str:
    """Return a value as JSON text with its long strings shortened."""
    text = _dump(value)
    return text if len(text) <= OUTPUT_LIMIT else _dump(_shortened(value))


def shorten_json(text: str) -> str:
    """Return JSON text with its long strings shortened; any other text shortened as it is."""
    if len(text) <= OUTPUT_LIMIT:
        return text
    try:
        return json_text(orjson.loads(text))
    except orjson.JSONDecodeError:
        return shorten(text)


def _dump(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested deeper than orjson writes
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return '"[nested too deeply]"'


def _shortened(value: object, depth: int = 0) -> object:
    if isinstance(value, str):
        return shorten(value)
    if depth > 100:
        return value
    if isinstance(value, dict):
        return {key: _shortened(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, depth + 1) for item in value]
    return value


def block_text(block: Record) -> str:
    """Return what a content block says: its text, or the note for an image or a document."""
    match block.get("type"):
        case "text" | "input_text" | "output_text":
            return text_in(block, "text") or ""
        case "image" | "document" as kind:
            return _attached(str(kind), table_in(block, "source"))
        case "input_image" | "image_url":
            return _linked(block.get("image_url"))
        case "tool_reference":
            return text_in(block, "tool_name") or ""
    return ""


def _attached(kind: str, source: Record) -> str:
    media = text_in(source, "media_type") or "unknown"
    data = text_in(source, "data")
    if data is None:
        return f"[{kind}: {text_in(source, 'url') or media}]"
    if source.get("type") == "text":
        return data
    return attachment_note(kind, media, data)


def _linked(value: object) -> str:
    url = value.get("url") if isinstance(value, dict) else value
    if not isinstance(url, str):
        return ""
    found = _DATA_URL.match(url)
    return attachment_note("image", found[1], found[2]) if found else f"[image: {url[:200]}]"


def attachment_note(kind: str, media: str, data: str) -> str:
    """Return what stands for an image or a document that a record holds in base64."""
    try:
        raw = binascii.a2b_base64(data)
    except binascii.Error:
        raw = data.encode()
    digest = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    return f"[{kind}: {media}, {len(raw)} bytes, sha1 {digest}]"


def output_text(value: object) -> str:
    """Return the text of a tool result: a string, or blocks of text and images."""
    if isinstance(value, str):
        return shorten(value)
    if isinstance(value, list):
        parts = [
            block_text(item) if isinstance(item, dict) else item
            for item in value
            if isinstance(item, dict | str)
        ]
        return shorten("\n".join(part for part in parts if part))
    return "" if value is None else shorten(_dump(value))


def key_of(*parts: str | None) -> str:
    """Return a key made of what a record says, for records without an id of their own."""
    joined = "\0".join(part or "" for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=16).hexdigest()
