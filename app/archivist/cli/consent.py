"""Ask the person on the terminal before anything is approved.

An assistant with a shell must not approve: without a terminal these verbs are refused, unless the
profile says `cli.approve = "always"`.
"""

import sys

from archivist.domain.problems import Refused
from archivist.texts import tr

_YES = frozenset({"y", "yes"})


def consent(question: str, *, always: bool) -> None:
    """Return when the person agrees. Raises Refused when they do not or cannot be asked."""
    if always:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused(
            tr("This needs your approval, and there is no terminal to ask on."),
            advice=tr("Run it in a terminal yourself, or review in the window."),
            key="no-terminal",
        )
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in _YES:
        raise Refused(tr("Nothing was changed."), advice=tr("Answer y to approve."), key="declined")
