"""Everything a window, the command line or a door may call, in one value made by `compose`."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from archivist.domain.cues import Cues
from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.ports.machine import Instance
from archivist.ports.models import ModelNote, Recapper
from archivist.ports.sources import Home
from archivist.services.activity import Activities
from archivist.services.archive import Archive
from archivist.services.browse import Browse
from archivist.services.bus import Bus
from archivist.services.capture import Capture
from archivist.services.ingest import Ingest
from archivist.services.loop import Loop
from archivist.services.memory_found import Candidate
from archivist.services.memory_view import MemoryView
from archivist.services.overview import Overview
from archivist.services.pause import Pause
from archivist.services.preferences import Preferences
from archivist.services.proposals import Proposals
from archivist.services.review import Review
from archivist.services.search import Search
from archivist.services.segment_list import SegmentList
from archivist.services.supervise import Supervisor
from archivist.services.undo import Undo
from archivist.settings import Settings


@dataclass(frozen=True, slots=True)
class Profile:
    """What the services were opened on."""

    data: Path
    home: Home
    approves_always: bool
    can_show_windows: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one open profile."""

    profile: Profile
    settings: Settings
    bus: Bus
    ingest: Ingest
    capture: Capture
    archive: Archive
    browse: Browse
    segments: SegmentList
    sources: Sequence[str]
    """The sources that this program can read."""
    review: Review
    proposals: Proposals
    memory: MemoryView
    memory_files: Callable[[], Awaitable[Sequence[Candidate]]]
    """The memory files to choose from."""
    search: Search
    undo: Undo
    preferences: Preferences
    overview: Callable[[], Awaitable[Overview]]
    waiting: Callable[[], Awaitable[Waiting]]
    pause: Pause
    activities: Activities
    loop: Callable[[Supervisor], Loop]
    instance: Instance
    logging: Callable[[], AbstractContextManager[Problem | None]]
    """Write the log while it lasts; gives what is in the way where it cannot be written."""

    recapper: Recapper | None
    """The small local model whether chosen or not, for one sample; None when not installed."""
    models: Callable[[], Sequence[ModelNote]]
    cues: Callable[[], Cues]
    child: Callable[[str], tuple[Sequence[str], Mapping[str, str]]]
    """The command line and the environment of a child process of this program, by its kind."""
    stop_models: Callable[[], Awaitable[None]]
    """End the model workers; the next question would start one again."""
    notice_elsewhere: Callable[[], Coroutine[Any, Any, None]]
    """Tell on the bus what other processes change, for as long as it runs."""
    hurry: Callable[[], None]
    """Wait no longer for other programs that keep the archive locked, for the end has begun."""
    at_once: Callable[[], None]
    """The least to do when the system ends us now: at most 200 ms, without a loop."""
