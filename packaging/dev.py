#!/usr/bin/env python3
"""The developer's one door: `python3 packaging/dev.py COMMAND`. Standard library only.

The first call makes `.venv` and fills it; `python3 packaging/dev.py help` lists the commands.
This file is kept readable for an old Python, so that the sentence below is what it says.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the sentence is for those who start it with less
    sys.exit(
        "Archivist needs Python 3.11 or newer, this is {}.{}. Start it as, for example: "
        "python3.12 packaging/dev.py".format(*sys.version_info)
    )

from devtools.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
