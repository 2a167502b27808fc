"""What of a sentence the person states: no question, no supposition, nobody else's words."""

from archivist.domain.cues import Guard, Language, Pattern
from archivist.domain.pasted import Span
from archivist.domain.sentences import BLANK, Sentence

_NEGATION_REACH = 28


def stated(sentence: Sentence, language: Language) -> str | None:
    """Return the plain form with all that is not stated blanked; None when nothing is.

    Questions and unreal conditions leave nothing. Clauses that suppose ("if I like it") and what
    others say or think are blanked, up to a "but" or "then"; so is what a clause denies at its end.
    """
    guard, plain = language.guard, sentence.plain
    if sentence.asks or guard.unreal.search(plain) or _starts(language, guard.ask, plain, 0):
        return None
    for start, end in sentence.clauses:
        if _asks(guard, plain[start:end]):
            plain = _blanked(plain, (start, end))
    plain = _without_supposed(plain, sentence, language)
    plain = _without_denied(plain, sentence, guard)
    plain = without_others(plain, guard)
    return plain if plain.strip(BLANK + " .,;:!") else None


def clause_starts(sentence: Sentence, plain: str, language: Language) -> set[int]:
    """Offsets at which a clause begins, and those behind the words that may lead into it."""
    starts: set[int] = set()
    for clause_start, end in sentence.clauses:
        start = skip_blanks(plain, clause_start)
        starts.add(start)
        led = language.lead.match(plain, start, end)
        if led:
            starts.update(_word_starts(plain, start, led.end()))
    return starts


def is_negated(plain: str, clause: Span, cue_start: int, guard: Guard) -> bool:
    """Whether a negation stands shortly before the cue in its clause, or a denial behind it.

    "I wouldn't say I prefer"; "好きというわけではありません".
    """
    start = max(clause[0], cue_start - _NEGATION_REACH)
    return (
        guard.negation.search(plain, start, cue_start) is not None
        or guard.denial.search(plain, cue_start, clause[1]) is not None
    )


def skip_blanks(plain: str, at: int) -> int:
    """The offset of the first character from `at` on that is no blank."""
    while at < len(plain) and plain[at].isspace():
        at += 1
    return at


def _word_starts(plain: str, start: int, end: int) -> set[int]:
    inner = {
        at for at in range(start + 1, end) if plain[at - 1] in " ,.!:" and plain[at] not in " ,.!:"
    }
    return inner | {end}


def _starts(language: Language, pattern: Pattern, plain: str, at: int) -> bool:
    led = language.lead.match(plain, at)
    return any(pattern.match(plain, here) for here in {at, led.end() if led else at})


def _asks(guard: Guard, clause: str) -> bool:
    if guard.ask_anywhere.search(clause):
        return True
    bare = clause.rstrip(" .。!")
    return any(match.end() == len(bare) for match in guard.ask_at_end.finditer(bare))


def _without_supposed(plain: str, sentence: Sentence, language: Language) -> str:
    for start, end in sentence.clauses:
        found = language.guard.suppose.search(plain, start, end)
        if found:
            back = language.guard.back.search(plain, found.end(), end)
            plain = _blanked(plain, (found.start(), back.start() if back else end))
    return plain


def _without_denied(plain: str, sentence: Sentence, guard: Guard) -> str:
    for start, end in sentence.clauses:
        if found := guard.denial.search(plain, start, end):
            plain = _blanked(plain, (start, found.end()))
    return plain


def without_others(plain: str, guard: Guard) -> str:
    """Blank what somebody else says or thinks, up to a "but"; `I said` is no one else."""
    at = 0
    while found := guard.others.search(plain, at):
        at = found.end()
        if guard.own.match(found.group()):
            continue
        back = guard.back.search(plain, at)
        at = back.start() if back else len(plain)
        plain = _blanked(plain, (found.start(), at))
    return plain


def _blanked(plain: str, span: Span) -> str:
    start, end = span
    return plain[:start] + BLANK * (end - start) + plain[end:]
