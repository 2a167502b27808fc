"""Name this process so that another can tell later whether it still runs; name the caller."""

import os
import time

import psutil


def now_ms() -> int:
    """Return the time in UTC milliseconds."""
    return time.time_ns() // 1_000_000


def owner() -> str:
    """Return a name for this process that no later process with the same number can have."""
    return f"{os.getpid()}:{_born(os.getpid())}"


def is_alive(name: str) -> bool:
    """Whether the process with this name still runs (a zombie does not)."""
    number, _, born = name.partition(":")
    if not number.isdigit():
        return False
    return _born(int(number)) == born


def _born(number: int) -> str:
    """Return when a process began, in hundredths of a second, "" when there is none."""
    try:
        process = psutil.Process(number)
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        return str(round(process.create_time() * 100))
    except psutil.Error:
        return ""


def caller() -> str | None:
    """Return the name of the program that started this one, None when it cannot be told."""
    try:
        parent = psutil.Process(os.getpid()).parent()
        return parent.name() if parent is not None else None
    except psutil.Error:
        return None
