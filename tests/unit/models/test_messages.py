import pytest

from archivist.models import frames, messages
from archivist.models.frames import Frame, FrameError
from archivist.models.messages import (
    Answer,
    Complete,
    Completed,
    Encode,
    Encoded,
    Failed,
    Loaded,
    LoadText,
    LoadVectors,
    Request,
    TooLong,
)

REQUESTS: list[Request] = [
    LoadText("/models/größe.gguf", 2048, 1),
    LoadVectors(2),
    Complete((("system", "Be brief."), ("user", "你好")), 64),
    Encode(("one", "two")),
    Encode(()),
]
ANSWERS: list[Answer] = [
    Loaded(512),
    Completed("Done.", 12, 3, cut=False),
    TooLong(3000, 1800),
    Encoded(1, 2, bytes(8)),
    Failed("memory", "not enough"),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: type(one).__name__)
def test_requests_arrive_as_they_were_sent(request_: Request) -> None:
    (frame,) = frames.Unpacker().feed(frames.pack(messages.to_frame(5, request_)))
    assert (frame.number, messages.parse_request(frame)) == (5, request_)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda one: type(one).__name__)
def test_answers_arrive_as_they_were_sent(answer: Answer) -> None:
    (frame,) = frames.Unpacker().feed(frames.pack(messages.to_frame(6, answer)))
    assert messages.parse_answer(frame) == answer


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "Reboot"},
        {"kind": "Loaded"},
        {"kind": "Loaded", "size": "512"},
        {"kind": "Encode", "texts": ["a request, not an answer"]},
        {"kind": ["Loaded"], "size": 1},
    ],
)
def test_what_is_no_answer_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(FrameError):
        messages.parse_answer(Frame(1, body))
