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
    from archivist.services.facade import Services

_INTERRUPTED = 130
_FOLDERS = ("--profile-dir", "--home")


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
    if arguments[:1] == ["--worker"]:
        from archivist.models import worker

        return worker.main(arguments[1:])
    from archivist.machine.screen import can_show_windows

    folders, words = _split(arguments)
    if _wants_windows(words) and can_show_windows():
        return _windows(folders, words[1:])
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


def _windows(folders: dict[str, str], rest: list[str]) -> int:
    """Run the tray application on a profile."""
    from pathlib import Path

    from archivist.domain import problems
    from archivist.gui import shell
    from archivist.gui.places import Room
    from archivist.machine.single import Instance
    from archivist.paths import Paths, ensure, user_paths

    profile, home = (Path(folders[n]) if n in folders else None for n in _FOLDERS)
    paths = Paths(profile.absolute()) if profile else user_paths()
    room = Room.SEGMENTS if not rest else None if rest == ["--background"] else rest[0]
    try:
        if room is not None and room not in set(Room):
            raise _no_room(str(room))
        ensure(paths)
        return shell.run(
            shell.Start(
                opened=lambda: _opened_at(profile, home),
                instance=Instance(lock=paths.lock, socket=paths.socket),
                data=paths.data,
                room=Room(room) if room else None,
            )
        )
    except problems.Problem as problem:
        sys.stderr.write(f"{problem.message}\n  {problem.advice}\n")
        return 1


def _no_room(name: str) -> "Problem":
    from archivist.domain.hidden import visible
    from archivist.domain.problems import Refused
    from archivist.gui.places import Room
    from archivist.texts import tr

    return Refused(
        tr("There is no window named {name}.", name=visible(name)),
        advice=tr("There are {names}.", names=", ".join(Room)),
    )


def _opened(options: "Options") -> "AbstractAsyncContextManager[Services]":
    return _opened_at(options.profile, options.home)


def _opened_at(
    profile: "Path | None", home: "Path | None"
) -> "AbstractAsyncContextManager[Services]":
    from archivist import compose

    return compose.opened(profile, home)


if __name__ == "__main__":
    sys.exit(main())
