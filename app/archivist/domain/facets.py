"""What is known of a person or project, merged from preferences and facts.

A facet is identified by its slot, what it is about ("location", "answers/length"), so that two
values for one thing meet and two things never share a place, whatever the script. The caller keeps
the history of values.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from archivist.domain.cues import EventKind
from archivist.domain.events import Event
from archivist.domain.pasted import Span
from archivist.domain.sentences import fold

_LONGEST_SLOT: Final = 60
_LONGEST_VALUE: Final = 300
_MATTER_WORDS: Final = 3
_STOP = re.compile(r"[,.;:!?()。！？、]|$")
_MARKS = re.compile(r"[,;:。、]")
_EDGES: Final = " \t\r\n,.;:!?\"'，。；：！？、“”「」()"
_CJK_RUN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]+")
_CJK_TAIL = re.compile(r"(?:的|了|吧|呢|啊|です|ます|ね|よ|だ)+$")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Observation:
    """One sighting of a facet's value."""

    kind: EventKind
    slot: str
    value: str
    confidence: float


@dataclass(frozen=True, slots=True)
class FacetState:
    """What is held of a facet: its value now, and how often and when values of it were seen.

    `value_at` is when the value that stands was said, as far as the caller kept it. Times are UTC
    milliseconds, or None where unknown.
    """

    value: str
    confidence: float
    evidence_count: int
    first_at: int | None
    last_at: int | None
    value_at: int | None = None


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language says what a preference is about.

    `ends`: where the thing preferred ends. `of`: what stands before the matter ("for"). `topic`:
    what stands behind a matter that is put first. `fillers` name nothing.
    """

    ends: re.Pattern[str]
    of: re.Pattern[str] = _NEVER
    topic: re.Pattern[str] = _NEVER
    fillers: frozenset[str] = frozenset()
    head_first: bool = False
    thing_first: bool = False


_GRAMMARS: Final = {
    "en": _Grammar(
        re.compile(
            r"\b(?:over|than|instead|rather|because|since|so|but|unless|and|everywhere|please|if)\b"
        ),
        re.compile(r"\b(?:for|when|with)\b"),
        fillers=frozenset(
            "a an the my our your all any some to of in on is it that this to use using".split()
        ),
    ),
    "de": _Grammar(
        re.compile(r"\b(?:statt|als|weil|aber|und|anstatt|damit|wenn|überall)\b"),
        re.compile(r"\b(?:für|bei|in|im)\b"),
        fillers=frozenset(
            "der die das den dem ein eine einen keine kein mein meine zu auf mit".split()
        ),
    ),
    "es": _Grammar(
        re.compile(r"\b(?:en lugar|en vez|porque|pero|y|antes que|más que|sobre)\b"),
        re.compile(r"\b(?:para|cuando)\b"),
        fillers=frozenset("el la los las un una que de del en mi mis usar siempre".split()),
        head_first=True,
    ),
    "fr": _Grammar(
        re.compile(r"\b(?:plutôt|au lieu|parce que|mais|et|que de|à la place)\b"),
        re.compile(r"\b(?:pour|quand)\b"),
        fillers=frozenset("le la les l un une des de du d en mon ma mes que utiliser".split()),
        head_first=True,
    ),
    "zh": _Grammar(re.compile(r"而不是|因为|所以|但是|这样")),
    "ja": _Grammar(
        re.compile(r"より|ので|から|けど"),
        topic=re.compile(r"(?:については|の場合は|には|では|は)"),
        thing_first=True,
    ),
}

# Values of which one holds at a time, by the name of what they are values of.
_RIVALS: Final = {
    "brightness": re.compile(
        r"\b(?:dark|light|bright|dunk(?:el|l)\w*|hell\w{0,2}|oscur[oa]s?|clar[oa]s?|sombres?|claire?s?)\b"
        r"|深色|浅色|暗色|亮色|ダーク|ライト|暗い|明るい"
    ),
    "length": re.compile(
        r"\b(?:short(?:er)?|long(?:er)?|brief|concise|detailed|verbose|terse|kurz\w*|kürzer\w*|lang\w{0,2}|"
        r"länger\w*|knapp\w*|ausführlich\w*|cort[oa]s?|larg[oa]s?|breves?|detallad[oa]s?|court\w{0,2}|"
        r"longue?s?|brèves?|détaillé\w*)\b|简短|简洁|详细|短い|長い|簡潔|詳しい"
    ),
    "language": re.compile(
        r"\b(?:english|german|french|spanish|chinese|japanese|british|american|deutsch\w*|englisch\w*|"
        r"französisch\w*|spanisch\w*|chinesisch\w*|japanisch\w*|español|inglés|ingles|alemán|francés|"
        r"chino|japonés|français\w*|anglais\w*|allemand\w*|espagnol\w*|chinois\w*|japonais\w*)\b"
        r"|中文|英文|英语|简体中文|繁体中文|日文|日本語|英語|中国語|ローマ字"
    ),
    "indentation": re.compile(
        r"\b(?:tabs|(?:two |four )?spaces|leerzeichen|tabuladores|espacios|tabulations|espaces)\b"
        r"|[两四]个空格|空格|制表符|タブ|スペース"
    ),
    "quotes": re.compile(
        r"\b(?:single|double|einfache|doppelte|simples|dobles|doubles)\b|单引号|双引号"
    ),
}


def observe(event: Event) -> Observation | None:
    """Return what a preference or fact says of a facet, or None for other events."""
    grammar = _GRAMMARS.get(event.lang)
    if event.kind not in {EventKind.PREFERENCE, EventKind.FACT} or grammar is None:
        return None
    named, _, phrase = event.cue.rpartition(": ")
    plain = fold(event.quote)
    at = plain.find(phrase)
    if at < 0:
        return None
    thing = _thing(plain, (at, at + len(phrase)), grammar)
    slot = named or _matter(plain, thing, grammar)
    if not slot:
        return None
    value = event.quote[thing[0] : thing[1]].strip(_EDGES) if named else ""
    value = value or " ".join(event.quote.split())
    return Observation(event.kind, slot[:_LONGEST_SLOT], value[:_LONGEST_VALUE], event.confidence)


def merge(known: FacetState | None, seen: Observation, at: int | None) -> FacetState:
    """Add an observation of the same slot, made at `at`: it is evidence, and may replace the value.

    A weaker value never replaces a stronger one, nor does an equally strong one that is older or of
    unknown age.
    """
    if known is None:
        return FacetState(seen.value, seen.confidence, 1, at, at, at)
    standing_since = known.value_at if known.value_at is not None else known.last_at
    is_newer = at is not None and (standing_since is None or at > standing_since)
    grown = replace(
        known,
        evidence_count=known.evidence_count + 1,
        first_at=min(_known(known.first_at, at), default=None),
        last_at=max(_known(known.last_at, at), default=None),
    )
    if seen.confidence > known.confidence or (seen.confidence == known.confidence and is_newer):
        return replace(grown, value=seen.value, confidence=seen.confidence, value_at=at)
    return grown


def _known(*times: int | None) -> list[int]:
    return [time for time in times if time is not None]


def _thing(plain: str, cue: Span, grammar: _Grammar) -> Span:
    """The words that name what is liked or is so: behind the cue, or before it as in Japanese."""
    if grammar.thing_first:
        return _topic_end(plain, cue[0], grammar), cue[0]
    stop = _STOP.search(plain, cue[1])
    end = stop.start() if stop else len(plain)
    cut = grammar.ends.search(plain, cue[1], end)
    if cut is not None and plain[cue[1] : cut.start()].strip(_EDGES):
        end = cut.start()
    return cue[1], end


def _topic_end(plain: str, end: int, grammar: _Grammar) -> int:
    """Where a topic that was put first ("変数名は") ends, or where the clause begins."""
    start = max((mark.end() for mark in _MARKS.finditer(plain, 0, end)), default=0)
    topic = grammar.topic.search(plain, start, end)
    return topic.end() if topic is not None and topic.end() < end else start


def _matter(plain: str, thing: Span, grammar: _Grammar) -> str:
    """What a preference is about.

    Its name is what follows "for", a topic put first, or the head of the thing. What kind of value
    is preferred ("length" for "short") belongs to it: short answers and English answers differ.
    """
    words = plain[thing[0] : thing[1]]
    kind = next((name for name, values in _RIVALS.items() if values.search(words)), "")
    named = grammar.of.search(words)
    topic = _MARKS.split(plain[: thing[0]])[-1] if grammar.thing_first else ""
    if named is not None:
        name = " ".join(_content(words[named.end() :].split(), grammar)[:_MATTER_WORDS])
    elif topic:
        name = grammar.topic.sub("", topic)
    elif kind:
        name = _head(_RIVALS[kind].sub(" ", words), grammar)
    else:
        name = " ".join(_content(words.split(), grammar))
    return "/".join(dict.fromkeys(part for part in (_normal(name), kind) if part))


def _head(words: str, grammar: _Grammar) -> str:
    runs = _CJK_RUN.findall(words)
    if runs:
        return _CJK_TAIL.sub("", runs[-1]) or runs[-1]
    content = _content(words.split(), grammar)
    if not content:
        return ""
    return content[0] if grammar.head_first else content[-1]


def _content(words: Iterable[str], grammar: _Grammar) -> list[str]:
    bare = [word.strip(_EDGES) for word in words]
    return [word for word in bare if word and word not in grammar.fillers]


def _normal(words: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split()).strip(_EDGES)
