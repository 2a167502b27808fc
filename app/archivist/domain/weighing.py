"""Weigh how much a sentence looks like something worth remembering.

Signals found in a sentence (a standing "always", a "not X", a one-off "this time") add up by the
weights of the cue tables; the heaviest hint tells the kind.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from archivist.domain.cues import Cues, Language, Together
from archivist.domain.events import sightings_in
from archivist.domain.grammar import clause_starts, skip_blanks, stated
from archivist.domain.sentences import BLANK, Sentence

CORRECTION: Final = "correction"
_FEWEST_WORDS: Final = 3
_FEWEST_CHARS: Final = 6
_RAMBLING_WORDS: Final = 45
_RAMBLING_CHARS: Final = 90
_RAMBLING: Final = -0.6
# Nobody types these in a prompt: the sentence was copied from somewhere.
_TYPESET = re.compile(r"\*\*\S|\S\*\*|[→⇒✅❌⚠☑✔]|</\w+>")


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the signals weigh, the kinds they hint at (heaviest first), where the first stands."""

    score: float
    kinds: tuple[str, ...]
    signals: frozenset[str]
    at: int


def weigh(sentence: Sentence, language: Language, cues: Cues) -> Weighed | None:
    """Weigh what is stated in a sentence; None when nothing is, or too little to be a lesson."""
    plain = None if _TYPESET.search(sentence.text) else stated(sentence, language)
    if plain is None or _words(plain, language) < (
        _FEWEST_WORDS if language.spaced else _FEWEST_CHARS
    ):
        return None
    return weigh_plain(sentence, plain, language, cues)


def weigh_plain(sentence: Sentence, plain: str, language: Language, cues: Cues) -> Weighed | None:
    """The same for words that are taken as stated."""
    found = _signals(sentence, plain, language)
    if not found:
        return None
    weights = {name: cues.signals[name].weight for name in found if name in cues.signals}
    pairs = [pair for pair in cues.together if pair.names <= found.keys()]
    score = sum(weights.values()) + _length_penalty(plain, language)
    score += sum(pair.weight for pair in pairs)
    kinds = _kinds(weights, pairs, cues)
    return Weighed(score, kinds, frozenset(found), min(found[name] for name in found))


def _kinds(weights: Mapping[str, float], pairs: Sequence[Together], cues: Cues) -> tuple[str, ...]:
    """The kinds that the signals hint at, heaviest first; a pair adds to the kinds of its two."""
    hints: dict[str, float] = {}
    for name, weight in weights.items():
        kind = cues.signals[name].kind
        if kind is not None and weight > 0:
            hints[kind] = hints.get(kind, 0.0) + weight
    for pair in pairs:
        for kind in {cues.signals[name].kind for name in pair.names}:
            if kind in hints:
                hints[kind] += pair.weight
    # What a person says to like stays a liking, however much "always" stands beside it.
    own = ("preference",) if "event_preference" in weights else ()
    return tuple(sorted(hints, key=lambda kind: (kind not in own, -hints[kind], kind)))


def _signals(sentence: Sentence, plain: str, language: Language) -> dict[str, int]:
    """The signals of a sentence and the place of each."""
    starts = clause_starts(sentence, plain, language)
    found: dict[str, int] = {}
    for cue in language.signals:
        for match in cue.pattern.finditer(plain):
            if cue.first and match.start() not in starts:
                continue
            if not cue.unless.match(plain, skip_blanks(plain, match.end())):
                found.setdefault(cue.name, match.start())
                break
    for sighting in sightings_in(sentence, plain, language):
        found.setdefault(f"event_{sighting.cue.kind.value}", sighting.at)
    return found


def _words(plain: str, language: Language) -> int:
    if language.spaced:
        return len(plain.replace(BLANK, "x").split())
    return sum(char.isalnum() or char == BLANK for char in plain)


def _length_penalty(plain: str, language: Language) -> float:
    limit = _RAMBLING_WORDS if language.spaced else _RAMBLING_CHARS
    return _RAMBLING if _words(plain, language) > limit else 0.0
