import sys
from pathlib import Path

import pytest

from archivist.machine.home import HomeFolder
from archivist.machine.memory_places import MemoryPlaces
from archivist.services.memory_found import candidates
from archivist.store.browse import BrowseStore
from archivist.store.targets import TargetStore
from helpers.lessons import learn
from helpers.memory_files import memory
from helpers.stored import stored

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights and links")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path.resolve() / "project" / "MEMORY.md"


async def test_the_files_to_choose_from(tmp_path: Path, target: Path) -> None:
    target.write_text("# Notes\n")
    home = tmp_path / "home"
    home.mkdir()
    async with stored(tmp_path) as archive:
        await learn(archive, "Prefer pytest", project=str(target.parent))
    async with memory(tmp_path) as here:
        targets, places = TargetStore(here.database), MemoryPlaces(HomeFolder(home))
        known = BrowseStore(here.database)
        (found,) = await candidates(targets, places, known)
        project = str(target.parent)
        assert (found.path, found.project, found.is_enabled) == (str(target), project, False)
        other = tmp_path.resolve() / "MEMORY.md"
        await here.service.enable(other)
        await here.service.enable(target)
        files = {file.path: file for file in await candidates(targets, places, known)}
        assert files.keys() == {str(target), str(other)}
        assert (files[str(target)].project, files[str(target)].stands_in) == ("", project)
        assert files[str(other)].is_enabled
