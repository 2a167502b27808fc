"""Start: a model worker first of all, windows where nothing else is asked for, or one command.

Nothing is imported before `main` can answer Ctrl+C, and only what the start at hand needs.
"""

import sys

TYPE_CHECKING = False  # `typing` itself is among what is imported later
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from archivist.cli.main import Options
    from archivist.domain.problems import Problem
    from archivist.gui.shell import Start
    from archivist.machine.early import EarlyEnd
    from archivist.paths import Paths
    from archivist.services.facade import Services

_INTERRUPTED = 130
_FOLDERS = ("--profile-dir", "--home")
_SAID_ENOUGH = ("no-window", "pyside")
"""Keys of problems that are for the terminal alone: a mistake in typing, a library that breaks."""

_WINDOWS = "archivist"
"""Under this name the log of actions holds what was done in a window."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run the program; return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _started(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED


def _started(arguments: list[str]) -> int:
    from multiprocessing import freeze_support

    freeze_support()
    if arguments == ["--worker", "clipboard"]:
        from archivist.gui import clip_child

        return clip_child.main()
    if arguments[:1] == ["--worker"]:
        from archivist.models import worker

        return worker.main(arguments[1:])
    folders, words = _split(arguments)
    if not _wants_windows(words):
        return _command(arguments)
    from archivist.machine.early import EarlyEnd
    from archivist.machine.screen import why_no_windows

    early = EarlyEnd()
    try:
        problem = why_no_windows()
        if problem is None:
            return _windows(folders, words[1:], early)
    finally:
        early.give_back()
    return _without_windows(arguments, words, problem)


def _without_windows(arguments: list[str], words: list[str], problem: "Problem") -> int:
    """Do what can be done without a window: `open` may reach an app that has one."""
    if words[:1] == ["open"]:
        return _command(arguments)
    if not words and problem.key == "no-screen":
        return _command([*arguments, "--help"])
    _say(problem)
    return 1


def _command(arguments: list[str]) -> int:
    from archivist.cli import main as cli

    return cli.main(arguments, _opened)


def _split(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """Take the two folders from the front of a command line; the rest is the command."""
    folders, rest = {}, list(arguments)
    while rest:
        name, is_joined, value = rest[0].partition("=")
        if name not in _FOLDERS or not (is_joined or len(rest) > 1):
            break
        folders[name] = value if is_joined else rest[1]
        del rest[: 1 if is_joined else 2]
    return folders, rest


def _wants_windows(words: list[str]) -> bool:
    return words in ([], ["run"], ["run", "--background"], ["open"]) or (
        len(words) == 2 and words[0] == "open" and not words[1].startswith("-")
    )


def _windows(folders: dict[str, str], rest: list[str], early: "EarlyEnd") -> int:
    """Run the tray application on a profile."""
    from pathlib import Path

    from archivist.domain.problems import Problem
    from archivist.paths import Paths, user_paths

    profile, home = (Path(folders[n]) if n in folders else None for n in _FOLDERS)
    paths = Paths(profile.absolute()) if profile else user_paths()
    try:
        from archivist.gui import shell
    except ImportError as error:
        if (error.name or "").startswith("archivist"):
            raise
        from archivist.machine.screen import not_loading

        _say(not_loading(error))
        return 1
    if early.code is not None:
        return early.code
    try:
        return shell.run(_start(paths, profile, home, rest, early))
    except Problem as problem:
        _say(problem)
        if problem.key not in _SAID_ENOUGH and early.code is None:
            shell.tell(problem, paths.data)
        return 1


def _start(
    paths: "Paths",
    profile: "Path | None",
    home: "Path | None",
    rest: list[str],
    early: "EarlyEnd",
) -> "Start":
    from archivist.gui.places import Room
    from archivist.gui.shell import Start
    from archivist.machine.logs import logging_to
    from archivist.machine.single import Instance
    from archivist.paths import ensure

    room = Room.SEGMENTS if not rest else None if rest == ["--background"] else rest[0]
    if room is not None and room not in set(Room):
        raise _no_room(str(room))
    ensure(paths)
    return Start(
        opened=lambda: _opened_at(profile, home, asked_by=_WINDOWS),
        instance=Instance(lock=paths.lock, socket=paths.socket),
        data=paths.data,
        room=Room(room) if room else None,
        logged=lambda: logging_to(paths.log),
        wished=lambda: early.code,
    )


def _say(problem: "Problem") -> None:
    if sys.stderr is not None:  # a program without a console has none
        sys.stderr.write(f"{problem.message}\n  {problem.advice}\n")


def _no_room(name: str) -> "Problem":
    from archivist.domain.hidden import visible
    from archivist.domain.problems import Refused
    from archivist.gui.places import Room
    from archivist.texts import tr

    return Refused(
        tr("There is no window named {name}.", name=visible(name)),
        advice=tr("There are {names}.", names=", ".join(Room)),
        key="no-window",
    )


def _opened(options: "Options") -> "AbstractAsyncContextManager[Services]":
    return _opened_at(options.profile, options.home)


def _opened_at(
    profile: "Path | None", home: "Path | None", *, asked_by: str | None = None
) -> "AbstractAsyncContextManager[Services]":
    from archivist import compose

    return compose.opened(profile, home, asked_by=asked_by)


if __name__ == "__main__":
    sys.exit(main())
