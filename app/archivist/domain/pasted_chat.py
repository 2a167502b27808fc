"""Split a chat that somebody copied into its turns, by the labels that stand before them.

No turn of it is the person's own word. Nobody can tell from a clipboard whose chat was copied, so
the prompts are tasks (`Role.TASK`), which no rule for events, lessons or the profile ever reads.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from textwrap import dedent
from typing import Final

from archivist.domain.transcripts import Role

_MOST_LABEL: Final = 64
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|(?:\* ){2,}\*)\s*")
_STAMP = re.compile(r"\[[^\]\n]{1,30}\]\s*")
_HEADING = re.compile(r"#{1,6}\s+(?P<label>.+?)[\s#]*")
_BOLD = re.compile(
    r"[*_]{1,4}(?P<label>[^*_]{1,64}?)(?P<inner>[:：]?)\s*[*_]{1,4}\s*(?P<outer>[:：]?)(?P<rest>.*)"
)
_COLON = re.compile(r"(?P<label>[^:：]{1,64}?)\s?(?::(?=\s|$)|：)(?P<rest>.*)")
_BEHIND = re.compile(r"\s*[(\[（][^()\[\]（）]{1,40}[)\]）]\W*$")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_DIGIT = re.compile(r"\d")


class _Form(Enum):
    """How a label is set off from the words, the surest form first."""

    SAID = auto()
    HEADING = auto()
    BOLD = auto()
    COLON = auto()
    SCREEN = auto()
    ALONE = auto()


@dataclass(frozen=True, slots=True)
class PastedTurn:
    """What one side of a pasted chat said."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ChatLabels:
    """The known labels in plain form, with who speaks under them. Made by `parse_labels`."""

    said: Mapping[str, Role]
    labels: Mapping[str, Role]
    titles: Mapping[str, Role]
    names: frozenset[str]
    versions: frozenset[str]
    screens: tuple[Mapping[str, Role], ...]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that begins a turn, and what it says of it already."""

    line: int
    role: Role
    form: _Form
    rest: str = ""


def parse_labels(table: Mapping[str, object]) -> ChatLabels:
    """Return the labels of a resource table. Raises KeyError or TypeError for one that is wrong."""
    sides = {Role.TASK: _table(table["person"]), Role.ASSISTANT: _table(table["assistant"])}
    names = _words(sides[Role.ASSISTANT]["names"])
    said: dict[str, Role] = {}
    labels: dict[str, Role] = {}
    titles: dict[str, Role] = {}
    for role, side in sides.items():
        phrases = [p.replace("{name}", name) for p in _words(side["said"]) for name in names]
        said |= dict.fromkeys(map(_plain, phrases), role)
        labels |= dict.fromkeys(map(_plain, _words(side["labels"])), role)
        titles |= dict.fromkeys(map(_plain, _words(side["titles"])), role)
    return ChatLabels(
        said,
        labels,
        titles | labels,
        frozenset(map(_plain, names)),
        frozenset(_words(sides[Role.ASSISTANT]["versions"])),
        tuple(_screen(_table(screen)) for screen in _items(table["screen"])),
    )


def _screen(table: Mapping[str, object]) -> Mapping[str, Role]:
    person = dict.fromkeys(_words(table["person"]), Role.TASK)
    return person | dict.fromkeys(_words(table["assistant"]), Role.ASSISTANT)


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _items(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _words(value: object) -> list[str]:
    return [str(word) for word in _items(value)]


def pasted_turns(text: str, known: ChatLabels) -> tuple[PastedTurn, ...]:
    """Return the turns of a pasted chat, sides in turn; none when it is no chat. Lines end in LF.

    It is one when both sides are labelled. What stands before the first label opens the chat.
    """
    lines = dedent(text).split("\n")
    marks = _marks(lines, known)
    if not marks:
        return ()
    ends = [mark.line for mark in marks[1:]] + [len(lines)]
    turns = [PastedTurn(Role.TASK, _trimmed(lines[: marks[0].line]))]
    for mark, end in zip(marks, ends, strict=True):
        body = lines[mark.line + 1 : end]
        if mark.form is _Form.SCREEN:
            body = [line.removeprefix("  ") for line in body]
        turns.append(PastedTurn(mark.role, _trimmed([mark.rest.strip(), *body])))
    return tuple(_merged(turns))


def _trimmed(lines: Sequence[str]) -> str:
    """Return lines as a text, without blank lines around and without rules between turns."""
    left = list(lines)
    while left and (not left[-1].strip() or _RULE.fullmatch(left[-1])):
        left.pop()
    while left and (not left[0].strip() or _RULE.fullmatch(left[0])):
        left.pop(0)
    return "\n".join(left)


def _merged(turns: Iterable[PastedTurn]) -> Iterator[PastedTurn]:
    """Join what one side said in several pieces; pieces without words go."""
    role, texts = Role.TASK, list[str]()
    for turn in turns:
        if not turn.text.strip():
            continue
        if turn.role is not role and texts:
            yield PastedTurn(role, "\n\n".join(texts))
            texts = []
        role = turn.role
        texts.append(turn.text)
    if texts:
        yield PastedTurn(role, "\n\n".join(texts))


def _marks(lines: Sequence[str], known: ChatLabels) -> list[_Mark]:
    """Return the lines that begin a turn: of one form where that has both sides, else of all.

    One form, since a prompt may itself hold a chat in another.
    """
    fenced = _fenced(lines)
    outside = [(at, line) for at, line in enumerate(lines) if at not in fenced]
    labelled = [mark for at, line in outside if (mark := _label(at, line, known)) is not None]
    for form in _Form:
        if form is _Form.SCREEN:
            found = _on_screen(outside, known)
        else:
            found = [mark for mark in labelled if mark.form is form]
        if _has_both(found):
            return found
    return labelled if _has_both(labelled) else []


def _has_both(marks: Sequence[_Mark]) -> bool:
    return len({mark.role for mark in marks}) > 1


def _fenced(lines: Sequence[str]) -> set[int]:
    """Return the lines inside code fences; a fence that nobody closes is none."""
    inside: set[int] = set()
    opened: tuple[int, str] | None = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = (at, fence.group(1))
        elif fence.group(1).startswith(opened[1]):
            inside.update(range(opened[0], at + 1))
            opened = None
    return inside


def _on_screen(lines: Sequence[tuple[int, str]], known: ChatLabels) -> list[_Mark]:
    """Return the marks of the terminal whose both sides are seen."""
    seen = [(at, line) for at, line in lines if not line[1:2].strip()]
    for screen in known.screens:
        marks = [
            _Mark(at, screen[line[0]], _Form.SCREEN, line[2:])
            for at, line in seen
            if line[:1] in screen
        ]
        if _has_both(marks):
            return marks
    return []


def _label(at: int, line: str, known: ChatLabels) -> _Mark | None:
    line = _STAMP.sub("", line, count=1) if line.startswith("[") else line
    if not line or line[0].isspace():
        return None
    if heading := _HEADING.fullmatch(line[: 2 * _MOST_LABEL]):
        return _mark(at, heading["label"], _Form.HEADING, "", known)
    if (bold := _BOLD.fullmatch(line)) and (
        bold["inner"] or bold["outer"] or not bold["rest"].strip()
    ):
        return _mark(at, bold["label"], _Form.BOLD, bold["rest"], known)
    if colon := _COLON.fullmatch(line):
        return _mark(at, colon["label"], _Form.COLON, colon["rest"], known)
    return _mark(at, line, _Form.ALONE, "", known) if len(line) <= _MOST_LABEL else None


def _mark(at: int, label: str, form: _Form, rest: str, known: ChatLabels) -> _Mark | None:
    if len(label) > _MOST_LABEL:
        return None
    word = _plain(_BEHIND.sub("", label))
    if word in known.said:
        return _Mark(at, known.said[word], _Form.SAID, rest)
    inline = form is _Form.COLON and rest.strip()
    role = (known.labels if inline else known.titles).get(word)
    if role is None and _is_name(word, known):
        role = Role.ASSISTANT
    return None if role is None else _Mark(at, role, form, rest)


def _is_name(word: str, known: ChatLabels) -> bool:
    """Whether a label is an assistant's name, perhaps with its version behind it."""
    parts = word.replace("-", " ").split()
    for end in range(len(parts), 0, -1):
        if " ".join(parts[:end]) in known.names:
            return all(p in known.versions or _DIGIT.search(p) for p in parts[end:])
    return False


def _plain(label: str) -> str:
    """Return a label as it is compared: one width, one case, no marks around it."""
    flat = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
    return _EDGE.sub("", flat)
