"""Tell which files below the roots of the sources change, live: one watcher, and a slow poll.

Watchers miss things (network homes, WSL, full queues), so the poll finds what they did not tell.
"""

import asyncio
import contextlib
import logging
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, Protocol

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from archivist.sources.files import below, is_folder, is_passing

_log = logging.getLogger(__name__)

_DEBOUNCE_MS: Final = 300
_STEP_MS: Final = 100
_IDLE_STEP_MS: Final = 1000
"""The watcher's thread wakes once in a step: seldom while nothing happens."""

_ACTIVE_SECONDS: Final = 15.0
_BLIND_SECONDS: Final = 3.0
"""The pause between polls where no watcher can be had."""

_POLLS_BETWEEN_TRIES: Final = 100

_SHARE: Final = 500
"""After a poll it rests at least so many times as long as it took."""


class Halt(Protocol):
    """Says when a watcher's thread has to come back."""

    def is_set(self) -> bool:
        """Tell whether it is time to end."""


class Watcher(Protocol):
    """What is used of `watchfiles`: its own loop has one fixed step, ours changes with activity."""

    def watch(
        self, _debounce_ms: int, _step_ms: int, _timeout_ms: int, _halt: Halt | None, /
    ) -> set[tuple[int, str]] | Literal["signal", "stop", "timeout"]:
        """Wait for changes."""

    def close(self) -> None:
        """End the watching."""


def open_watcher(folders: Sequence[Path]) -> Watcher:
    """Watch folders and all below them. Raises OSError when the system has no more watches."""
    return RustNotify([str(folder) for folder in folders], False, False, 0, True, True)


async def changes(
    roots: Callable[[], Sequence[Path]],
    *,
    stop: asyncio.Event,
    poll_seconds: float = 30.0,
    watcher_for: Callable[[Sequence[Path]], Watcher] = open_watcher,
) -> AsyncIterator[frozenset[Path]]:
    """Yield sets of files that were made, changed or removed, until `stop` is set.

    The first set is empty: from then on nothing is missed. Roots may come into being later.
    """
    files = _Files()
    watch = _Watch(stop, watcher_for)
    try:
        _, due = await _poll(files, watch, roots, poll_seconds)
        yield frozenset()
        while not stop.is_set():
            told = await watch.wait(due - time.monotonic())
            if told:
                found = await asyncio.to_thread(files.changed_among, told)
            elif time.monotonic() >= due and not stop.is_set():
                found, due = await _poll(files, watch, roots, poll_seconds)
            else:
                continue
            if found:
                watch.note_change()
                yield found
    finally:
        watch.end()


async def _poll(
    files: "_Files", watch: "_Watch", roots: Callable[[], Sequence[Path]], seconds: float
) -> tuple[frozenset[Path], float]:
    """Look at every file; return what changed, and when to look again."""
    begun = time.monotonic()
    found = await asyncio.to_thread(lambda: _look_around(files, watch, roots()))
    ended = time.monotonic()
    rest = min(seconds, _BLIND_SECONDS) if watch.is_blind else seconds
    return found, ended + max(rest, (ended - begun) * _SHARE)


def _look_around(files: "_Files", watch: "_Watch", roots: Sequence[Path]) -> frozenset[Path]:
    # The watcher first: what changes while it opens is seen by the look, not missed by both.
    watch.open([root for root in roots if is_folder(root)])
    return files.changed_below(roots)


