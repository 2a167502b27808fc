from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.problems import ModelUnavailable
from archivist.models import encoder
from archivist.models.encoder import WorkerEncoder
from archivist.models.installed import VectorModel
from archivist.models.messages import Answer, Encode, Encoded, Loaded, Request

MODEL = VectorModel("tiny", (), 2)


class Worker:
    """Encodes a text as its length and one; `dimension` may lie."""

    def __init__(self, dimension: int = 2) -> None:
        self.dimension = dimension
        self.batches: list[tuple[str, ...]] = []

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        assert isinstance(request, Encode)
        self.batches.append(request.texts)
        rows = np.array([[len(text), 1] for text in request.texts], "<f4")
        return Encoded(len(request.texts), self.dimension, rows.tobytes())

    async def close(self) -> None: ...


async def test_vectors_come_in_the_order_of_the_texts() -> None:
    worker = Worker()
    texts = ["x" * (1 + n % 7) for n in range(200)]
    vectors = await WorkerEncoder(MODEL, worker).encode(texts)
    assert [int(vector[0]) for vector in vectors] == [len(text) for text in texts]
    assert all(vector.dtype == np.float32 for vector in vectors)
    assert len(worker.batches) > 1
    assert max(len(batch) for batch in worker.batches) <= 128


async def test_long_texts_make_small_batches() -> None:
    worker = Worker()
    await WorkerEncoder(MODEL, worker).encode(["word " * 400] * 60)
    assert max(sum(map(len, batch)) for batch in worker.batches) <= 40_000
    assert sum(map(len, worker.batches)) == 60


async def test_no_texts_need_no_worker() -> None:
    worker = Worker()
    assert await WorkerEncoder(MODEL, worker).encode([]) == []
    assert worker.batches == []


async def test_a_blank_text_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="blank"):
        await WorkerEncoder(MODEL, Worker()).encode(["fine", " \n"])


async def test_vectors_of_another_shape_are_refused() -> None:
    with pytest.raises(ModelUnavailable, match="other vectors"):
        await WorkerEncoder(MODEL, Worker(dimension=3)).encode(["text"])


async def test_an_answer_of_another_kind_is_refused() -> None:
    class Confused(Worker):
        async def ask(self, request: Request, *, seconds: float) -> Answer:
            return Loaded(2)

    with pytest.raises(ModelUnavailable, match="other vectors"):
        await WorkerEncoder(MODEL, Confused()).encode(["text"])


def test_the_fingerprint_follows_the_weights(tmp_path: Path) -> None:
    names = []
    for number, content in enumerate([b"weights", b"weights", b"other"]):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(content)
        model = VectorModel("tiny", (path,), 2)
        names.append(WorkerEncoder(model, Worker()).model)
    assert names[0] == names[1] != names[2]
    assert names[0].startswith("tiny@")


def test_a_long_text_counts_with_its_beginning_and_its_end() -> None:
    text = "Start of it. " + "filler words " * 2_000 + "The end of it."
    short = encoder.shorten(text)
    assert short.startswith("Start of it.")
    assert short.endswith("The end of it.")
    assert len(short) <= 2_401
    head, tail = short.split("\n")
    assert head.split()[-1] in {"filler", "words"}
    assert tail.split()[0] in {"filler", "words"}


@given(st.text(max_size=200).map(lambda part: part * 40))
def test_a_shortened_text_is_bounded_and_never_blank(text: str) -> None:
    short = encoder.shorten(text)
    assert len(short) <= 2_401
    assert bool(short.strip()) == bool(text.strip())
