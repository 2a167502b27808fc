"""Frames on the pipes between the app and a model worker.

A frame is a fixed header (mark, number, two lengths), a JSON object and a tail of raw bytes. The
tail carries vectors: as base64 inside the JSON they would be a third longer and parsed twice. The
mark is there so that stray output of a library is seen at once and never read as a length.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

LIMIT: Final = 32 * 1024 * 1024
"""Bytes of one frame; the callers cut and batch far below it."""

_MARK: Final = b"ARC1"
_HEADER: Final = struct.Struct("<4sIII")


class FrameError(ValueError):
    """The bytes are no frame: stray output, a frame cut short, or one over the limit."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `number` pairs an answer with its request."""

    number: int
    body: Mapping[str, object]
    tail: bytes = b""


def pack(frame: Frame) -> bytes:
    """Return the bytes of a frame. Lone surrogates in texts survive, as escapes."""
    body = json.dumps(frame.body, separators=(",", ":")).encode("ascii")
    _check_size(len(body), len(frame.tail))
    return b"".join(
        (_HEADER.pack(_MARK, frame.number, len(body), len(frame.tail)), body, frame.tail)
    )


def read(stream: BinaryIO) -> Frame | None:
    """Return the next frame of a blocking stream, None at its end."""
    head = _read_exactly(stream, _HEADER.size)
    if not head:
        return None
    number, body, tail = _parse_header(head)
    content = _read_exactly(stream, body + tail)
    if len(head) + len(content) < _HEADER.size + body + tail:
        raise FrameError("the stream ended inside a frame")
    return _parse_content(number, content, body)


class Unpacker:
    """Cuts the frames out of bytes that arrive in any portions."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are complete with `data`. Raises FrameError."""
        self._held += data
        while len(self._held) >= _HEADER.size:
            number, body, tail = _parse_header(self._held[: _HEADER.size])
            end = _HEADER.size + body + tail
            if len(self._held) < end:
                return
            content = bytes(self._held[_HEADER.size : end])
            del self._held[:end]
            yield _parse_content(number, content, body)
        _check_mark(bytes(self._held[: len(_MARK)]))


def _check_mark(start: bytes) -> None:
    """Refuse stray bytes as soon as the first of them is there."""
    if not _MARK.startswith(start):
        raise FrameError("not a frame: something else was written to the pipe")


def _check_size(body: int, tail: int) -> None:
    if body + tail > LIMIT:
        raise FrameError(f"a frame of {body + tail} bytes is over the limit of {LIMIT}")


def _parse_header(head: bytes | bytearray) -> tuple[int, int, int]:
    """Return number, length of the JSON and length of the tail."""
    _check_mark(bytes(head[: len(_MARK)]))
    if len(head) < _HEADER.size:
        raise FrameError("the stream ended inside a frame")
    _, number, body, tail = _HEADER.unpack(head)
    _check_size(body, tail)
    return number, body, tail


def _parse_content(number: int, content: bytes, body: int) -> Frame:
    try:
        value = json.loads(content[:body])
    except ValueError as error:
        raise FrameError("a frame does not hold JSON") from error
    if not isinstance(value, dict):
        raise FrameError("a frame does not hold a JSON object")
    return Frame(number, value, content[body:])


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    """Return `size` bytes, fewer only at the end of the stream."""
    parts: list[bytes] = []
    missing = size
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
