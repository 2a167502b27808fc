"""Do again what was taken back of a memory file: only what the file still fits is written."""

from collections.abc import Mapping
from typing import Any

from archivist.domain.problems import Refused
from archivist.services.proposals import Proposals
from archivist.services.undo import cannot_repeat
from archivist.texts import tr


async def repeat(proposals: Proposals, inverse: Mapping[str, Any]) -> None:
    """Do a command whose name begins with `memory` again.

    Raises Refused when its changes no longer wait or the file has none of their place any more,
    FileProblem when the file cannot be written.
    """
    match inverse:
        case {"write": int(), "again": list(hunks)}:
            await _write(proposals, [int(hunk) for hunk in hunks])
        case {"hunks": list(hunks)}:
            await proposals.reject([int(hunk) for hunk in hunks])
        case {"target": int(), "again": Mapping() as chosen}:
            await proposals.restore(chosen)
        case _:
            raise cannot_repeat()


async def _write(proposals: Proposals, hunks: list[int]) -> None:
    wanted = set(hunks)
    for proposal in await proposals.proposals():
        if wanted <= {hunk.id for hunk in proposal.hunks}:
            await proposals.apply(proposal.id, hunks)
            return
    raise Refused(
        tr("What was taken out of the file is no longer proposed."),
        advice=tr("The memory window shows what is proposed by now."),
    )
