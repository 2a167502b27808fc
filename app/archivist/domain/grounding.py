"""Check a recap against the turns it is about: what it names must occur in them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from archivist.domain.lang import FUNCTION_WORDS, language_of
from archivist.domain.turns import Turn

# A number with its groups of three and its decimals; not the digits of an identifier.
_NUMBER = re.compile(r"(?<![0-9A-Za-z_À-ɏ.,])\d+(?:[.,'\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_NAMED = re.compile(
    r"""(?<![0-9A-Za-z_À-ɏ])(?:
      (?:[\w~.-]*[/\\])+[\w.-]*\w                 # a path
    | \w[\w-]*\.[a-zA-Z]\w{0,9}(?:\.\w+)*         # a file name or a dotted name
    | \w*[a-z]\w*_\w+ | _\w+                       # snake_case
    | [a-z]+[A-Z]\w* | [A-Z][a-z]+[A-Z]\w*         # camelCase
    | [A-Za-z]+\d\w*(?:\.\d+)* | [A-Z]{2,}\d*      # an identifier with a number, an abbreviation
    )(?![0-9A-Za-z_À-ɏ])""",
    re.VERBOSE | re.ASCII,  # A name ends where Chinese or Japanese goes on.
)
_CAPITAL = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏА-яЁё])[A-ZÀ-ÖØ-ÞŒŠŽА-ЯЁ][0-9A-Za-zÀ-ɏА-яЁё'’-]*[A-Za-zÀ-ɏА-яЁё]"
)
_A_WORD = re.compile(r"[0-9a-zà-ɏа-яё]+|[^\W_0-9a-zà-ɏа-яё]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n。！？]|[-*•]\s)[\s\"'“«(]*$")

# Words that a recap may begin a sentence with although nobody said them.
_RECAP_WORDS: Final = frozenset(
    "user assistant person conversation session discussion goal task request decision "
    "decisions outcome result results summary next finally later then after before first "
    "second last initially afterwards also additionally however meanwhile while although "
    "because since given during once both they them he she his her it its one two three "
    "several some many most other another each such this these open failed tools errors error "
    "tests test code changes change files file issue issues problem problems fix fixes fixed "
    "work steps step question questions answer answers reply asked added removed updated "
    "created changed decided discussed used using agreed verified implemented nutzer "
    "assistent sitzung ziel aufgabe entscheidung ergebnis danach zuerst anschließend usuario "
    "asistente sesión objetivo tarea decisión resultado después primero luego entschieden "
    "fehlgeschlagene werkzeuge decidido herramientas fallidas usuário assistente ferramentas "
    "com falha décidé outils en échec пользователь ассистент решено итог инструменты "
    "utilisateur objectif tâche décision résultat ensuite puis enfin".split()
)
_LONG_ENOUGH: Final = 6
"""A shorter name must be a word of its own: "HR" does not occur in "through"."""

_ORDINARY_END = re.compile(
    r"(?:ing|ed|ly|tion|ment|ness|ity|ung|keit|heit|ción|mente|tions|ments)$"
)


def ungrounded(recap: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the numbers, paths, identifiers and names in `recap` that the turns do not hold.

    Case, width and the grouping of digits do not matter. An ordinary word is no name because it
    begins a sentence. German writes all nouns with a capital: there only two in a row are a name.
    """
    recap = unicodedata.normalize("NFKC", recap)
    said = _Said(turns)
    missing = [text for text in _numbers(recap) if not said.has_number(text)]
    named = list(_NAMED.finditer(recap))
    missing += [match.group() for match in named if not said.has(match.group())]
    covered = [match.span() for match in named]
    missing += [
        match.group()
        for match in _names(recap)
        if not any(start <= match.start() < end for start, end in covered)
        and not said.has_word(match.group())
    ]
    return tuple(dict.fromkeys(missing))


class _Said:
    """Everything that the turns hold, made ready for looking things up."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        raw = "\n".join(part for turn in turns for part in _parts(turn))
        self._text = unicodedata.normalize("NFKC", raw).casefold()
        self._words = set(_A_WORD.findall(self._text))
        self._numbers = {form for text in _numbers(self._text) for form in _forms(text)}

    def has(self, text: str) -> bool:
        folded = text.casefold()
        if folded.isalnum() and len(folded) < _LONG_ENOUGH:
            whole = rf"(?<![a-z]){re.escape(folded)}s?(?![a-z])"
            return re.search(whole, self._text) is not None
        return folded in self._text

    def has_word(self, text: str) -> bool:
        words = _A_WORD.findall(text.casefold())
        return all(word in self._words or word.removesuffix("s") in self._words for word in words)

    def has_number(self, text: str) -> bool:
        return not self._numbers.isdisjoint(_forms(text))


def _parts(turn: Turn) -> Iterator[str]:
    yield turn.text
    if turn.failed_tools:
        yield turn.failed_tools
    for tool in turn.tools:
        yield f"{tool.name}\n{tool.arguments}\n{tool.output}"


def _numbers(text: str) -> Iterator[str]:
    """The numbers of a text; "1 000" is one, "in 2024 300 files" holds two."""
    for match in _NUMBER.finditer(text):
        first, *rest = match.group().split(" ")
        if rest and len(first) <= 3:
            yield match.group()
        else:
            yield from (first, *rest)


def _forms(number: str) -> set[str]:
    """The ways in which the same number may be written: 1,000 and 1000, 3,5 and 3.5, 2.0 and 2."""
    bare = re.sub(r"['\u00a0\u202f ]", "", number)
    forms = {bare.replace(",", ".")}
    if _GROUPED.fullmatch(bare):
        forms.add(re.sub(r"[.,]", "", bare))
    return forms | {re.sub(r"\.0+$", "", form) for form in forms}


def _names(recap: str) -> Iterator[re.Match[str]]:
    """Capitalised words that are taken for names."""
    is_german = language_of(recap) == "de"
    found = list(_CAPITAL.finditer(recap))
    for index, match in enumerate(found):
        word = match.group().casefold()
        if _is_ordinary(word):
            continue
        starts = _SENTENCE_START.search(recap[: match.start()]) is not None
        beside = _is_beside(recap, found, index)
        if is_german and not beside:
            continue
        if starts and not beside and _ORDINARY_END.search(word):
            continue
        yield match


def _is_ordinary(word: str) -> bool:
    return word in _RECAP_WORDS or any(word in words for words in FUNCTION_WORDS.values())


def _is_beside(text: str, found: Sequence[re.Match[str]], index: int) -> bool:
    """Whether another capitalised word stands right beside this one ("Anna Schmidt")."""
    here = found[index]
    neighbours = [found[at] for at in (index - 1, index + 1) if 0 <= at < len(found)]
    return any(
        text[min(here.end(), other.end()) : max(here.start(), other.start())] == " "
        and not _is_ordinary(other.group().casefold())
        for other in neighbours
    )
