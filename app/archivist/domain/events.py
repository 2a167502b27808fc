"""See decisions, commitments, preferences and facts in what a person said.

Only statements count: questions, suppositions, negations, other people's words, quotations, code
and logs hold no events. Every event keeps the exact words it was seen in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from archivist.domain.cues import Cues, EventCue, EventKind, Language
from archivist.domain.grammar import clause_starts, is_negated, skip_blanks, stated
from archivist.domain.lang import language_of, languages_of
from archivist.domain.pasted import Span
from archivist.domain.sentences import Sentence, sentences

__all__ = ["Event", "EventKind", "find_events", "proposed", "quoted", "sightings_in"]

_LONGEST_QUOTE: Final = 300
_LONGEST_YES: Final = 60
_SHORTEST_PROPOSAL: Final = 6
_ADOPTED: Final = 0.6
_ORDER: Final = tuple(EventKind)
_TRIMMED: Final = " \t\r\n,;:，；：、-–—"


@dataclass(frozen=True, slots=True)
class Event:
    """What a rule saw: `text[start:end] == quote` for the text of the user turn.

    `cue` is the phrase as it was said, in lower case; where it names what a fact is about, that
    stands before it ("location: i live in"). `adopted` is the assistant's proposal that the quote
    takes up, else empty.
    """

    kind: EventKind
    quote: str
    start: int
    end: int
    cue: str
    confidence: float
    lang: str
    adopted: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A cue in a sentence, before it is decided how much of the sentence is quoted."""

    cue: EventCue
    words: str
    at: int
    clause: Span


def find_events(text: str, cues: Cues, *, proposal: str = "") -> tuple[Event, ...]:
    """Return the events of a user turn, in order.

    `proposal` is what the assistant said just before: a mere yes to it is a decision.
    """
    default = language_of(text, language_of(proposal, "en"))
    found: list[Event] = []
    for sentence in sentences(text):
        for language in cues.of(languages_of(sentence.text, default)):
            if events := list(_events_of(sentence, language)):
                found.extend(events)
                break
    if not found and proposal:
        found.extend(_adoption(text, cues, proposal, default))
    return tuple(found)


def sightings(sentence: Sentence, language: Language) -> list[Sighting]:
    """The cues that hold in a sentence: one a clause, decisions before the rest."""
    plain = stated(sentence, language)
    return [] if plain is None else list(sightings_in(sentence, plain, language))


def sightings_in(sentence: Sentence, plain: str, language: Language) -> Iterator[Sighting]:
    """The same for a sentence whose statements are already known."""
    starts = clause_starts(sentence, plain, language)
    taken: set[Span] = set()
    for kind in _ORDER:
        for cue in language.events:
            if cue.kind is kind:
                for sighting in _matches(cue, sentence, plain, starts, language):
                    if sighting.clause not in taken:
                        taken.add(sighting.clause)
                        yield sighting


def _matches(
    cue: EventCue, sentence: Sentence, plain: str, starts: set[int], language: Language
) -> Iterator[Sighting]:
    for match in cue.pattern.finditer(plain):
        if cue.first and match.start() not in starts:
            continue
        if cue.unless.match(plain, skip_blanks(plain, match.end())):
            continue
        clause = sentence.clause_at(match.start())
        if not is_negated(plain, clause, match.start(), language.guard):
            yield Sighting(cue, match.group(), match.start(), clause)


def _events_of(sentence: Sentence, language: Language) -> Iterator[Event]:
    seen = sorted(sightings(sentence, language), key=lambda sighting: sighting.at)
    kinds = {sighting.cue.kind for sighting in seen}
    told: set[EventKind] = set()
    for sighting in seen:
        cue = sighting.cue
        if cue.kind in told:
            continue
        told.add(cue.kind)
        # A sentence that says one thing is quoted whole; one that says two is quoted by clauses.
        start, end = sighting.clause if len(kinds) > 1 else (0, len(sentence.text))
        start, end = quoted(sentence, (start, end), sighting.at)
        yield Event(
            cue.kind,
            sentence.text[start:end],
            sentence.start + start,
            sentence.start + end,
            f"{cue.slot}: {sighting.words}" if cue.slot else sighting.words,
            cue.confidence,
            language.lang,
        )


def quoted(sentence: Sentence, span: Span, at: int) -> Span:
    """Trim a span of the sentence, and narrow one too long to the clauses around `at`."""
    start, end = span
    if end - start > _LONGEST_QUOTE:
        near = [
            c for c in sentence.clauses if abs(c[0] - at) < _LONGEST_QUOTE // 2 or c[0] <= at < c[1]
        ]
        if near:
            start, end = near[0][0], near[-1][1]
        if end - start > _LONGEST_QUOTE:
            start = max(start, at - _LONGEST_QUOTE // 3)
            end = min(end, start + _LONGEST_QUOTE)
    while start < end and sentence.text[start] in _TRIMMED:
        start += 1
    while end > start and sentence.text[end - 1] in _TRIMMED:
        end -= 1
    return start, end


def _adoption(text: str, cues: Cues, proposal: str, lang: str) -> Iterator[Event]:
    """A short yes to a proposal is a decision whose content the assistant put into words."""
    said = sentences(text)
    language = cues.languages.get(lang)
    if language is None or not said or said[-1].end - said[0].start > _LONGEST_YES:
        return
    if not all(_is_yes(sentence, language) for sentence in said):
        return
    content = proposed(proposal, cues)
    if content:
        start, end = said[0].start, said[-1].end
        words = text[start:end]
        yield Event(
            EventKind.DECISION, words, start, end, words.lower(), _ADOPTED, lang, adopted=content
        )


def _is_yes(sentence: Sentence, language: Language) -> bool:
    if sentence.asks:
        return False
    rest = language.adoption.yes.sub(" ", sentence.plain)
    return not re.search(r"\w", rest)


def proposed(answer: str, cues: Cues) -> str:
    """Return the last sentence in which an assistant's answer proposes something, or nothing."""
    default = language_of(answer, "en")
    for sentence in reversed(sentences(answer)):
        for language in cues.of(languages_of(sentence.text, default)):
            found = language.adoption.proposes.search(sentence.plain)
            if found and len(sentence.text) - len(found.group()) >= _SHORTEST_PROPOSAL:
                return sentence.text[:_LONGEST_QUOTE]
    return ""
