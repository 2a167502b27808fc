"""See whether a user turn opens a new topic by saying so.

Only at the start of a clause, and only in the person's own words: a phrase in code, in a log line,
in a quotation or in what others say opens nothing.
"""

from archivist.domain.cues import Cues, Language, TopicCue
from archivist.domain.grammar import clause_starts, skip_blanks, without_others
from archivist.domain.sentences import BLANK, Sentence, sentences

_ENOUGH_WORDS = 2
_ENOUGH_CHARS = 4


def opens_topic(text: str, cues: Cues) -> str | None:
    """Return the phrase, as it was said in lower case, with which `text` opens a topic, or None."""
    for sentence in sentences(text):
        # The phrases are peculiar enough to need no guess at the language of three words.
        for language in cues.languages.values():
            plain = without_others(sentence.plain, language.guard)
            for cue in language.topics:
                phrase = _opening(sentence, plain, cue, language)
                if phrase is not None:
                    return phrase
    return None


def _opening(sentence: Sentence, plain: str, cue: TopicCue, language: Language) -> str | None:
    starts = (
        _sentence_starts(plain, language) if cue.first else clause_starts(sentence, plain, language)
    )
    for match in cue.pattern.finditer(plain):
        if match.start() not in starts:
            continue
        behind = skip_blanks(plain, match.end())
        if cue.unless.match(plain, behind) or not (
            cue.alone or _says_more(plain, behind, language)
        ):
            continue
        return match.group()
    return None


def _sentence_starts(plain: str, language: Language) -> set[int]:
    """The start of the sentence, and behind the words that may lead into it."""
    led = language.lead.match(plain)
    return {skip_blanks(plain, 0), led.end() if led else 0}


def _says_more(plain: str, at: int, language: Language) -> bool:
    """Whether enough follows a mere "anyway" to be about something."""
    rest = plain[at:].replace(BLANK, "x")
    if language.spaced:
        return sum(any(char.isalnum() for char in word) for word in rest.split()) >= _ENOUGH_WORDS
    return sum(char.isalnum() for char in rest) >= _ENOUGH_CHARS
