"""The rules of the redaction gate as values, parsed from tables of data.

`resources/redaction/*.toml` explains each key. Nothing here reads files.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLURAL: Final = frozenset({"keys", "secrets", "passwords"})


class Level(StrEnum):
    """How much a value beside a name must look like a secret to count as one."""

    OPEN = "open"
    CLOSE = "close"
    RANDOM = "random"


class Check(StrEnum):
    """What a secret that a shape found must look like."""

    NONE = "none"
    ANY = "any"
    CHOSEN = "chosen"
    STRONG = "strong"
    RANDOM = "random"
    BASIC = "basic"
    COOKIE = "cookie"
    BASE32 = "base32"
    CODE = "code"
    PHRASE = "phrase"
    TAIL = "tail"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Token:
    """A token known by its beginning; `loose`: what follows must look random."""

    kind: str
    starts: tuple[str, ...]
    body: re.Pattern[str]
    loose: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """A secret known by what is in it or around it; without anchors, by the form of a long run."""

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    before: re.Pattern[str] | None
    each: re.Pattern[str] | None
    back: int
    check: Check


@dataclass(frozen=True, slots=True)
class NameRule:
    """Names of secrets: the last word ends so, is this, or the last two are."""

    kind: str
    level: Level
    ends: tuple[str, ...]
    words: frozenset[str]
    pairs: frozenset[str]

    def fits(self, last: str, pair: str) -> bool:
        """Tell whether a name with this last word and these last two words is one of them."""
        return last in self.words or pair in self.pairs or last.endswith(self.ends)


@dataclass(frozen=True, slots=True)
class Names:
    """Everything known about names of secrets."""

    stems: tuple[str, ...]
    trailing: frozenset[str]
    harmless: frozenset[str]
    rules: tuple[NameRule, ...]

    def rule_for(self, name: str) -> NameRule | None:
        """Return the rule for a name as it is written (`DB_PASSWORD`, `apiKey`), or None."""
        words = [word.lower() for word in _WORD.findall(name)]
        while len(words) > 1 and (words[-1].isdigit() or words[-1] in self.trailing):
            words.pop()
        if not words or words[-1].isdigit():
            return None
        last = words[-1][:-1] if words[-1] in _PLURAL else words[-1]
        pair = f"{words[-2]} {last}" if len(words) > 1 else last
        if pair in self.harmless:
            return None
        return next((rule for rule in self.rules if rule.fits(last, pair)), None)


@dataclass(frozen=True, slots=True)
class Said:
    """How secrets are told in sentences: linking words, and words outside ASCII with their kind."""

    links: tuple[str, ...]
    unspoken: frozenset[str]
    native: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of the gate."""

    tokens: tuple[Token, ...]
    shapes: tuple[Shape, ...]
    names: Names
    said: Said


def parse_rules(tables: Sequence[Mapping[str, object]]) -> Rules:
    """Join parsed tables, in any order, to rules. Raises ValueError for a rule without sense."""
    said = [_table(table["said"]) for table in tables if "said" in table]
    return Rules(
        tokens=tuple(_token(row) for row in _rows(tables, "token")),
        shapes=tuple(_shape(row) for row in _rows(tables, "shape")),
        names=Names(
            stems=_joined(tables, "stems"),
            trailing=frozenset(_joined(tables, "trailing")),
            harmless=frozenset(_joined(tables, "harmless")),
            rules=tuple(_name(row) for row in _rows(tables, "name")),
        ),
        said=Said(
            links=_joined(said, "links"),
            unspoken=frozenset(_joined(said, "unspoken")),
            native={
                word: _text(row, "kind")
                for row in _rows(said, "native")
                for word in _words(row, "words")
            },
        ),
    )


def _token(row: Mapping[str, object]) -> Token:
    starts = _words(row, "starts")
    if not starts or min(map(len, starts)) < 3:
        raise ValueError(f"a token rule needs beginnings of three characters: {row}")
    body = re.compile(_text(row, "body"))
    return Token(_text(row, "kind"), starts, body, loose=row.get("loose") is True)


def _shape(row: Mapping[str, object]) -> Shape:
    pattern = re.compile(_text(row, "pattern"))
    before = re.compile(_text(row, "before")) if "before" in row else None
    each = re.compile(_text(row, "each")) if "each" in row else None
    anchors = _words(row, "anchors")
    names = set(each.groupindex if each else pattern.groupindex)
    if anchors and ("secret" not in names or (each and "within" not in pattern.groupindex)):
        raise ValueError(f"a shape must name what is secret: {pattern.pattern}")
    if not anchors and pattern.groups:
        raise ValueError(f"a shape without anchors is secret as a whole: {pattern.pattern}")
    return Shape(
        kind=_text(row, "kind"),
        anchors=anchors,
        pattern=pattern,
        before=before,
        each=each,
        back=_number(row, "back"),
        check=Check(_text(row, "check")),
    )


def _name(row: Mapping[str, object]) -> NameRule:
    return NameRule(
        kind=_text(row, "kind"),
        level=Level(_text(row, "level")),
        ends=_words(row, "ends"),
        words=frozenset(_words(row, "words")),
        pairs=frozenset(_words(row, "pairs")),
    )


def _rows(tables: Sequence[Mapping[str, object]], key: str) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = []
    for table in tables:
        rows = table.get(key, [])
        if not isinstance(rows, list):
            raise ValueError(f"{key} must be an array of tables")  # noqa: TRY004 - faulty data
        found += [_table(row) for row in rows]
    return found


def _joined(tables: Sequence[Mapping[str, object]], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for table in tables for word in _words(table, key)))


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"a table is expected, not {value!r}")  # noqa: TRY004 - faulty data
    return value


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} is missing in {row}")
    return value


def _number(row: Mapping[str, object], key: str) -> int:
    value = row.get(key, 0)
    if not isinstance(value, int):
        raise ValueError(f"{key} must be a number in {row}")  # noqa: TRY004 - faulty data
    return value


def _words(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{key} must be an array of texts in {row}")
    return tuple(value)
