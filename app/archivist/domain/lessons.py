"""Draft lessons from what a person said: rules, preferences, corrections, facts, decisions.

Every draft quotes the person. A person reviews each: a missed lesson costs less than a wrong one.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from archivist.domain.cues import Cues, Language
from archivist.domain.events import find_events, quoted
from archivist.domain.hidden import hides_something
from archivist.domain.lang import language_of, languages_of
from archivist.domain.sentences import Sentence, fold, sentences
from archivist.domain.weighing import CORRECTION, Weighed, weigh, weigh_plain


class LessonKind(StrEnum):
    """What the words are: the finer sort, kept beside the category."""

    RULE = "rule"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    FACT = "fact"
    DECISION = "decision"
    COMMITMENT = "commitment"


class Category(StrEnum):
    """Under which heading of a memory file a lesson goes."""

    PATTERN = "pattern"
    MISTAKE = "mistake"
    PREFERENCE = "preference"
    FACT = "fact"
    DECISION = "decision"


class Scope(StrEnum):
    """Whether a lesson is about the project or the person."""

    PROJECT = "project"
    PERSONAL = "personal"


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A user turn; `before` is what the assistant had said just before it, if anything."""

    id: int
    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """A lesson as the rules propose it. `quote` is an exact part of the text of `turn`.

    `untrusted`: shaped like an order to a machine, or with invisible characters: to be shown with a
    warning and never chosen beforehand. `adopted`: the assistant's words that the quote agrees to.
    """

    turn: int
    quote: str
    category: Category
    kind: LessonKind
    text: str
    confidence: float
    lang: str
    correction: bool
    scope: Scope
    untrusted: bool = False
    adopted: str = ""


_CATEGORY_OF: Final = {
    "rule": Category.PATTERN,
    "preference": Category.PREFERENCE,
    "fact": Category.FACT,
    "decision": Category.DECISION,
    "commitment": Category.DECISION,
}
# Words without which two wordings are still the same lesson; never a negation or an amount.
_FILLERS: Final = {
    "en": frozenset("a an the is are to please just again so".split()),
    "de": frozenset("der die das den dem des ein eine einen bitte nochmal mal".split()),
    "es": frozenset("el la los las un una unos unas por favor".split()),
    "fr": frozenset("le la les l un une des stp svp".split()),
}
_WORDS = re.compile(r"[^\W_]+(?:[._+#/-]+[^\W_]+|[+#]+)*")
_COMMAND = re.compile(
    r"\|\s*(?:ba|z)?sh\b|\b(?:curl|wget)\s+(?:-\S+\s+)*https?://|<!--|base64\s+-d", re.IGNORECASE
)
# What makes a proposal one for later work, and what makes it one for the next step only.
_BINDING: Final = frozenset(
    {"standing", "must", "choice", "turn", "contrast", "default", "event_decision"}
)
_PASSING: Final = frozenset({"once", "step", "report", "tale"})
_MARK = re.compile(r"[\s,.:;!。、…–—-]+")
_PLAIN_WORD = re.compile(r"[a-zà-öø-ÿœ']+(?=[\s,.:;!?…]|$)")
_SHORT_DENIAL: Final = 24
_LONGEST_YES: Final = 80
_REVOKED_WITHIN: Final = 2
_LONGEST_TEXT: Final = 380
_SURENESS: Final = 0.9


def lessons_from(turns: Sequence[SaidTurn], cues: Cues) -> tuple[LessonDraft, ...]:
    """Return the drafts of one segment's user turns, in order; the same thing said twice is two.

    Requests for one task or step, questions, reports and what the person takes back within a few
    turns give none.
    """
    drafts: list[tuple[int, LessonDraft]] = []
    for index, turn in enumerate(turns):
        said = _said(turn.text, cues)
        if said and _takes_back(said[0], cues):
            drafts = [kept for kept in drafts if not _is_revoked(kept, index)]
        drafts.extend((index, draft) for draft in _drafts_of(turn, said, cues))
    return tuple(draft for _, draft in drafts)


def normal_form(text: str) -> str:
    """Return the form by which two wordings count as the same lesson.

    Case, width, punctuation, articles and courtesies do not matter; order, negations and amounts
    do.
    """
    form, shorter = text, _reduced(text)
    while shorter != form:  # with its fillers gone a text may look like another language
        form, shorter = shorter, _reduced(shorter)
    return form


def _reduced(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word.removeprefix("请") for word in _WORDS.findall(folded)]
    fillers = _FILLERS.get(language_of(folded, "en"), frozenset())
    return " ".join([word for word in words if word and word not in fillers] or words)


def _drafts_of(turn: SaidTurn, said: Sequence[Sentence], cues: Cues) -> Iterator[LessonDraft]:
    default = language_of(" ".join(sentence.text for sentence in said), "en")
    found = False
    for sentence in said:
        for language in cues.of(languages_of(sentence.text, default)):
            weighed = weigh(sentence, language, cues)
            if weighed is not None and weighed.score >= cues.threshold and weighed.kinds:
                found = True
                yield _draft(turn, sentence, weighed, language, cues)
                break
    if not found and turn.before and len(turn.text) <= _LONGEST_YES:
        yield from _adopted(turn, cues)


def _said(text: str, cues: Cues) -> list[Sentence]:
    """The sentences up to a prompt that a tool wrote, a bare "No." joined to what follows it."""
    joined: list[Sentence] = []
    for sentence in sentences(text):
        if cues.canned.search(sentence.plain):
            break
        last = joined[-1] if joined else None
        if (
            last is not None
            and _is_short_denial(last, cues)
            and "\n\n" not in text[last.end : sentence.start]
        ):
            joined[-1] = _join(last, sentence, text)
        else:
            joined.append(sentence)
    return joined


