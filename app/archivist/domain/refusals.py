"""Sentences that carry the words of a lesson and are none, each with its reason.

Shown to the person, so that it is clear why something was not proposed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from archivist.domain.cues import Cues, Language
from archivist.domain.events import find_events
from archivist.domain.grammar import is_negated, stated
from archivist.domain.lang import language_of, languages_of
from archivist.domain.lessons import SaidTurn, lessons_from
from archivist.domain.sentences import Sentence, fold, sentences

_PIECE: Final = re.compile(r"[^\n。！？]+[。！？]?")
_LONGEST: Final = 300


class RefusalReason(StrEnum):
    """Why the words of a lesson are none; the value is shown."""

    NOT_OWN = "not your words"
    QUESTION = "question"
    SUPPOSED = "only supposed"
    NEGATED = "negated"
    ONE_OFF = "for one task"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence that was passed over."""

    quote: str
    reason: RefusalReason


def refusals(text: str, cues: Cues) -> tuple[Refusal, ...]:
    """Return what looks like a lesson or an event in a user turn and was passed over, in order."""
    taken = [(event.start, event.end) for event in find_events(text, cues)]
    drafts = lessons_from([SaidTurn(0, text)], cues)
    taken += [(at, at + len(d.quote)) for d in drafts if (at := text.find(d.quote)) >= 0]
    own = sentences(text)
    found = []
    for piece in _PIECE.finditer(text):
        if not any(start < piece.end() and piece.start() < end for start, end in taken):
            found += list(_refusal(piece, own, cues))
    return tuple(found)


def _refusal(piece: re.Match[str], own: tuple[Sentence, ...], cues: Cues) -> Iterator[Refusal]:
    """Say why a piece of text that holds a cue was passed over."""
    for language in cues.of(languages_of(piece.group(), language_of(piece.group(), "en"))):
        if not _has_cue(fold(piece.group()), language):
            continue
        inside = [s for s in own if piece.start() <= s.start < piece.end()]
        holding = [s for s in inside if _has_cue(s.plain, language)]
        quote = (holding[0].text if holding else piece.group()).strip()[:_LONGEST]
        yield Refusal(quote, _reason(holding[0] if holding else None, language))
        return


def _has_cue(plain: str, language: Language) -> bool:
    return any(cue.pattern.search(plain) for cue in language.events)


def _reason(sentence: Sentence | None, language: Language) -> RefusalReason:
    if sentence is None:
        return RefusalReason.NOT_OWN
    if sentence.asks or language.guard.ask.search(sentence.plain):
        return RefusalReason.QUESTION
    if _is_denied(sentence, language):
        return RefusalReason.NEGATED
    plain = stated(sentence, language)
    if plain is None or not _has_cue(plain, language):
        return RefusalReason.SUPPOSED
    return RefusalReason.ONE_OFF


def _is_denied(sentence: Sentence, language: Language) -> bool:
    for cue in language.events:
        for match in cue.pattern.finditer(sentence.plain):
            clause = sentence.clause_at(match.start())
            if is_negated(sentence.plain, clause, match.start(), language.guard):
                return True
    return False
