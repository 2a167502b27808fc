"""Cue tables: the phrases by which rules understand what people say, parsed from TOML mappings.

One table a language, and one without `lang` that holds what all share: the weights of the signals.
Phrases are plain words with four signs, so that a translator can read and extend them:

    (a|b)   either          (a )?   or not         use*    the rest of a word
    _       any one word    ...     up to five words (up to twelve characters where words
                                    are not spaced)

Phrases match whole words, whatever the case, the kind of apostrophe, or the width of letters.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Final, TypeAlias

from archivist.domain.sentences import BLANK, fold

Pattern: TypeAlias = re.Pattern[str]

NEVER: Final[Pattern] = re.compile(r"(?!)")


class CueError(Exception):
    """A cue table that cannot be used; the message names the table and what is wrong."""


class EventKind(StrEnum):
    """What a rule saw in a user turn."""

    DECISION = "decision"
    COMMITMENT = "commitment"
    PREFERENCE = "preference"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class TopicCue:
    """Phrases that open a topic.

    `alone`: also when nothing follows; `first`: only where a sentence begins.
    """

    pattern: Pattern
    unless: Pattern
    first: bool
    alone: bool


@dataclass(frozen=True, slots=True)
class EventCue:
    """Phrases of one kind of event. `unless` is looked for right behind the phrase.

    `slot` names what a fact is about ("location"); `first`: at the start of a clause only.
    """

    kind: EventKind
    pattern: Pattern
    unless: Pattern
    slot: str
    confidence: float
    first: bool


@dataclass(frozen=True, slots=True)
class SignalCue:
    """Phrases that speak for or against a lesson; the marks are those of events."""

    name: str
    pattern: Pattern
    unless: Pattern
    first: bool


@dataclass(frozen=True, slots=True)
class Guard:
    """What makes words no statement of the person: questions, suppositions, others' words.

    `negation` stands before what it negates, `denial` behind, in the same clause.
    """

    ask: Pattern
    ask_anywhere: Pattern
    ask_at_end: Pattern
    suppose: Pattern
    unreal: Pattern
    others: Pattern
    own: Pattern
    back: Pattern
    negation: Pattern
    denial: Pattern


@dataclass(frozen=True, slots=True)
class Adoption:
    """How a short answer takes a proposal up, how one is put, and how things are taken back."""

    yes: Pattern
    proposes: Pattern
    revoke: Pattern
    agreed: str


@dataclass(frozen=True, slots=True)
class Language:
    """All cues of one language. `spaced` tells whether blanks part its words.

    `lead` may stand before a cue, `drop` is left out of a lesson's wording
    (`drop_marked` only before a mark: "no, use X", but "no emojis"). `personal` words speak of
    the person, `shared` ones of the project.
    """

    lang: str
    spaced: bool
    lead: Pattern
    drop: Pattern
    drop_marked: Pattern
    personal: Pattern
    shared: Pattern
    guard: Guard
    topics: tuple[TopicCue, ...]
    events: tuple[EventCue, ...]
    signals: tuple[SignalCue, ...]
    adoption: Adoption


@dataclass(frozen=True, slots=True)
class Signal:
    """What a signal weighs in the decision for or against a lesson, and which kind it hints at."""

    weight: float
    kind: str | None


@dataclass(frozen=True, slots=True)
class Together:
    """What signals weigh in addition when they stand in one sentence."""

    names: frozenset[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Cues:
    """Every table, ready for use."""

    languages: Mapping[str, Language] = field(default_factory=dict)
    signals: Mapping[str, Signal] = field(default_factory=dict)
    together: tuple["Together", ...] = ()
    threshold: float = 1.0
    canned: Pattern = NEVER
    """Prompts that tools write in the person's name."""
    untrusted: Pattern = NEVER
    """Text shaped like an order to a model or a command to run."""

    def of(self, langs: Iterable[str]) -> Iterator[Language]:
        """The tables there are for these languages."""
        return (self.languages[lang] for lang in langs if lang in self.languages)


def parse_cues(tables: Sequence[Mapping[str, object]]) -> Cues:
    """Return the cues of the parsed tables. Raises CueError with the table and the entry."""
    languages: dict[str, Language] = {}
    shared: Mapping[str, object] = {}
    for table in tables:
        lang = table.get("lang")
        if isinstance(lang, str):
            languages[lang] = _Table(lang, table).language()
        else:
            shared = table
    return _with_shared(_Table("shared", shared), languages)


def _with_shared(table: "_Table", languages: dict[str, Language]) -> Cues:
    signals = {
        name: Signal(entry.number("weight", 0.0), entry.word("kind", "") or None)
        for name, entry in table.tables("signal").items()
    }
    for language in languages.values():
        for cue in language.signals:
            if cue.name not in signals:
                raise CueError(f"{language.lang}: the signal {cue.name} has no weight")
    return Cues(
        languages=languages,
        signals=signals,
        together=tuple(
            Together(frozenset(entry.words("signals")), entry.number("weight", 0.0))
            for entry in table.entries("together")
        ),
        threshold=table.number("threshold", 1.0),
        canned=table.phrases("canned"),
        untrusted=table.phrases("untrusted"),
    )


