"""Start: a model worker first of all, else one command on the services of a profile.

Nothing is imported before `main` can answer Ctrl+C.
"""

import sys

TYPE_CHECKING = False  # `typing` itself is among what is imported later
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from archivist.cli.main import Options
    from archivist.services.facade import Services

_INTERRUPTED = 130


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
    from archivist.cli import main as cli

    return cli.main(arguments, _opened)


def _opened(options: "Options") -> "AbstractAsyncContextManager[Services]":
    from archivist import compose

    return compose.opened(options.profile, options.home)


if __name__ == "__main__":
    sys.exit(main())
