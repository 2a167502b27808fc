"""The person chooses the memory files: each tick is done at once, and can be undone."""

import asyncio
from pathlib import Path

from shiboken6 import isValid

from archivist.domain.problems import Problem
from archivist.gui.dialogs import ask
from archivist.gui.memory.choose_files import ChooseFiles
from archivist.gui.room import RoomWindow
from archivist.services.facade import Services


async def choose_files(window: RoomWindow) -> None:
    """Let the person choose, until the dialog is closed."""
    services = window.desk.services
    dialog = ChooseFiles(window, window.desk.look)
    in_order = asyncio.Lock()

    async def use(path: str, project: str, *, wanted: bool) -> None:
        async with in_order:
            said = await _used(services, path, project, wanted=wanted)
            files = await services.memory_files()
        if not isValid(dialog):  # it was closed meanwhile
            if said is not None:
                raise said
            return
        dialog.banner.hide()
        if said is not None:
            dialog.banner.say(f"{said.message} {said.advice}")
        dialog.show_files(files)

    async def use_other(path: str) -> None:
        project = await services.browse.project_at(Path(path).parent)
        await use(path, project, wanted=True)

    def on_wanted(path: str, project: str, wanted: bool) -> None:  # noqa: FBT001 - a Qt signal
        window.act(use(path, project, wanted=wanted), name="memory-file")

    def on_other(path: str) -> None:
        window.act(use_other(path), name="memory-file")

    dialog.show_files(await services.memory_files())
    dialog.wanted.connect(on_wanted)
    dialog.other.connect(on_other)
    await ask(dialog)


async def _used(services: Services, path: str, project: str, *, wanted: bool) -> Problem | None:
    """Use a file or not; return why that cannot be."""
    try:
        if wanted:
            await services.proposals.enable(Path(path), project=project)
        else:
            await services.proposals.disable(Path(path))
    except Problem as problem:
        return problem
    return None