def _is_short_denial(sentence: Sentence, cues: Cues) -> bool:
    if len(sentence.text) > _SHORT_DENIAL or sentence.asks:
        return False
    return any(
        cue.name == "denial" and cue.first and cue.pattern.match(sentence.plain)
        for language in cues.of(languages_of(sentence.text, "en"))
        for cue in language.signals
    )


def _join(first: Sentence, second: Sentence, text: str) -> Sentence:
    gap = second.start - first.end
    shift = len(first.text) + gap
    return Sentence(
        text[first.start : second.end],
        first.start,
        first.plain + " " * gap + second.plain,
        first.clauses + tuple((start + shift, end + shift) for start, end in second.clauses),
    )


def _draft(
    turn: SaidTurn, sentence: Sentence, weighed: Weighed, language: Language, cues: Cues
) -> LessonDraft:
    start, end = quoted(sentence, (0, len(sentence.text)), weighed.at)
    quote = sentence.text[start:end]
    kind = LessonKind(weighed.kinds[0])
    return LessonDraft(
        turn=turn.id,
        quote=quote,
        category=_category(weighed),
        kind=kind,
        text=worded(quote, language),
        confidence=_confidence(weighed, cues),
        lang=language.lang,
        correction=CORRECTION in weighed.kinds,
        scope=_scope(sentence.plain, kind, weighed, language),
        untrusted=is_untrusted(turn.text[sentence.start : sentence.end], cues),
    )


def _category(weighed: Weighed) -> Category:
    if "mistake" in weighed.signals and weighed.kinds[0] == CORRECTION:
        return Category.MISTAKE
    plain = next((kind for kind in weighed.kinds if kind != CORRECTION), "rule")
    return _CATEGORY_OF[plain]


def _scope(plain: str, kind: LessonKind, weighed: Weighed, language: Language) -> Scope:
    if language.shared.search(plain):
        return Scope.PROJECT
    mine = language.personal.search(plain) is not None
    if kind in {LessonKind.PREFERENCE, LessonKind.FACT}:
        return Scope.PERSONAL if mine else Scope.PROJECT
    return Scope.PERSONAL if mine and "reply" in weighed.signals else Scope.PROJECT


def _confidence(weighed: Weighed, cues: Cues) -> float:
    """Rise with what a sentence weighs above the threshold: from 0.5 towards 0.95."""
    return round(0.5 + 0.45 * (1 - math.exp(-_SURENESS * (weighed.score - cues.threshold))), 2)


def _adopted(turn: SaidTurn, cues: Cues) -> Iterator[LessonDraft]:
    """A short yes to a proposal that binds later work, and not only the next step."""
    for event in find_events(turn.text, cues, proposal=turn.before):
        if not event.adopted:
            continue
        for proposal in sentences(event.adopted):
            for language in cues.of(languages_of(proposal.text, event.lang)):
                weighed = weigh_plain(proposal, proposal.plain, language, cues)
                if weighed is not None and _binds(weighed):
                    yield LessonDraft(
                        turn=turn.id,
                        quote=event.quote,
                        category=Category.DECISION,
                        kind=LessonKind.DECISION,
                        text=f"{language.adoption.agreed}: {event.adopted}"[:_LONGEST_TEXT],
                        confidence=0.5,
                        lang=event.lang,
                        correction=False,
                        scope=Scope.PROJECT,
                        untrusted=is_untrusted(event.adopted, cues),
                        adopted=event.adopted,
                    )
                    return


def _binds(weighed: Weighed) -> bool:
    return not _BINDING.isdisjoint(weighed.signals) and _PASSING.isdisjoint(weighed.signals)


def _takes_back(opening: Sentence, cues: Cues) -> bool:
    return any(
        language.adoption.revoke.match(opening.plain, _lead_end(opening.plain, language))
        for language in cues.of(languages_of(opening.text, "en"))
    )


def _lead_end(plain: str, language: Language) -> int:
    led = language.lead.match(plain)
    return led.end() if led else 0


def _is_revoked(placed: tuple[int, LessonDraft], index: int) -> bool:
    """Choices made just before are taken back; standing rules and facts are not."""
    at, draft = placed
    return index - at <= _REVOKED_WITHIN and draft.kind is LessonKind.DECISION


def is_untrusted(text: str, cues: Cues) -> bool:
    """Whether text is shaped like an order to a machine or hides characters."""
    if hides_something(" ".join(text.removeprefix("\ufeff").split())) or _COMMAND.search(text):
        return True
    return cues.untrusted.search(fold(text)) is not None


def worded(quote: str, language: Language) -> str:
    """The person's words as a rule: without openings such as "please" or "no,", as a full sentence.

    An opening that denies is only left out before a mark: "No, use X" becomes "Use X", "No emojis"
    stays.
    """
    text = quote
    while rest := _without_opening(text, language):
        text = rest
    text = " ".join(text.split())
    if len(text) > _LONGEST_TEXT:
        text = text[: _LONGEST_TEXT - 1].rsplit(" ", 1)[0] + "…"
    if text[-1] not in ".!?。！？…":
        text += "." if language.spaced else "。"
    return text[0].upper() + text[1:] if _PLAIN_WORD.match(text) else text


def _without_opening(text: str, language: Language) -> str:
    plain = fold(text)
    for openings, before_mark in (
        (language.drop, not language.spaced),
        (language.drop_marked, True),
    ):
        opening = openings.match(plain)
        mark = _MARK.match(plain, opening.end()) if opening else None
        if mark is not None and (mark.group().strip() or not before_mark):
            return text[mark.end() :]
    return ""
