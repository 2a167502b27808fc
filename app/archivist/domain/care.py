"""Why a person must look twice before a proposed change is chosen."""

from enum import StrEnum

from archivist.domain.hidden import hides_something
from archivist.domain.memory_file import Hunk, reads_like_an_order


class Care(StrEnum):
    """One reason. A change with any is never chosen beforehand, and never by a single key."""

    HIDDEN = "hides characters"
    ORDER = "reads like an order to a model"
    OUTSIDE = "comes from a text that was pasted or fetched"
    YOURS = "replaces a line that you wrote"


def cares_of(hunk: Hunk, *, is_from_outside: bool, is_line_ours: bool) -> tuple[Care, ...]:
    """Return the reasons for care; `is_line_ours`: the line that gives way was written by us."""
    found = {
        Care.HIDDEN: hides_something(hunk.added),
        Care.ORDER: reads_like_an_order(hunk.added),
        Care.OUTSIDE: is_from_outside,
        Care.YOURS: bool(hunk.removed) and not is_line_ours,
    }
    return tuple(care for care, applies in found.items() if applies)
