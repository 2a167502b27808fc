"""Make the recap of a segment by rules: whole sentences of the turns, in order, with their speaker.

Nothing is worded anew, so nothing can be invented. The budget is shared out so that one long paste
cannot take it all.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from archivist.domain.cues import Cues, EventKind
from archivist.domain.events import find_events
from archivist.domain.grounding import ungrounded
from archivist.domain.lang import FUNCTION_WORDS, language_of
from archivist.domain.pasted import foreign_spans
from archivist.domain.sentences import Sentence, sentences
from archivist.domain.transcripts import Role
from archivist.domain.turns import Turn

__all__ = ["extract", "limit_for", "ungrounded"]

_SHARE: Final = 0.35
_CAP: Final = 1_400
_FLOOR: Final = 160
_REQUEST_SHARE: Final = 0.3
_REQUEST_ROOM: Final = 120
_OUTCOME_SHARE: Final = 0.3
_DECIDED_SHARE: Final = 0.3
_SHORTEST_LINE: Final = 24
_READ_OF_REPLY: Final = 6_000
_ERROR_LINE = re.compile(
    r"\b(?:error|exception|failed|failure|fatal|panic|denied|refused|cannot)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class _Labels:
    """What the lines of a recap begin with, in the language of the person."""

    person: str
    assistant: str
    decided: str
    outcome: str
    failed: str
    mark: str = ": "


_LABELS: Final = {
    "en": _Labels("User", "Assistant", "Decided", "Outcome", "Failed tools"),
    "zh": _Labels("用户", "助手", "决定", "结果", "失败的工具", "："),
    "ja": _Labels("ユーザー", "アシスタント", "決定", "結果", "失敗したツール", "："),
    "ko": _Labels("사용자", "어시스턴트", "결정", "결과", "실패한 도구"),
    "de": _Labels("Nutzer", "Assistent", "Entschieden", "Ergebnis", "Fehlgeschlagene Werkzeuge"),
    "es": _Labels("Usuario", "Asistente", "Decidido", "Resultado", "Herramientas fallidas"),
    "fr": _Labels("Utilisateur", "Assistant", "Décidé", "Résultat", "Outils en échec"),
    "pt": _Labels("Usuário", "Assistente", "Decidido", "Resultado", "Ferramentas com falha"),
    "ru": _Labels("Пользователь", "Ассистент", "Решено", "Итог", "Инструменты с ошибкой"),
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence that may go into the recap: where it stands, who said it, what it is for."""

    place: tuple[int, int]
    label: str
    text: str


def limit_for(characters: int) -> int:
    """Return how long the recap of a segment of so many characters may be, never longer than it."""
    return max(0, min(characters, max(_FLOOR, min(_CAP, int(characters * _SHARE)))))


def extract(turns: Sequence[Turn], *, limit: int, cues: Cues | None = None) -> str:
    """Return a recap of at most `limit` characters in the words of the turns.

    It holds the first request, decisions (with `cues`), the most telling sentences, the outcome of
    the last reply and the tools that failed.
    """
    labels = _LABELS.get(_language(turns), _LABELS["en"])
    chosen = _Chosen(limit)
    said = [(index, turn) for index, turn in enumerate(turns) if turn.text.strip()]
    users = [(index, turn) for index, turn in said if turn.role is not Role.ASSISTANT]
    replies = [(index, turn) for index, turn in said if turn.role is Role.ASSISTANT]
    if users:
        _take(chosen, _spoken(*users[0], labels.person), max(limit * _REQUEST_SHARE, _REQUEST_ROOM))
    if replies:
        outcome = list(_spoken(*replies[-1], labels.outcome))
        _take(chosen, _closing(outcome), limit * _OUTCOME_SHARE)
    if cues is not None:
        _take(chosen, _decisions(users, cues, labels), limit * _DECIDED_SHARE)
    _take(chosen, _failures(turns, labels), limit * _DECIDED_SHARE)
    _fill(chosen, users, replies, labels)
    return chosen.text(labels)


