"""Secrets that their own form or the text around them gives away: tokens, headers, key blocks."""

import re
from collections.abc import Iterator
from typing import Final, assert_never

from archivist.domain import secrets
from archivist.domain.redaction_names import Span
from archivist.domain.redaction_rules import Check, Shape, Token

_AHEAD: Final = 256
_BEFORE: Final = 256
_LONGEST_BLOCK: Final = 32_768

# A token begins after anything but a letter or a digit, or after an escape that ends in one.
_BOUNDARY: Final = re.compile(
    r"(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[0-9]m)|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-fA-F]{4})"
)
_INSIDE: Final = re.compile(r"(?<=[A-Za-z0-9][_-])")
_REST: Final = re.compile(r"[A-Za-z0-9_-]*")
_BLOCK_HEAD: Final = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}", re.IGNORECASE
)
_BLOCK_FOOT: Final = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,48}-{4,5}", re.IGNORECASE)
_BLOCK_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16}")
# The lines of a block that was cut off: between them quotes, marks of a diff, numbers of lines or
# escaped ends of lines. Possessive throughout, so that no text makes it go back.
_BLOCK_BODY: Final = re.compile(
    r"""
    (?:
      (?:[\s>|+,"'`:]|\\{1,4}[nrt"'])*+
      (?:
        (?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]{0,80}
      | (?:[0-9]{1,5}[|:→\t\x20][\t\x20]*+)?[A-Za-z0-9+/=]{16,}+
      )
    )++
    (?:
      (?:[ \t>|+"',`]|[0-9]{1,5}[|:→])*(?:\r?\n|\\{1,4}n)(?:[ \t>|+"',`]|[0-9]{1,5}[|:→])*
      (?:[A-Za-z0-9+/]{4}){0,3}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)
      (?=["'`,\\\r\n]|\Z)
    )?
    """,
    re.VERBOSE,
)
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}\Z")
_SESSION: Final = re.compile(
    r"sess|sid|auth|token|jwt|csrf|xsrf|remember|login|user|id", re.IGNORECASE
)


def token_at(beginning: str, token: Token, text: str, at: int) -> Span | None:
    """Return the token with this beginning at `at`, where the beginning stands in some case."""
    if not text.startswith(beginning, at) or not _BOUNDARY.match(text, at):
        return None
    if token.loose and _INSIDE.match(text, at):
        return None
    found = token.body.match(text, at + len(beginning))
    if found is None or secrets.is_placeholder(found[0]):
        return None
    if token.loose and not secrets.looks_random(found[0], least=8):
        return None
    rest = _REST.match(text, found.end())
    end = rest.end() if rest is not None else found.end()
    return Span(at, end, token.kind, 2 if token.loose else 3)


def shaped_at(shape: Shape, text: str, begin: int, end: int) -> tuple[list[Span], int]:
    """Return what a shape finds at its anchor `text[begin:end]`, and how far it looked."""
    if shape.back:
        found = shape.pattern.search(text, max(0, begin - shape.back), end + _AHEAD)
    else:
        found = shape.pattern.match(text, begin)
    if found is None:
        return [], begin
    if shape.before is not None and not shape.before.search(text, max(0, begin - _BEFORE), begin):
        return [], begin
    parts = [found] if shape.each is None else shape.each.finditer(text, *found.span("within"))
    spans = [
        Span(*part.span("secret"), shape.kind, 2)
        for part in parts
        if is_shaped(shape.check, part["secret"], part)
    ]
    return spans, found.end()


def is_shaped(check: Check, value: str, found: re.Match[str]) -> bool:  # noqa: C901 - a table
    """Judge what a shape found."""
    if check is Check.NONE:
        return True
    if secrets.is_placeholder(value) or secrets.is_public(value):
        return False
    match check:
        case Check.ANY:
            return True
        case Check.CHOSEN:
            return secrets.looks_chosen(value) and not secrets.is_code(value)
        case Check.STRONG:
            return secrets.looks_strong(value)
        case Check.RANDOM:
            return secrets.looks_random(value)
        case Check.TAIL:
            return secrets.looks_random(found["tail"])
        case Check.BASIC:
            return secrets.is_basic_credential(value)
        case Check.COOKIE:
            return _is_cookie(found["name"], value)
        case Check.BASE32 | Check.ADDRESS:
            return not value.isalpha() and any(char.isdigit() for char in value)
        case Check.CODE:
            return not _YEAR.match(value)
        case Check.PHRASE:
            return secrets.is_phrase(value)
        case _:
            assert_never(check)


def _is_cookie(name: str, value: str) -> bool:
    if secrets.looks_random(value, least=12):
        return True
    return bool(_SESSION.search(name)) and secrets.looks_chosen(value)


def block_at(text: str, at: int) -> Iterator[Span]:
    """Yield the private key whose first line holds `BEGIN ` at `at`: a whole block, or cut off."""
    head = _BLOCK_HEAD.search(text, max(0, at - 6), at + 80)
    if head is None:
        return
    end = text.find("----", head.end(), head.end() + _LONGEST_BLOCK)
    foot = _BLOCK_FOOT.match(text, end) if end >= 0 else None
    if foot is not None:
        if _BLOCK_LINE.search(text, head.end(), foot.start()):
            yield Span(head.start(), foot.end(), "private key", 4)
        return
    body = _BLOCK_BODY.match(text, head.end())
    if body is not None:
        yield Span(head.start(), body.end(), "private key", 4)