class _Watch:
    """A watcher that is opened anew when roots come or go, and waited for in a thread."""

    def __init__(
        self, stop: asyncio.Event, watcher_for: Callable[[Sequence[Path]], Watcher]
    ) -> None:
        self._stop = stop
        self._watcher_for = watcher_for
        self._watcher: Watcher | None = None
        self._folders: list[Path] = []
        self._changed_at = 0.0
        self._has_ended = False
        self._is_waiting = False
        self._polls = 0

    @property
    def is_blind(self) -> bool:
        """Whether there is something to watch and no watcher for it."""
        return self._watcher is None and bool(self._folders)

    def is_set(self) -> bool:
        """Tell the watcher's thread to come back."""
        return self._has_ended or self._stop.is_set()

    def note_change(self) -> None:
        """Take shorter steps for a while: where one change was, more follow."""
        self._changed_at = time.monotonic()

    def open(self, folders: list[Path]) -> None:
        """Watch these folders; without a watcher the poll alone goes on."""
        if folders == self._folders and not (self.is_blind and self._is_time_to_try()):
            return
        self._close()
        self._folders = folders
        if not folders:
            return
        try:
            self._watcher = self._watcher_for(folders)
        except (OSError, UnicodeEncodeError, WatchfilesRustInternalError) as error:
            # The second is a folder whose name is no text: the watcher takes none.
            _log.info("no watcher, polling instead: folders=%d reason=%s", len(folders), error)

    def _is_time_to_try(self) -> bool:
        """Try seldom for a watcher that could not be had: a large tree takes long to refuse."""
        self._polls = (self._polls + 1) % _POLLS_BETWEEN_TRIES
        return self._polls == 0

    async def wait(self, seconds: float) -> set[str]:
        """Wait for changes that long; return their paths, or nothing."""
        if self._watcher is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), max(0.0, seconds))
            return set()
        return await asyncio.to_thread(self._wait_in_thread, self._watcher, seconds)

    def _wait_in_thread(self, watcher: Watcher, seconds: float) -> set[str]:
        is_active = time.monotonic() - self._changed_at < _ACTIVE_SECONDS
        step = _STEP_MS if is_active else _IDLE_STEP_MS
        limit = min(seconds, _ACTIVE_SECONDS) if is_active else seconds
        self._is_waiting = True
        try:
            told = watcher.watch(_DEBOUNCE_MS, step, max(1, int(limit * 1000)), self)
        except (OSError, WatchfilesRustInternalError) as error:
            _log.info("the watcher failed, polling: reason=%s", error)
            self._close()
            return set()
        finally:
            self._is_waiting = False
        if self._has_ended:
            self._close()
        return set() if isinstance(told, str) else {self._as_asked(path) for _, path in told}

    def _as_asked(self, path: str) -> str:
        """Return a path as the roots have it: macOS tells it without symlinks."""
        if any(Path(path).is_relative_to(folder) for folder in self._folders):
            return path
        for folder in self._folders:
            real = folder.resolve()
            if Path(path).is_relative_to(real):
                return str(folder / Path(path).relative_to(real))
        return path

    def end(self) -> None:
        """Close the watcher; while its thread still waits, the thread does it."""
        self._has_ended = True
        if not self._is_waiting:
            self._close()

    def _close(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()


class _Files:
    """Size and time of every file below the roots, to tell what changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, int]] = {}

    def changed_below(self, roots: Iterable[Path]) -> frozenset[Path]:
        """Look at everything; return what changed since the last look."""
        now: dict[Path, tuple[int, int]] = {}
        been: set[tuple[int, int]] = set()
        for root in roots:
            now.update(_states(below(root, been)))
        before, self._known = self._known, now
        changed = {path for path, state in now.items() if before.get(path) != state}
        return frozenset(changed | (before.keys() - now.keys()))

    def changed_among(self, told: Iterable[str]) -> frozenset[Path]:
        """Look at paths that a watcher told; a new folder is looked through."""
        changed: set[Path] = set()
        for name in told:
            path = Path(name)
            found = _states(below(path, set()) if is_folder(path) else [path])
            if not found and self._known.pop(path, None) is not None:
                changed.add(path)
            changed.update(p for p, state in found.items() if self._known.get(p) != state)
            self._known.update(found)
        return frozenset(changed)


def _states(paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    found = {}
    for path in paths:
        if is_passing(path.name):
            continue
        try:
            about = path.stat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            found[path] = (about.st_size, about.st_mtime_ns)
    return found
