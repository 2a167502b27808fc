import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.models import frames
from archivist.models.frames import Frame, FrameError, Unpacker

BODIES = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=4)
FRAMES = st.builds(
    Frame,
    number=st.integers(0, 2**32 - 1),
    body=BODIES,
    tail=st.binary(max_size=40),
)


@given(st.lists(FRAMES, max_size=4), st.lists(st.integers(0, 300), max_size=6))
def test_frames_survive_any_portions(sent: list[Frame], cuts: list[int]) -> None:
    data = b"".join(frames.pack(frame) for frame in sent)
    ends = [*sorted(min(cut, len(data)) for cut in cuts), len(data)]
    unpacker, got, start = Unpacker(), [], 0
    for end in ends:
        got += list(unpacker.feed(data[start:end]))
        start = end
    assert got == sent


@given(st.lists(FRAMES, max_size=3))
def test_a_stream_is_read_frame_by_frame(sent: list[Frame]) -> None:
    stream = io.BytesIO(b"".join(frames.pack(frame) for frame in sent))
    got = []
    while (frame := frames.read(stream)) is not None:
        got.append(frame)
    assert got == sent


def test_a_lone_surrogate_survives() -> None:
    (frame,) = Unpacker().feed(frames.pack(Frame(1, {"text": "half \ud83d pair"})))
    assert frame.body == {"text": "half \ud83d pair"}


@pytest.mark.parametrize("noise", [b"W", b"Warning: no GPU\n", b"ARCH", b"\n" + b"ARC1" * 8])
def test_stray_output_is_refused_with_its_first_bytes(noise: bytes) -> None:
    with pytest.raises(FrameError, match="something else was written"):
        list(Unpacker().feed(noise))


def test_stray_output_after_a_frame_is_refused_but_the_frame_counts() -> None:
    incoming = Unpacker().feed(frames.pack(Frame(7, {})) + b"oops")
    assert next(incoming).number == 7
    with pytest.raises(FrameError):
        next(incoming)


def test_the_start_of_a_frame_is_waited_for() -> None:
    whole = frames.pack(Frame(1, {"a": 1}, b"xyz"))
    unpacker = Unpacker()
    for at in range(len(whole) - 1):
        assert list(unpacker.feed(whole[at : at + 1])) == []
    assert list(unpacker.feed(whole[-1:])) == [Frame(1, {"a": 1}, b"xyz")]


def test_a_length_over_the_limit_is_refused_before_it_is_held() -> None:
    header = struct.pack("<4sIII", b"ARC1", 1, frames.LIMIT, 1)
    with pytest.raises(FrameError, match="over the limit"):
        list(Unpacker().feed(header))


def test_a_message_over_the_limit_is_not_sent() -> None:
    with pytest.raises(FrameError, match="over the limit"):
        frames.pack(Frame(1, {}, bytes(frames.LIMIT)))


@pytest.mark.parametrize("body", [b"[1]", b"nul", b"\xff\xfe", b""])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    data = struct.pack("<4sIII", b"ARC1", 1, len(body), 0) + body
    with pytest.raises(FrameError, match="does not hold"):
        list(Unpacker().feed(data))


def test_a_stream_that_ends_inside_a_frame_is_an_error_not_an_end() -> None:
    whole = frames.pack(Frame(1, {"a": 1}))
    for end in range(1, len(whole)):
        with pytest.raises(FrameError, match="ended inside"):
            frames.read(io.BytesIO(whole[:end]))
    assert frames.read(io.BytesIO()) is None
