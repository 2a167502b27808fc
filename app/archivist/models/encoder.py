"""Vectors by the multilingual sentence encoder in its worker process."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from archivist.domain.problems import ModelUnavailable
from archivist.domain.segments import Vector, vector_of
from archivist.models.endings import WorkerKind
from archivist.models.installed import VectorModel
from archivist.models.messages import Answer, Encode, Encoded, LoadVectors, Request
from archivist.models.process import Limits, WorkerProcess

_HEAD: Final = 1_600
_TAIL: Final = 800
_BATCH_TEXTS: Final = 128
_BATCH_LETTERS: Final = 40_000
_DEADLINE: Final = 60.0


class _Worker(Protocol):
    async def ask(self, request: Request, *, seconds: float) -> Answer: ...

    async def close(self) -> None: ...


class WorkerEncoder:
    """An Encoder on the vectors worker. Long texts count with their beginning and their end."""

    def __init__(self, model: VectorModel, worker: _Worker) -> None:
        self._model = model
        self._worker = worker

    @property
    def model(self) -> str:
        """Name and hash of the weights; the first use reads them (about 30 ms)."""
        return f"{self._model.name}@{_hash(self._model.files)}"

    @property
    def dimension(self) -> int:
        return self._model.dimension

    async def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length one. Raises ModelUnavailable."""
        if not all(text.strip() for text in texts):
            raise ValueError("a blank text has no vector")
        rows: list[Vector] = []
        for batch in _batches([shorten(text) for text in texts]):
            answer = await self._worker.ask(Encode(batch), seconds=_DEADLINE)
            rows += self._rows(answer, len(batch))
        return rows

    async def close(self) -> None:
        await self._worker.close()

    def _rows(self, answer: Answer, count: int) -> list[Vector]:
        wanted = (count, self.dimension)
        if not isinstance(answer, Encoded) or (answer.count, answer.dimension) != wanted:
            raise ModelUnavailable(
                "The search model gave other vectors than expected.",
                advice="Search goes on by words. `archivist doctor` tests it.",
                key="model-vectors-shape",
            )
        table = vector_of(answer.vectors).reshape(wanted)
        return list(table)


def local_encoder(model: VectorModel, *, limits: Limits = Limits()) -> WorkerEncoder:  # noqa: B008 - frozen
    """Return the encoder with a worker process of its own, which starts when it is first asked."""
    return WorkerEncoder(model, WorkerProcess(WorkerKind.VECTORS, LoadVectors(1), limits=limits))


def shorten(text: str) -> str:
    """Return the part of a text that its vector stands for.

    The encoder averages over all words, so the vector of a pasted log would be that of any log, and
    it takes time in proportion. What a long turn is about stands at its beginning and at its end:
    two thirds are kept from there and one third from here, whole words where there are spaces.
    """
    if len(text) <= _HEAD + _TAIL:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    # A script without spaces, or one endless word, is cut where it is.
    space = max(head.rfind(" "), head.rfind("\n"))
    head = head[:space] if space > _HEAD // 2 else head
    spaces = [at for at in (tail.find(" "), tail.find("\n")) if at >= 0]
    tail = tail[min(spaces) :] if spaces and min(spaces) < _TAIL // 2 else tail
    return f"{head.rstrip()}\n{tail.lstrip()}"


def _batches(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Group texts so that one batch takes well under a second, and a search can go in between."""
    batch: list[str] = []
    letters = 0
    for text in texts:
        if batch and (len(batch) == _BATCH_TEXTS or letters + len(text) > _BATCH_LETTERS):
            yield tuple(batch)
            batch, letters = [], 0
        batch.append(text)
        letters += len(text)
    if batch:
        yield tuple(batch)


@cache
def _hash(files: tuple[Path, ...]) -> str:
    """Return the first 16 hex digits of the SHA-256 over the files in their order."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]
