"""The archiving services over a real archive, by rules or with what a test brings."""

from archivist.domain.segments import CutRules
from archivist.ports.models import Encoder, Recapper
from archivist.services.archive import Archive
from archivist.services.filing import Filer
from archivist.services.stages import Stages
from archivist.shipped import cues
from helpers.stored import Stored

IDLE_MS = 600_000


def filer_over(archive: Stored) -> Filer:
    """Return a filer without encoder that knows no marker."""
    return Filer(
        archive.segments,
        None,
        rules=CutRules(),
        opens_topic=lambda _text: False,
        bus=archive.bus,
        clock=archive.clock,
    )


def archive_over(
    archive: Stored, *, recapper: Recapper | None = None, encoder: Encoder | None = None
) -> Archive:
    """Return the loop with the real stages."""
    stages = Stages(
        archive.segments,
        archive.jobs(),
        archive.knowledge,
        cues=cues,
        recapper=recapper,
        encoder=encoder,
        bus=archive.bus,
        clock=archive.clock,
    )
    return Archive(
        filer_over(archive),
        archive.segments,
        archive.jobs(),
        stages.table(),
        idle_ms=IDLE_MS,
        bus=archive.bus,
        clock=archive.clock,
    )
