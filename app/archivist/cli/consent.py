"""Ask the person on the terminal before anything is approved.

An assistant with a shell must not approve: without a terminal these verbs are refused, unless the
profile says `cli.approve = "always"`.
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from archivist.cli import output
from archivist.domain.problems import Refused
from archivist.texts import tr

_YES = frozenset({"y", "yes"})


def consent(question: str, *, always: bool) -> None:
    """Return when the person agrees. Raises Refused when they do not or cannot be asked.

    `question` may hold several lines; a text from outside must be made `visible` in it before.
    """
    if always:
        return
    must_be_askable(always=False)
    if _answer(f"{question} [y/N] ") not in _YES:
        raise Refused(tr("Nothing was changed."), advice=tr("Answer y to approve."), key="declined")


def must_be_askable(*, always: bool) -> None:
    """Raise Refused when nobody could be asked: verbs say so before they look at anything."""
    if not always and not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise Refused(
            tr("This needs your approval, and there is no terminal to ask on."),
            advice=tr("Run it in a terminal yourself, or review in the window."),
            key="no-terminal",
        )


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())


def _answer(question: str) -> str:
    """Return what the person typed; ends the line that they left open with Ctrl+C or Ctrl+D."""
    line = ""
    with _interruptible():
        output.ask(question)
        try:
            line = sys.stdin.readline()
        finally:
            if not line.endswith("\n"):
                output.note("")
    return line.strip().lower()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl+C end the read at once.

    asyncio answers it by cancelling the task, which the task only learns when the read is over.
    """
    is_ours = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if is_ours else None
    if before is None or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if _was_interrupted():
            raise KeyboardInterrupt
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _was_interrupted() -> bool:
    """Tell whether Ctrl+C came before the question and waits to be learnt."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
