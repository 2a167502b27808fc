"""What the app and a model worker say to each other, as values.

Both ends are the same program: there is no version, and what does not fit is a FrameError.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias, TypeVar, get_args, get_origin

from archivist.models.frames import Frame, FrameError


@dataclass(frozen=True, slots=True)
class LoadText:
    """Load a GGUF model for writing. `context` and `threads` stay as long as the process."""

    path: str
    context: int
    threads: int


@dataclass(frozen=True, slots=True)
class LoadVectors:
    """Load the encoder."""

    threads: int


@dataclass(frozen=True, slots=True)
class Complete:
    """Answer a chat: pairs of role (system, user, assistant) and text, texts as plain data."""

    chat: tuple[tuple[str, str], ...]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Encode:
    """Make one vector a text."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model is ready; `size` is its context in tokens or the dimension of its vectors."""

    size: int


@dataclass(frozen=True, slots=True)
class Completed:
    """The answer to a chat; `cut` when it ran into `max_tokens`."""

    text: str
    prompt_tokens: int
    tokens: int
    cut: bool


@dataclass(frozen=True, slots=True)
class TooLong:
    """The prompt has `tokens` tokens where only `room` are free; nothing was computed."""

    tokens: int
    room: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """`count` vectors of length one, row by row as little-endian float32."""

    count: int
    dimension: int
    vectors: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker could not do it and lives on. `cause`: library, weights, memory or model."""

    cause: str
    detail: str


Request: TypeAlias = LoadText | LoadVectors | Complete | Encode
Answer: TypeAlias = Loaded | Completed | TooLong | Encoded | Failed

_Message = TypeVar("_Message", bound=Request | Answer)

_REQUESTS: Final[dict[str, type[Request]]] = {kind.__name__: kind for kind in get_args(Request)}
_ANSWERS: Final[dict[str, type[Answer]]] = {kind.__name__: kind for kind in get_args(Answer)}


def to_frame(number: int, message: Request | Answer) -> Frame:
    """Return the frame that carries a message."""
    body: dict[str, object] = {"kind": type(message).__name__}
    tail = b""
    for field in fields(message):
        value = getattr(message, field.name)
        if isinstance(value, bytes):
            tail = value
        else:
            body[field.name] = value
    return Frame(number, body, tail)


def parse_request(frame: Frame) -> Request:
    """Return the request in a frame. Raises FrameError."""
    return _parse(frame, _REQUESTS)


def parse_answer(frame: Frame) -> Answer:
    """Return the answer in a frame. Raises FrameError."""
    return _parse(frame, _ANSWERS)


def _parse(frame: Frame, kinds: dict[str, type[_Message]]) -> _Message:
    kind = kinds.get(str(frame.body.get("kind")))
    if kind is None:
        raise FrameError(f"unknown message {frame.body.get('kind')!r}")
    values: dict[str, Any] = {}  # checked field by field below
    for field in fields(kind):
        wanted = get_origin(field.type) or field.type
        value = frame.tail if wanted is bytes else _tuples(frame.body.get(field.name))
        if not isinstance(value, wanted):  # type: ignore[arg-type]  # plain classes, see above
            raise FrameError(f"{kind.__name__}.{field.name} is missing or of the wrong type")
        values[field.name] = value
    return kind(**values)


def _tuples(value: object) -> object:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
