"""Texts as the gate gets them: images named instead of copied, and nothing cut but the enormous.

The gate comes after, and a cut through a key would hide it. `archivist.domain.shortening` is for
what was through the gate.
"""

import binascii
import hashlib
import json
import re
from typing import Final

import orjson

from archivist.domain.shortening import left_out
from archivist.sources.records import Record, table_in, text_in

BOUND: Final = 4 * 1024 * 1024
"""Characters; a longer string of a tool loses its middle, cut where no secret can be cut."""

_HEAD: Final = BOUND // 2
_TAIL: Final = BOUND // 4
_SMALL: Final = 16 * 1024
_LONGEST_ADDRESS: Final = 200
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/=_-]{64,})")
_BLOCK_EDGE: Final = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{1,60}-{4,5}", re.IGNORECASE)
_BLOCK_LINES: Final = re.compile(r"(?:[ \t]*(?:[A-Za-z0-9+/=]*|[\w-]+: [^\r\n]*)[\r\n]+)*")


def bounded(text: str) -> str:
    """Return a tool's text with images named; of an enormous one whole lines of both ends."""
    if ";base64," in text:
        text = _DATA_URL.sub(lambda found: attachment_note("image", found[1], found[2]), text)
    if len(text) <= BOUND:
        return text
    head, tail = _whole_head(text[:_HEAD]), _whole_tail(text, len(text) - _TAIL)
    note = left_out(len(text) - len(head) - len(tail), len(text))
    return "\n".join(part for part in (head, note, tail) if part)


def _whole_head(head: str) -> str:
    """Return the whole lines of a cut beginning, without a key block that is cut off."""
    head = head[: max(head.rfind("\n"), head.rfind("\r"), 0)]
    edges = list(_BLOCK_EDGE.finditer(head))
    if edges and edges[-1][1].upper() == "BEGIN":
        begun = edges[-1].start()
        head = head[: max(head.rfind("\n", 0, begun), head.rfind("\r", 0, begun), 0)]
    return head


def _whole_tail(text: str, start: int) -> str:
    """Return the whole lines from `start` on, without the rest of a key block begun before."""
    breaks = [at for at in (text.find("\n", start), text.find("\r", start)) if at >= 0]
    if not breaks:
        return ""
    start = min(breaks) + 1
    edges = list(_BLOCK_EDGE.finditer(text, 0, start))
    is_inside = bool(edges) and edges[-1][1].upper() == "BEGIN"
    first = _BLOCK_EDGE.search(text, start)
    if first is not None and first[1].upper() == "END":
        line = text.find("\n", first.end())
        return text[line + 1 :] if line >= 0 else ""
    rest = _BLOCK_LINES.match(text, start) if is_inside else None
    return text[rest.end() if rest else start :]


def json_text(value: object) -> str:
    """Return a value as JSON text with its strings bounded."""
    text = _dump(value)
    is_fit = len(text) <= _SMALL or (len(text) <= BOUND and ";base64," not in text)
    return text if is_fit else _dump(_bounded(value))


def bounded_json(text: str) -> str:
    """Return JSON text with its strings bounded; any other text bounded as it is."""
    if len(text) <= _SMALL or (len(text) <= BOUND and ";base64," not in text):
        return text
    try:
        return json_text(orjson.loads(text))
    except orjson.JSONDecodeError:
        return bounded(text)


def _dump(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested deeper than orjson writes
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return '"[nested too deeply]"'


def _bounded(value: object, depth: int = 0) -> object:
    if isinstance(value, str):
        return bounded(value)
    if depth > 100:
        return value
    if isinstance(value, dict):
        return {key: _bounded(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_bounded(item, depth + 1) for item in value]
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
    return attachment_note("image", found[1], found[2]) if found else f"[image: {_address(url)}]"


def _address(url: str) -> str:
    """Return an address, of a long one the part before its query; nothing is cut through."""
    if len(url) > _LONGEST_ADDRESS:
        url = re.split(r"[?#]", url, maxsplit=1)[0]
    return url if len(url) <= _LONGEST_ADDRESS else f"{len(url)} characters"


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
        return bounded(value)
    if isinstance(value, list):
        parts = [
            block_text(item) if isinstance(item, dict) else item
            for item in value
            if isinstance(item, dict | str)
        ]
        return bounded("\n".join(part for part in parts if part))
    return "" if value is None else json_text(value)


def key_of(*parts: str | None) -> str:
    """Return a key made of what a record says, for records without an id of their own."""
    joined = "\0".join(part or "" for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=16).hexdigest()
