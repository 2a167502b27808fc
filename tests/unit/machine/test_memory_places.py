import sys
from pathlib import Path

import pytest

from archivist.domain.proposals import FoundFile
from archivist.machine.home import HomeFolder
from archivist.machine.memory_places import MemoryPlaces

PROJECT = "/home/demo/code/my app"


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Notes\n")
    return path.resolve()


def test_files_of_projects_and_those_for_everywhere(tmp_path: Path) -> None:
    here = tmp_path / "code" / "my app"
    expected = {
        made(here / "MEMORY.md"): PROJECT,
        made(here / ".claude" / "skills" / "deploy" / "SKILL.md"): PROJECT,
        made(here / ".agents" / "skills" / "deploy" / "SKILL.md"): PROJECT,
        made(tmp_path / ".claude/projects/-home-demo-code-my-app/memory/MEMORY.md"): PROJECT,
        made(tmp_path / ".claude" / "skills" / "write" / "SKILL.md"): "",
        made(tmp_path / ".codex" / "skills" / "write" / "SKILL.md"): "",
    }
    made(here / "notes" / "MEMORY.md")
    made(tmp_path / ".claude/projects/-home-demo-code-other/memory/MEMORY.md")
    found = MemoryPlaces(HomeFolder(tmp_path)).found([PROJECT])
    assert found == sorted(
        (FoundFile(str(path), project) for path, project in expected.items()),
        key=lambda file: file.path,
    )


def test_a_project_that_is_gone_and_folders_that_moved(tmp_path: Path) -> None:
    moved = made(tmp_path / "elsewhere" / "skills" / "write" / "SKILL.md")
    made(tmp_path / ".claude" / "skills" / "write" / "SKILL.md")
    home = HomeFolder(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert MemoryPlaces(home).found(["/home/gone/code"]) == [FoundFile(str(moved), "")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other links")
def test_links_are_not_offered(tmp_path: Path) -> None:
    place = tmp_path / "code"
    place.mkdir()
    (place / "MEMORY.md").symlink_to(made(tmp_path / "real.md"))
    assert MemoryPlaces(HomeFolder(tmp_path)).found([str(place)]) == []
