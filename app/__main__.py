"""Start Archivist from a checkout: `python app`. The folder of this file is then on the path."""

import sys

from archivist.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