def phrase_source(phrase: str, *, spaced: bool) -> str:
    """Return the regular expression of one phrase in the notation above."""
    parts: list[str] = []
    for token in re.findall(r"\s*\.\.\.\s*|\s+|[()|?*_]|[^\s()|?*_.]+|\.", fold(phrase.strip())):
        if token.strip() == "...":
            parts.append(
                r"\s+(?:[^\s,;:]+\s+){0,5}?" if spaced else rf"[^,;:。!?\n{BLANK}]{{0,12}}?"
            )
        elif token.isspace():
            parts.append(r"\s+" if spaced else r"\s*")
        else:
            parts.append(_SIGNS.get(token) or re.escape(token))
    return "".join(parts)


_MARKS: Final = ",.;:!-"
_SIGNS: Final = {"(": "(?:", ")": ")", "|": "|", "?": "?", "*": r"[\w'-]*", "_": r"[\w'./-]+"}


def phrase_pattern(phrases: Iterable[str], *, spaced: bool) -> Pattern:
    """Compile phrases into one pattern; longer phrases are tried first."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    if not spaced:
        return _either(ordered, ("", ""), spaced=False)
    # Whole words only, but a phrase may begin or end with a mark of its own.
    groups = [
        _either((one for one in ordered if _borders(one) == borders), borders, spaced=True)
        for borders in sorted({_borders(phrase) for phrase in ordered}, reverse=True)
    ]
    return re.compile("|".join(group.pattern for group in groups)) if groups else NEVER


def _borders(phrase: str) -> tuple[str, str]:
    before = "" if phrase[0] in _MARKS else r"(?<![\w'-])"
    return before, "" if phrase[-1] in _MARKS else r"(?![\w'])"


def _either(phrases: Iterable[str], borders: tuple[str, str], *, spaced: bool) -> Pattern:
    sources = [phrase_source(phrase, spaced=spaced) for phrase in phrases]
    return re.compile(f"{borders[0]}(?:{'|'.join(sources)}){borders[1]}") if sources else NEVER


@dataclass(frozen=True, slots=True)
class _Table:
    """One mapping of a TOML file, read with checks; `name` says which in messages."""

    name: str
    data: Mapping[str, object]
    spaced: bool = True

    def language(self) -> Language:
        spaced = self.flag("spaced", default=True)
        table = _Table(self.name, self.data, spaced)
        adoption = table.table("adoption")
        return Language(
            lang=self.name,
            spaced=spaced,
            lead=table.lead(),
            drop=table.phrases("drop"),
            drop_marked=table.phrases("drop_marked"),
            personal=table.phrases("personal"),
            shared=table.phrases("shared"),
            guard=table.table("guard").guard(),
            topics=tuple(entry.topic() for entry in table.entries("topic")),
            events=tuple(entry.event() for entry in table.entries("event")),
            signals=tuple(entry.signal() for entry in table.entries("cue")),
            adoption=Adoption(
                yes=adoption.phrases("yes"),
                proposes=adoption.phrases("proposes"),
                revoke=adoption.phrases("revoke"),
                agreed=adoption.word("agreed", "OK"),
            ),
        )

    def lead(self) -> Pattern:
        """Words that may stand before a cue without changing what it says."""
        words = self.phrases("lead")
        return re.compile(rf"\s*(?:{words.pattern}[\s,.!:]*)*")

    def guard(self) -> Guard:
        return Guard(**{entry.name: self.phrases(entry.name) for entry in fields(Guard)})

    def topic(self) -> TopicCue:
        return TopicCue(
            self.phrases("phrases"),
            self.phrases("unless"),
            self.flag("first", default=False),
            self.flag("alone", default=True),
        )

    def event(self) -> EventCue:
        try:
            kind = EventKind(self.word("kind", ""))
        except ValueError as error:
            raise CueError(f"{self.name}: {error}") from error
        return EventCue(
            kind,
            self.phrases("phrases"),
            self.phrases("unless"),
            self.word("slot", ""),
            self.number("confidence", 0.6),
            self.flag("first", default=False),
        )

    def signal(self) -> SignalCue:
        name = self.word("signal", "")
        return SignalCue(
            name,
            self.phrases("phrases"),
            self.phrases("unless"),
            self.flag("first", default=False),
        )

    def words(self, key: str) -> list[str]:
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise CueError(f"{self.name}: {key} is not a list of phrases")
        return value

    def phrases(self, key: str) -> Pattern:
        try:
            return phrase_pattern(self.words(key), spaced=self.spaced)
        except re.error as error:
            raise CueError(
                f"{self.name}: a phrase of {key} does not hold together: {error}"
            ) from error

    def entries(self, key: str) -> list["_Table"]:
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise CueError(f"{self.name}: {key} is not a list of tables")
        return [self._sub(f"{key} {number}", item) for number, item in enumerate(value, start=1)]

    def tables(self, key: str) -> dict[str, "_Table"]:
        return {name: self._sub(name, item) for name, item in self.table(key).data.items()}

    def table(self, key: str) -> "_Table":
        return self._sub(key, self.data.get(key, {}))

    def _sub(self, name: str, value: object) -> "_Table":
        if not isinstance(value, Mapping):
            raise CueError(f"{self.name}: {name} is not a table")
        return _Table(f"{self.name}, {name}", value, self.spaced)

    def word(self, key: str, default: str) -> str:
        value = self.data.get(key, default)
        if not isinstance(value, str):
            raise CueError(f"{self.name}: {key} is not a word")
        return value

    def number(self, key: str, default: float) -> float:
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CueError(f"{self.name}: {key} is not a number")
        return float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            raise CueError(f"{self.name}: {key} is not true or false")
        return value
