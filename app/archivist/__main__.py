"""Start: a model worker first of all, else one command on the services of a profile."""

import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from multiprocessing import freeze_support
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a worker must not load what a command needs
    from archivist.cli.main import Options
    from archivist.services.facade import Services


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    freeze_support()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--worker"]:
        from archivist.models import worker

        return worker.main(arguments[1:])
    from archivist.cli import main as cli

    return cli.main(arguments, _opened)


def _opened(options: "Options") -> AbstractAsyncContextManager["Services"]:
    from archivist import compose

    return compose.opened(options.profile, options.home)


if __name__ == "__main__":
    sys.exit(main())