class _Chosen:
    """The lines chosen so far, and the room that is left."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: dict[tuple[int, int], _Line] = {}
        self._texts: set[str] = set()
        self._used = 0

    @property
    def room(self) -> int:
        """The characters that are left."""
        return self._limit - self._used

    @property
    def lines(self) -> Iterable[_Line]:
        """The lines, in the order in which they were chosen."""
        return self._lines.values()

    def add(self, line: _Line, room: float) -> int:
        """Add a line, cut to `room` when it is too long; return the characters it took."""
        if line.place in self._lines or line.text in self._texts:
            return 0
        overhead = len(line.label) + 3
        space = int(min(room, self.room)) - overhead
        text = line.text if len(line.text) <= space else _cut(line.text, space)
        if not text:
            return 0
        self._lines[line.place] = _Line(line.place, line.label, text)
        self._texts.add(line.text)
        self._used += len(text) + overhead
        return len(text) + overhead

    def text(self, labels: _Labels) -> str:
        """The recap: one line a speaker or purpose, in the order of the conversation."""
        parts: list[tuple[str, list[str]]] = []
        for line in sorted(self._lines.values(), key=lambda line: line.place):
            if parts and parts[-1][0] == line.label:
                parts[-1][1].append(line.text)
            else:
                parts.append((line.label, [line.text]))
        return "\n".join(f"{label}{labels.mark}{' '.join(texts)}" for label, texts in parts)[
            : self._limit
        ]


def _take(chosen: _Chosen, lines: Iterable[_Line], room: float) -> None:
    for line in lines:
        if room < _SHORTEST_LINE:
            return
        room -= chosen.add(line, room)


def _cut(text: str, room: int) -> str:
    """The beginning of a text up to a word border, with a mark; nothing when too little is left."""
    if room < _SHORTEST_LINE:
        return ""
    head = text[: room - 1]
    border = head.rfind(" ")
    return (head[:border] if border > room // 2 else head).rstrip(" ,;:，；：") + "…"


def _language(turns: Sequence[Turn]) -> str:
    said = " ".join(turn.text[:400] for turn in turns if turn.role is not Role.ASSISTANT)
    return language_of(said or " ".join(turn.text[:400] for turn in turns), "en")


def _spoken(index: int, turn: Turn, label: str) -> Iterator[_Line]:
    """The sentences of a turn; of a bare log its error lines."""
    text = turn.text if len(turn.text) <= _READ_OF_REPLY else _ends(turn.text)
    said = [sentence for sentence in sentences(text) if _is_telling(sentence)]
    for sentence in said:
        yield _Line((index, sentence.start), label, " ".join(sentence.text.split()))
    if not said:
        for start, line in _error_lines(turn.text):
            yield _Line((index, start), label, line)


def _ends(text: str) -> str:
    """Head and tail of a very long text, where a reply says what it is about."""
    half = _READ_OF_REPLY // 2
    head, tail = text[:half].rpartition("\n"), text[-half:].partition("\n")
    return f"{head[0] or head[2]}\n\n{tail[2] or tail[0]}"


def _is_telling(sentence: Sentence) -> bool:
    return any(char.isalnum() for char in sentence.plain) and len(sentence.text) > 3


def _error_lines(text: str) -> Iterator[tuple[int, str]]:
    for start, end in foreign_spans(text):
        at = start
        for line in text[start:end].splitlines(keepends=True):
            if _ERROR_LINE.search(line):
                yield at, " ".join(line.split())
            at += len(line)


def _closing(lines: Sequence[_Line]) -> list[_Line]:
    """Of the last reply: how it begins, then how it ends, then the rest."""
    return [*lines[:1], *reversed(lines[-1:]), *lines[1:-1]]


def _decisions(users: Sequence[tuple[int, Turn]], cues: Cues, labels: _Labels) -> Iterator[_Line]:
    for index, turn in users:
        for event in find_events(turn.text, cues):
            if event.kind is EventKind.DECISION:
                yield _Line((index, event.start), labels.decided, " ".join(event.quote.split()))


def _failures(turns: Sequence[Turn], labels: _Labels) -> Iterator[_Line]:
    names = [
        name.strip()
        for turn in turns
        if turn.failed_tools
        for name in turn.failed_tools.partition(":")[2].split(",")
    ]
    if names:
        unique = ", ".join(dict.fromkeys(name for name in names if name))
        yield _Line((len(turns), 0), labels.failed, unique)


def _fill(
    chosen: _Chosen,
    users: Sequence[tuple[int, Turn]],
    replies: Sequence[tuple[int, Turn]],
    labels: _Labels,
) -> None:
    """Fill the room that is left with the sentences that say most, each saying something new."""
    lines = [line for index, turn in users for line in _spoken(index, turn, labels.person)]
    lines += [line for index, turn in replies for line in _spoken(index, turn, labels.assistant)]
    left = [(line, tuple(dict.fromkeys(_words(line.text)))) for line in lines]
    weights = _weights([words for _, words in left])
    told = Counter(word for line in chosen.lines for word in _words(line.text))

    def worth(candidate: tuple[_Line, Sequence[str]]) -> tuple[float, bool, str]:
        line, words = candidate
        return _worth(line, words, weights, told), line.place[0] == 0, line.text

    while chosen.room >= 2 * _SHORTEST_LINE:
        # The room only shrinks: what does not fit now never will.
        left = [one for one in left if len(one[0].text) + len(one[0].label) + 3 <= chosen.room]
        best = max(left, key=worth, default=None)
        if best is None or worth(best)[0] <= 0:
            return
        left.remove(best)
        if chosen.add(best[0], chosen.room):
            told.update(_words(best[0].text))


def _weights(lines: Sequence[Sequence[str]]) -> dict[str, float]:
    """How much a word tells: often said in the segment, but not in every sentence."""
    counts = Counter(word for words in lines for word in words)
    total = max(1, len(lines))
    return {word: math.log1p(count) * math.log(1 + total / count) for word, count in counts.items()}


def _worth(
    line: _Line, words: Sequence[str], weights: dict[str, float], told: Counter[str]
) -> float:
    """How much new a sentence of these words says, for its length."""
    new = sum(weights.get(word, 0.0) / (1 + 2 * told[word]) for word in words)
    return float(new / math.pow(len(line.text) + 40, 0.7))


def _words(text: str) -> list[str]:
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii() or not any("\u3041" <= char <= "\u9fff" for char in word):
            if word not in FUNCTION_WORDS["en"]:
                found.append(word)
        else:
            found.extend(word[at : at + 2] for at in range(len(word) - 1))
    return found
