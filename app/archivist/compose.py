"""The composition root: the only place that names concrete adapters and reads the settings."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from archivist import shipped
from archivist.domain.knowledge import RULES
from archivist.domain.markers import opens_topic
from archivist.domain.segments import CutRules
from archivist.domain.transcripts import Source
from archivist.machine.files import MemoryFiles
from archivist.machine.home import GitProjects, HomeFolder, this_home
from archivist.machine.logs import logging_to
from archivist.machine.memory_places import MemoryPlaces
from archivist.machine.opener import SystemOpener
from archivist.machine.processes import caller, is_alive, now_ms, owner
from archivist.machine.screen import can_show_windows
from archivist.machine.single import Instance
from archivist.models import installed
from archivist.models.encoder import local_encoder
from archivist.models.process import Limits, worker_command, worker_environment
from archivist.models.recapper import local_recapper
from archivist.paths import Paths, ensure, user_paths
from archivist.ports.models import Encoder, ModelNote, Recapper
from archivist.ports.sources import Reader
from archivist.services import memory_redo
from archivist.services.activity import Activities
from archivist.services.archive import Archive
from archivist.services.browse import Browse
from archivist.services.bus import Bus
from archivist.services.capture import Capture
from archivist.services.elsewhere import notice_elsewhere
from archivist.services.facade import Profile, Services
from archivist.services.filing import Filer
from archivist.services.ingest import Ingest
from archivist.services.loop import CatchUp, Loop
from archivist.services.memory_found import candidates
from archivist.services.memory_view import MemoryView
from archivist.services.overview import Overview, overview
from archivist.services.pause import Pause
from archivist.services.preferences import Preferences
from archivist.services.problem_list import ProblemList
from archivist.services.proposals import Proposals
from archivist.services.review import Review
from archivist.services.search import Search
from archivist.services.segment_list import SegmentList
from archivist.services.stages import Stages
from archivist.services.supervise import Supervisor
from archivist.services.undo import Undo
from archivist.settings import Settings, SettingsFile
from archivist.sources.claude_code import ClaudeCode
from archivist.sources.codex import Codex
from archivist.sources.follow import changes
from archivist.store.browse import BrowseStore
from archivist.store.captures import CaptureStore
from archivist.store.command_store import CommandStore
from archivist.store.database import Database, checkpoint, open_database, read_mark
from archivist.store.file_writes import WriteStore
from archivist.store.jobs import JobStore
from archivist.store.knowledge import KnowledgeStore
from archivist.store.marks import MarkStore
from archivist.store.problems import ProblemStore
from archivist.store.proposals import ProposalStore
from archivist.store.review import ReviewStore
from archivist.store.segment_list import SegmentListStore
from archivist.store.segments import SegmentStore
from archivist.store.targets import TargetStore
from archivist.store.transcripts import TranscriptStore
from archivist.texts import tr

_MINUTE_MS = 60_000
_THROW_AWAY = "throw-away"
_SETTINGS = "setting"


@dataclass(frozen=True, slots=True)
class _Models:
    """The models of this run. `recapper` is None when rules make the recaps."""

    encoder: Encoder | None
    small: Recapper | None
    recapper: Recapper | None

    async def close(self) -> None:
        """End the workers, all at once: one that does not react takes its time."""
        async with asyncio.TaskGroup() as group:
            for model in (self.encoder, self.small):
                if model is not None:
                    group.create_task(model.close())


@dataclass(frozen=True, slots=True)
class _Base:
    """What the services of one open profile are made from.

    `is_throw_away`: its archive was made with --profile-dir and is opened so again. The mark is in
    the archive itself: no path, link or variable makes the person's own archive a throw-away one.
    """

    database: Database
    paths: Paths
    settings: Settings
    file: SettingsFile
    home: HomeFolder
    models: _Models
    asked_by: str | None
    is_throw_away: bool


def readers() -> Sequence[Reader]:
    """Return a reader for each source, in the order they are asked whose file one is."""
    return (ClaudeCode(), Codex())


def opened(
    profile_dir: Path | None, home_dir: Path | None, *, asked_by: str | None = None
) -> AbstractAsyncContextManager[Services]:
    """Open a profile and give its services; at the end closes models, then the database.

    `asked_by` is the name under which actions are noted, else that of the program that started
    this one. Raises SchemaTooNew or Problem when the archive cannot be opened; it is unchanged.
    """
    paths = Paths(profile_dir.absolute()) if profile_dir else user_paths()
    home = HomeFolder(home_dir.absolute()) if home_dir else this_home()
    return _opened(paths, home, profile_dir, asked_by or caller())


@asynccontextmanager
async def _opened(
    paths: Paths, home: HomeFolder, profile_dir: Path | None, asked_by: str | None
) -> AsyncIterator[Services]:
    ensure(paths)
    file = SettingsFile(paths.settings, os.environ)
    settings, troubles = file.read()
    models = _models(settings)
    marks = {_THROW_AWAY: "yes"} if profile_dir else {}
    async with open_database(paths.database, backups=paths.backups, marks=marks) as database:
        try:
            is_throw_away = profile_dir is not None and await read_mark(database, _THROW_AWAY)
            base = _Base(
                database, paths, settings, file, home, models, asked_by, bool(is_throw_away)
            )
            services = _services(base)
            await services.browse.settle(_SETTINGS, troubles)
            for trouble in await services.proposals.recover():
                await services.browse.report(trouble)
            yield services
        finally:
            await models.close()


def _models(settings: Settings) -> _Models:
    limits = Limits(idle_seconds=settings.unload_minutes * 60)
    state = installed.find()
    encoder = small = None
    if settings.vectors and isinstance(state.vectors, installed.VectorModel):
        encoder = local_encoder(state.vectors, limits=limits)
    if isinstance(state.text, installed.TextModel):
        small = local_recapper(state.text, limits=limits, seconds=settings.recap_seconds)
    return _Models(encoder, small, small if settings.summarise == "smollm2" else None)


def _services(base: _Base) -> Services:
    """Join the services; the order is that of what needs what."""
    database, bus, home, settings = base.database, Bus(), base.home, base.settings
    sources, asked_by = readers(), base.asked_by
    segments, transcripts = SegmentStore(database), TranscriptStore(database)
    activities, browse_store = Activities(bus), BrowseStore(database)
    problems = ProblemList(
        ProblemStore(database), unwritten=activities.unwritten, bus=bus, clock=now_ms
    )
    commands, lessons = CommandStore(database, caller=asked_by), ReviewStore(database)
    review = Review(lessons, clean=_clean, bus=bus, clock=now_ms, caller=asked_by)
    proposals = _proposals(database, lessons, bus, asked_by)
    preferences = Preferences(base.file, commands, clock=now_ms)
    projects = GitProjects(home)
    ingest = Ingest(transcripts, sources, shipped.gate, projects, bus=bus, clock=now_ms)
    archive = _archive(database, segments, settings, base.models, bus)
    capture = _capture(base, bus, asked_by)
    pause = Pause(MarkStore(database), bus=bus, clock=now_ms)
    return Services(
        profile=_profile(base),
        settings=settings,
        bus=bus,
        ingest=ingest,
        capture=capture,
        archive=archive,
        browse=_browse(browse_store, segments, problems, home, bus),
        segments=_segment_list(database),
        sources=tuple(reader.source for reader in sources),
        review=review,
        proposals=proposals,
        memory=_memory(database, proposals, lessons, review, bus),
        memory_files=lambda: candidates(TargetStore(database), MemoryPlaces(home), browse_store),
        search=Search(browse_store),
        undo=_undo(commands, review, proposals, preferences, capture, caller=asked_by),
        preferences=preferences,
        overview=lambda: _overview(browse_store, transcripts, problems),
        waiting=lambda: problems.count(browse_store.waiting),
        pause=pause,
        activities=activities,
        loop=_loop_maker(
            base,
            ingest,
            archive,
            sources,
            bus=bus,
            pause=pause,
            activities=activities,
            catch_up=problems.catch_up,
        ),
        instance=Instance(lock=base.paths.lock, socket=base.paths.socket),
        logging=lambda: logging_to(base.paths.log),
        recapper=base.models.small,
        models=model_notes,
        cues=shipped.cues,
        child=lambda kind: (worker_command(kind), worker_environment(1)),
        stop_models=base.models.close,
        notice_elsewhere=lambda: notice_elsewhere(database.changed_elsewhere, bus=bus),
        hurry=database.hurry,
        at_once=lambda: checkpoint(base.paths.database),
    )


def _profile(base: _Base) -> Profile:
    return Profile(
        data=base.paths.data,
        home=base.home,
        approves_always=base.is_throw_away or base.settings.approve == "always",
        can_show_windows=can_show_windows,
    )


def _clean(text: str) -> str:
    return shipped.gate().clean(text).text


def _segment_list(database: Database) -> SegmentList:
    return SegmentList(SegmentListStore(database), opener=SystemOpener(os.environ), clock=now_ms)


def _browse(
    store: BrowseStore,
    segments: SegmentStore,
    problems: ProblemList,
    home: HomeFolder,
    bus: Bus,
) -> Browse:
    return Browse(store, segments, problems, places=home, cues=shipped.cues, bus=bus, clock=now_ms)


def _capture(base: _Base, bus: Bus, asked_by: str | None) -> Capture:
    def is_allowed() -> bool:  # asked anew each time: it holds at once
        settings, _ = base.file.read()
        return settings.clipboard_allowed and Source.CLIPBOARD not in settings.sources_off

    return Capture(
        CaptureStore(base.database, caller=asked_by),
        shipped.gate,
        shipped.chat_labels,
        allowed=is_allowed,
        bus=bus,
        clock=now_ms,
    )


def _undo(
    commands: CommandStore,
    review: Review,
    proposals: Proposals,
    preferences: Preferences,
    capture: Capture,
    *,
    caller: str | None,
) -> Undo:
    inverses = {
        "lessons": lambda inverse: review.restore(inverse["restore"]),
        "memory": proposals.restore,
        "settings": preferences.restore,
        "capture": capture.restore,
    }
    repeats = {
        "lessons": review.repeat,
        "memory": lambda inverse: memory_redo.repeat(proposals, inverse),
        "settings": preferences.repeat,
    }
    return Undo(commands, inverses, clock=now_ms, repeats=repeats, caller=caller)


async def _overview(
    counted: BrowseStore, transcripts: TranscriptStore, problems: ProblemList
) -> Overview:
    return await overview(counted, transcripts, problems, clock=now_ms)


def _proposals(
    database: Database, lessons: ReviewStore, bus: Bus, asked_by: str | None
) -> Proposals:
    return Proposals(
        TargetStore(database),
        ProposalStore(database),
        WriteStore(database),
        lessons,
        MemoryFiles(clock=now_ms),
        bus=bus,
        clock=now_ms,
        caller=asked_by,
    )


def _memory(
    database: Database, proposals: Proposals, lessons: ReviewStore, review: Review, bus: Bus
) -> MemoryView:
    return MemoryView(
        proposals,
        ProposalStore(database),
        WriteStore(database),
        MemoryFiles(clock=now_ms),
        lessons=lessons,
        review=review,
        bus=bus,
    )


def _archive(
    database: Database, segments: SegmentStore, settings: Settings, models: _Models, bus: Bus
) -> Archive:
    jobs = JobStore(database, owner=owner(), alive=is_alive)
    stages = Stages(
        segments,
        jobs,
        KnowledgeStore(database),
        cues=shipped.cues,
        recapper=models.recapper,
        encoder=models.encoder,
        bus=bus,
        clock=now_ms,
    )
    filer = Filer(
        segments,
        models.encoder,
        rules=CutRules(settings.max_exchanges, settings.gap_seconds * 1000, settings.drift),
        opens_topic=lambda text: opens_topic(text, shipped.cues()) is not None,
        bus=bus,
        clock=now_ms,
    )
    return Archive(
        filer,
        segments,
        jobs,
        stages.table(),
        idle_ms=settings.idle_minutes * _MINUTE_MS,
        bus=bus,
        clock=now_ms,
    )


def _loop_maker(
    base: _Base,
    ingest: Ingest,
    archive: Archive,
    sources: Sequence[Reader],
    *,
    bus: Bus,
    pause: Pause,
    activities: Activities,
    catch_up: CatchUp,
) -> Callable[[Supervisor], Loop]:
    maker = base.models.recapper.maker if base.models.recapper is not None else RULES

    def make(supervisor: Supervisor) -> Loop:
        return Loop(
            ingest,
            archive,
            sources,
            base.home,
            changes,
            off=base.settings.sources_off,
            poll_seconds=base.settings.poll_seconds,
            supervisor=supervisor,
            pause=pause,
            activities=activities,
            bus=bus,
            clock=now_ms,
            maker=maker,
            catch_up=catch_up,
        )

    return make


def model_notes() -> list[ModelNote]:
    """Return what this installation has of models, as shown by `models list` and `doctor`."""
    state = installed.find()
    notes = []
    for role, found in (("text", state.text), ("vectors", state.vectors)):
        if isinstance(found, installed.Missing):
            notes.append(ModelNote(role, None, found.message, found.advice))
        else:
            notes.append(ModelNote(role, found.name, tr("{name} is installed.", name=found.name)))
    return notes
