"""What is said of a problem: its times for the person, and a report without any content."""

import platform
from datetime import UTC, datetime

from PySide6.QtCore import qVersion

from archivist import __version__
from archivist.domain.problems import ProblemRow
from archivist.services.times import clock_time
from archivist.texts import tr_n


def times(row: ProblemRow) -> str:
    """Say since when and how often a problem happened."""
    first, last = clock_time(row.first_at), clock_time(row.last_at)
    if first == last:
        return tr_n(
            "Happened once: {last}.", "Happened {n} times, last {last}.", row.count, last=last
        )
    return tr_n(
        "Happened once: {last}.",
        "Happened {n} times, first {first}, last {last}.",
        row.count,
        first=first,
        last=last,
    )


def report(row: ProblemRow) -> str:
    """Return what helps to find the fault: the kind of problem, how often, on what system.

    Message and advice are left out, for they may name files, projects and persons; and so is what
    a key says behind its colon.
    """
    kind, _, thing = row.key.partition(":")
    lines = (
        f"archivist={__version__}",
        f"problem={kind}{':…' if thing else ''}",
        f"count={row.count}",
        f"first={_iso(row.first_at)}",
        f"last={_iso(row.last_at)}",
        f"system={platform.system()} {platform.release()} {platform.machine()}",
        f"python={platform.python_version()} qt={qVersion()}",
    )
    return "\n".join(lines) + "\n"


def _iso(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="seconds")
