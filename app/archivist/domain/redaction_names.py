"""Secrets that only the words beside them give away: `DB_PASSWORD=...`, "the password is ...".

Finds the value beside the name and judges it; where the names stand is found by `redaction`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from archivist.domain import secrets
from archivist.domain.redaction_rules import Level, NameRule, Rules
from archivist.domain.redaction_values import (
    ASIAN,
    OPENING,
    Value,
    trimmed,
    value_at,
    whole_end,
)

_LONGEST_NAME: Final = 80

# From the end of a name to its value: the end of quotes or emphasis, then what links the two. A
# type may stand between (`password: str = ...`); `value` may name it (`name: X`, `value: Y`).
_LINK: Final = re.compile(
    r"""
    (?P<close>\\{0,3}["'`]?\ ?\]?\*{0,2})
    (?:
      [ \t]{0,12}(?P<sep>:=|=>|->|={1,3}|:|：|＝)\*{0,2}
      (?:[ \t]{0,2}&?[A-Za-z_][\w.\[\]<>|?]{0,40}(?:[ ]\|[ ]\w{1,12})?[ \t]{1,4}=(?=[ \t]))?
      [ \t]{0,12}
    | (?P<tag>>)
    | [ ]{1,4}value=(?=["'])
    | ,?\s{0,3}(?:\\n)?\s{0,12}\\{0,3}["']?value\\{0,3}["']?[ ]?:[ ]?
    | (?P<comma>[ \t]{0,4},[ \t]{0,4})(?=\\{0,3}["'`])
    | (?P<bar>[ \t]{1,20}\|[ \t]{1,20})
    | (?P<space>[ \t]{1,4})
    )
    """,
    re.VERBOSE,
)
_SETTING_LINE: Final = re.compile(r"(?:export |set |env |ENV )?[\w.-]*")
_END_OF_LINE: Final = re.compile(r"[ \t]*(?:[\r\n]|\Z|#)")
_NEAR: Final = re.compile(
    r"[^\n]{0,48}?(?<![A-Za-z0-9_+/=.~:-])(?P<value>[A-Za-z0-9][A-Za-z0-9_+/=.~-]{15,512})"
)
_NATIVE_LINK: Final = re.compile(
    rf"[\s:=*(（{ASIAN}]{{0,16}}?(?P<open>[{OPENING}]?)(?P<value>[!-&(-;=?-_a-~À-ɏ]{{4,200}})"
)
_NATIVE_DIRECT: Final = re.compile(
    r"[\s:=：＝*]*(?:是|为|為|は|が|：|은|는|이|가|设为|设成了?|设置[为成]|改[成为]|[\s*])*[\s:=：＝*]*"
)
_PHRASE: Final = re.compile(
    rf"[\s:=*(（{ASIAN}]{{0,16}}"
    r"(?P<value>[a-z]{3,8}(?:[ ,\n]{1,2}(?:[0-9]{1,2}[.)]\s?)?[a-z]{3,8}){11,23}+)(?! \[redacted)"
)
# Names of techniques, said after "the password is": letters and digits, and no secret.
_TECHNIQUE: Final = re.compile(
    r"(?:sha|md|utf|base|bcrypt|argon|oauth|scrypt|pbkdf|aes|rsa|v|p|step|http|iso|x|ed)"
    r"-?[0-9]+[a-z]{0,3}[0-9]*\Z",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A stretch of text to take out; where two meet, the kind of the higher rank is told."""

    start: int
    end: int
    kind: str
    rank: int


class Named:
    """Finds the values beside names and words that tell of secrets."""

    def __init__(self, rules: Rules) -> None:
        self._rule_for = lru_cache(maxsize=4096)(rules.names.rule_for)
        self._unspoken = rules.said.unspoken
        self._native = _by_pivot(rules.said.native)
        self._pivots = re.compile(
            f"[{re.escape(''.join(self._native))}]" if self._native else r"(?!)"
        )
        links = "|".join(sorted(map(re.escape, rules.said.links), key=len, reverse=True))
        self._direct = re.compile(rf"(?:[ \t]+(?:{links}))?[ \t:=]*[{OPENING}(]?", re.IGNORECASE)
        self._linked = re.compile(
            r"(?:[ \t]{1,8}[^\s:=]{1,24}){0,5}?"
            rf"(?:[ \t]{{1,8}}(?:{links})[ \t]{{0,8}}[:=]?|[ \t]{{0,8}}(?<![!<>=])[:=])\s{{1,3}}"
            rf"(?P<open>[{OPENING}(]?)(?P<value>[^\s{OPENING}”»」』<>{ASIAN}]{{4,200}})",
            re.IGNORECASE,
        )

    def rule_for(self, name: str) -> NameRule | None:
        """Return the rule for a name, or None; remembers the names of late."""
        return self._rule_for(name)

    def beside(self, text: str, begin: int, end: int) -> Iterator[Span]:
        """Yield the secret that the name `text[begin:end]` tells of, if one follows."""
        if end - begin > _LONGEST_NAME:
            return
        name = text[begin:end]
        rule = self._rule_at(text, begin, name)
        if rule is None or _is_listed(text, begin, end):
            return
        link = _LINK.match(text, end)
        value = value_at(text, link.end()) if link is not None else None
        if link is not None and value is not None and _is_told(text, begin, rule, value, link):
            yield Span(value.start, whole_end(text, value), rule.kind, 1)
        elif link is not None and _is_structure(link):
            return
        elif name.strip("-").lower() not in self._unspoken:
            yield from self._said(text, end, rule, upper=name.isupper())

    def _rule_at(self, text: str, begin: int, name: str) -> NameRule | None:
        """Return the rule for a name in its place: "api key" is more than "key"."""
        rule = self._rule_for(name)
        word = name.strip("-")
        if (rule is None or rule.level is Level.RANDOM) and word.isalpha():
            return self._rule_for(f"{_word_before(text, begin)} {word}") or rule
        return rule

    def _said(self, text: str, end: int, rule: NameRule, *, upper: bool) -> Iterator[Span]:
        """Yield the secret that a sentence tells after a word of secrets."""
        is_open = rule.level is Level.OPEN
        if not is_open:
            near = self._near(text, end, direct=upper or rule.level is Level.CLOSE)
            if near is not None:
                yield Span(*near, rule.kind, 0)
                return
        linked = self._linked.match(text, end)
        if linked is not None:
            value, start = trimmed(linked["value"]), linked.start("value")
            quoted = linked["open"] not in ("", "(")
            if _is_spoken(value, quoted=quoted) if is_open else _is_long(value):
                yield Span(start, start + len(value), rule.kind, 0)
                return
        follows = text[end : end + 1] in (" ", "\n", "\t", ":")
        beside = value_at(text, end + 1) if is_open and follows else None
        if beside is not None:
            value = trimmed(beside.text)
            if secrets.looks_strong(value) and not secrets.is_placeholder(value):
                yield Span(beside.start, beside.start + len(value), rule.kind, 0)

    def _near(self, text: str, end: int, *, direct: bool) -> tuple[int, int] | None:
        """Return where a token stands near a word; `direct`: hashes count behind "is" or a sign."""
        near = _NEAR.match(text, end)
        if near is None:
            return None
        start, value = near.start("value"), near["value"].rstrip(".")
        direct = direct and self._direct.fullmatch(text, end, start) is not None
        return (start, start + len(value)) if _is_token(value, direct=direct) else None

    def native_in(self, text: str) -> Iterator[Span]:
        """Yield the secrets told after words outside ASCII (`密码：...`, `パスワードは...`)."""
        for pivot in self._pivots.finditer(text):
            for word, offset, kind in self._native[pivot[0]]:
                begin = pivot.start() - offset
                if begin >= 0 and text[begin : begin + len(word)].lower() == word:
                    yield from self._after_native(text, begin + len(word), kind)
                    break

    def _after_native(self, text: str, end: int, kind: str) -> Iterator[Span]:
        if kind == "recovery phrase":
            phrase = _PHRASE.match(text, end)
            if phrase is not None and secrets.is_phrase(phrase["value"]):
                yield Span(*phrase.span("value"), kind, 2)
            return
        found = _NATIVE_LINK.match(text, end) or self._linked.match(text, end)
        if found is None:
            return
        value = trimmed(found["value"])
        gap = text[end : found.start("open")]
        direct = _NATIVE_DIRECT.fullmatch(gap) or self._direct.fullmatch(gap)
        if _is_native(kind, value, direct=direct is not None, quoted=bool(found["open"])):
            yield Span(found.start("value"), found.start("value") + len(value), kind, 0)


def _by_pivot(native: Mapping[str, str]) -> dict[str, tuple[tuple[str, int, str], ...]]:
    """Sort words by their first character outside ASCII, the longest word first."""
    found: dict[str, list[tuple[str, int, str]]] = {}
    for word in sorted(native, key=len, reverse=True):
        offset = next(place for place, char in enumerate(word) if not char.isascii())
        for pivot in {word[offset], word[offset].upper()}:
            found.setdefault(pivot, []).append((word, offset, native[word]))
    return {pivot: tuple(rows) for pivot, rows in found.items()}


def _word_before(text: str, begin: int) -> str:
    head = text[max(0, begin - 24) : begin]
    if head[-1:] not in (" ", "-"):
        return ""
    return head[:-1].rpartition(" ")[2].rpartition("\n")[2].lower()


def _is_listed(text: str, begin: int, end: int) -> bool:
    """Tell whether a name stands in a list by colons (`arn:aws:...:secret:x`) and names nothing."""
    if text[begin - 1 : begin] != ":":
        return False
    doubled = text[begin - 2 : begin] == "::"
    return doubled or (text[end : end + 1] == ":" != text[end + 1 : end + 2])


def _is_structure(link: re.Match[str]) -> bool:
    """Tell whether a name stands in code or data, so that what follows is no sentence about it."""
    return bool(link["tag"] or link["close"].strip("* ") or "=" in (link["sep"] or ""))


def _is_command(text: str, begin: int) -> bool:
    """Tell whether a name stands where `--name value` or `ENV NAME value` has it."""
    before = text[max(0, begin - 8) : begin]
    return text[begin : begin + 1] == "-" or before.endswith(("ENV ", "setenv ", "set -x ", "-gx "))


def _is_told(text: str, begin: int, rule: NameRule, value: Value, link: re.Match[str]) -> bool:
    """Judge a value that stands behind `=`, `:` or another sign."""
    name, told = text[begin : link.start()], value.text
    if secrets.is_placeholder(told) or secrets.is_public(told) or told.lower() == name.lower():
        return False
    if link["space"]:
        return _is_command(text, begin) and _is_argument(rule, value)
    if link["comma"] or link["bar"]:
        return len(told) >= 8 and secrets.looks_strong(told)
    if link["tag"] and text[value.end : value.end + 2] != "</":
        return False
    literal = value.quoted or bool(link["tag"])
    if not literal and secrets.is_code(told) and not (told.isdigit() and len(told) >= 6):
        return False
    upper = name.isupper()
    match rule.level:
        case Level.RANDOM:
            drawn = secrets.looks_random(told) and (upper or not secrets.is_record_id(told))
            return drawn or _is_pair(told)
        case Level.OPEN:
            return _is_open(value, link, literal=literal, upper=upper)
        case Level.CLOSE:
            return _is_close(value, link, literal=literal, upper=upper)


def _is_open(value: Value, link: re.Match[str], *, literal: bool, upper: bool) -> bool:
    if literal:
        return " " not in value.text or secrets.looks_strong(value.text.replace(" ", ""))
    if _is_tight(link, value) and (upper or _is_setting(link, value)):
        return True
    return secrets.looks_chosen(value.text) and not _TECHNIQUE.match(value.text)


def _is_close(value: Value, link: re.Match[str], *, literal: bool, upper: bool) -> bool:
    told = value.text
    if literal:
        return len(told) >= 8 and " " not in told and not secrets.looks_worded(told)
    if upper and _is_tight(link, value):
        return True
    return secrets.looks_random(told, least=12) or secrets.looks_strong(told)


def _is_tight(link: re.Match[str], value: Value) -> bool:
    return link["sep"] == "=" and value.start == link.end("sep")


def _is_setting(link: re.Match[str], value: Value) -> bool:
    """Tell whether a whole line is `some.name=value`, or a list is `name=value;name=value`."""
    text = link.string
    if text[value.end : value.end + 1] in (";", "&"):
        return True
    line = text.rfind("\n", max(0, link.start() - 128), link.start()) + 1
    return (
        _SETTING_LINE.fullmatch(text, line, link.start()) is not None
        and _END_OF_LINE.match(text, value.end) is not None
    )


def _is_argument(rule: NameRule, value: Value) -> bool:
    """Judge what follows `--password`: an argument, not the rest of a sentence."""
    told = value.text
    if told.startswith("-") or (not value.quoted and secrets.is_code(told)):
        return False
    if rule.level is Level.OPEN:
        return value.quoted or secrets.looks_chosen(told)
    return secrets.looks_random(told, least=12) or secrets.looks_strong(told)


def _is_pair(value: str) -> bool:
    """Tell whether a value is `user/password` or `user:password`."""
    user, _, password = value.replace("/", ":", 1).partition(":")
    return user.isidentifier() and secrets.looks_strong(password) and not secrets.is_path(value)


def _is_token(value: str, *, direct: bool) -> bool:
    """Judge what stands near a word of secrets; `direct`: only "is" or a sign stands between."""
    if not direct and secrets.is_record_id(value):
        return False
    if not secrets.looks_random(value) or secrets.is_path(value):
        return False
    return not secrets.is_placeholder(value) and not secrets.is_public(value)


def _is_spoken(value: str, *, quoted: bool) -> bool:
    if secrets.is_placeholder(value) or secrets.is_numbered_name(value):
        return False
    if _TECHNIQUE.match(value) or (secrets.is_code(value) and not value.isdigit()):
        return False
    return secrets.looks_chosen(value) or (quoted and len(value) >= 6)


def _is_long(value: str) -> bool:
    """Tell whether a value is too long and too mixed for anything but a secret."""
    if secrets.is_placeholder(value) or secrets.is_public(value) or secrets.is_record_id(value):
        return False
    return len(value) >= 16 and secrets.looks_strong(value)


def _is_native(kind: str, value: str, *, direct: bool, quoted: bool) -> bool:
    if secrets.is_placeholder(value) or _TECHNIQUE.match(value):
        return False
    if kind == "one-time code":
        return value.isdigit() and len(value) <= 8
    if kind != "password":
        return _is_token(value, direct=direct)
    if value.isdigit() or not (direct or quoted):
        return direct if value.isdigit() else secrets.looks_strong(value)
    return secrets.looks_chosen(value) and not secrets.is_code(value)
