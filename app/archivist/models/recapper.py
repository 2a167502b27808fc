"""Recaps by a small local model in its worker process."""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, Protocol

from archivist import resources
from archivist.domain.lang import language_of
from archivist.domain.pasted import foreign_spans
from archivist.domain.problems import ModelUnavailable
from archivist.domain.transcripts import Role
from archivist.domain.turns import Turn
from archivist.models import budget
from archivist.models.endings import WorkerKind
from archivist.models.installed import TextModel
from archivist.models.messages import Answer, Complete, Completed, LoadText, Request, TooLong
from archivist.models.process import Limits, WorkerProcess, threads_for_text

_PROMPT: Final = "prompts/recap.md.jinja2"
_LANGUAGES: Final = {
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
}
_WITHOUT_SPACES: Final = frozenset({"ja", "zh"})

_TELLING: Final = 500
"""Letters of one turn that tell its language; one long turn must not outvote the others."""

_MOST_TOKENS: Final = 320
_BYTES_PER_TOKEN: Final = 3.0
_FRAME_TOKENS: Final = 220
"""For the instructions and the chat template around the turns."""

_FITTING_TRIES: Final = 4
_SECONDS: Final = 90.0

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_PREAMBLE = re.compile(
    r"(?:(?:sure|here(?: is|'s))\b[^:.\n]{0,80}:|\**summary(?::\**|\**:))\s*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?…]['\")\]]*(?=\s|$)|[。！？]")


class _Worker(Protocol):
    async def ask(self, request: Request, *, seconds: float) -> Answer: ...

    async def close(self) -> None: ...


class WorkerRecapper:
    """A Recapper on the text worker. `prompt` is a template with the blocks `system` and `user`.

    The same turns and limit always give the same recap.
    """

    def __init__(
        self, model: TextModel, prompt: str, worker: _Worker, *, seconds: float = _SECONDS
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._worker = worker
        self._seconds = seconds

    @property
    def maker(self) -> str:
        return self._model.name

    async def recap(self, turns: Sequence[Turn], *, limit: int) -> str:
        """Return a recap of at most `limit` characters, maybe none. Raises ModelUnavailable."""
        language = await asyncio.to_thread(main_language, turns)
        most = max_tokens(limit, language)
        room = int((self._model.context - most - _FRAME_TOKENS) * _BYTES_PER_TOKEN)
        for _ in range(_FITTING_TRIES):
            chat = await asyncio.to_thread(self._chat, turns, room, language, limit)
            answer = await self._worker.ask(Complete(chat, most), seconds=self._seconds)
            if isinstance(answer, Completed):
                return bounded(spoken(answer.text), limit, is_cut=answer.cut)
            if not isinstance(answer, TooLong):
                break
            room = int(room * 0.9 * answer.room / answer.tokens)
        raise ModelUnavailable(
            "The text model gave no recap: the conversation does not fit into its context.",
            advice="Recaps go on by rules. Choose a model with a larger context.",
            key="model-text-context",
        )

    def _chat(
        self, turns: Sequence[Turn], room: int, language: str, limit: int
    ) -> tuple[tuple[str, str], ...]:
        return render(self._prompt, budget.passages(turns, room=room), language, limit)

    async def close(self) -> None:
        await self._worker.close()


def local_recapper(
    model: TextModel,
    *,
    seconds: float = _SECONDS,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> WorkerRecapper:
    """Return the recapper with a worker process of its own, which starts when it is first asked.

    `seconds` is the deadline of one recap.
    """
    load = LoadText(str(model.path), model.context, threads_for_text())
    worker = WorkerProcess(WorkerKind.TEXT, load, limits=limits)
    return WorkerRecapper(model, resources.text(_PROMPT), worker, seconds=seconds)


def main_language(turns: Sequence[Turn]) -> str:
    """Return the code of the language in which the person wrote, by their own words."""
    asked = [turn for turn in turns if turn.role is not Role.ASSISTANT] or turns
    return language_of("\n".join(_own_words(turn.text)[:_TELLING] for turn in asked))


def max_tokens(limit: int, language: str) -> int:
    """Return how many tokens a recap of `limit` characters may take."""
    wanted = limit * 2 if language in _WITHOUT_SPACES else limit // 3
    return min(_MOST_TOKENS, max(24, wanted))


def render(
    template: str, passages: Sequence[budget.Passage], language: str, limit: int
) -> tuple[tuple[str, str], ...]:
    """Return the chat that asks for a recap: the blocks `system` and `user` of the template."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(  # noqa: S701 - a prompt is no HTML
        trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    page = environment.from_string(template)
    values: dict[str, object] = {
        "passages": [{"role": one.role, "text": one.text} for one in passages],
        "days": _days([one.at for one in passages if one.at is not None]),
        "language": _LANGUAGES.get(language, "the language of the user"),
        "letters": limit if language in _WITHOUT_SPACES else 0,
        "words": max(5, limit // 7),
    }
    return tuple(
        (role, "".join(page.blocks[role](page.new_context(values))).strip())
        for role in ("system", "user")
    )


def spoken(text: str) -> str:
    """Return what a model meant to say: no thoughts, preamble, line breaks, repeated sentences."""
    # Some chat templates open the thought themselves, so that only its end is in the answer.
    text = _THOUGHT.sub(" ", text if "<think>" in text else text.rpartition("</think>")[2])
    text = " ".join(_PREAMBLE.sub("", text.strip(), count=1).split())
    starts = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]
    sentences = {text[start:end].strip(): text[start:end] for start, end in pairwise(starts)}
    return "".join(sentences.values()).strip()


def bounded(text: str, limit: int, *, is_cut: bool) -> str:
    """Return at most `limit` characters, whole sentences where that keeps a good part.

    `is_cut`: the text was cut short already, so that its last sentence is a torn one.
    """
    if len(text) <= limit and not is_cut:
        return text
    ends = [end.end() for end in _SENTENCE_END.finditer(text) if end.end() <= limit]
    if ends and ends[-1] >= min(len(text), limit) // 3:
        return text[: ends[-1]]
    if len(text) < limit:
        return f"{text}…"
    start = text[: max(0, limit - 1)]
    space = start.rfind(" ")
    return f"{start[:space] if space > limit // 2 else start}…"[:limit]


def _own_words(text: str) -> str:
    start, parts = 0, []
    for first, last in foreign_spans(text):
        parts.append(text[start:first])
        start = last
    return " ".join((*parts, text[start:]))


def _days(times: Sequence[int]) -> str:
    """Return the day of a conversation, or its first and last day."""
    ends = (min(times), max(times)) if times else ()
    days = [f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}" for at in ends]
    return " to ".join(dict.fromkeys(days))
