"""Notice what another process changed in the archive, as the command line beside the windows does.

Nobody tells of such a change, so the archive is asked; one small question each two seconds.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from archivist.domain.problems import Problem
from archivist.services.bus import (
    Bus,
    LessonsChanged,
    ProblemsChanged,
    ProposalsChanged,
    SegmentsChanged,
)
from archivist.services.supervise import settled

_log = logging.getLogger(__name__)

APART: Final = 2.0
"""Seconds between two questions."""

_EVENTS: Final = (SegmentsChanged, LessonsChanged, ProposalsChanged, ProblemsChanged)


async def notice_elsewhere(
    has_changed: Callable[[], Awaitable[bool]], *, bus: Bus, apart: float = APART
) -> None:
    """Tell on the bus of changes that others made, for as long as this runs.

    What exactly changed is not known: whoever shows something looks again.
    """
    failed = ""
    while True:
        found = await settled(has_changed(), where="elsewhere")
        if isinstance(found, Problem):
            if found.key != failed:  # said once; whatever is done next meets it too and lists it
                _log.warning("not looked elsewhere key=%s", found.key)
            failed = found.key
        else:
            failed = ""
            if found:
                _log.debug("changed elsewhere")
                for event in _EVENTS:
                    bus.tell(event())
        await asyncio.sleep(apart)
