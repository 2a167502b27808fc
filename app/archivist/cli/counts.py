"""How many of what, in words: the parts of sentences that count several things."""

from archivist.texts import tr_n


def prompts(n: int) -> str:
    """Return "1 prompt" or "2 prompts"."""
    return tr_n("{n} prompt", "{n} prompts", n)


def answers(n: int) -> str:
    """Return "1 answer" or "2 answers"."""
    return tr_n("{n} answer", "{n} answers", n)


def turns(n: int) -> str:
    """Return "1 turn" or "2 turns"."""
    return tr_n("{n} turn", "{n} turns", n)


def new_turns(n: int) -> str:
    """Return "1 new turn" or "2 new turns"."""
    return tr_n("{n} new turn", "{n} new turns", n)


def sessions(n: int) -> str:
    """Return "1 session" or "2 sessions"."""
    return tr_n("{n} session", "{n} sessions", n)


def segments(n: int) -> str:
    """Return "1 segment" or "2 segments"."""
    return tr_n("{n} segment", "{n} segments", n)


def lessons(n: int) -> str:
    """Return "1 lesson" or "2 lessons"."""
    return tr_n("{n} lesson", "{n} lessons", n)
