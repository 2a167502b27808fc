"""Where memory files usually stand: in the folders of projects and in those of the assistants."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from archivist.domain.proposals import FoundFile
from archivist.machine.home import HomeFolder

_NOT_IN_A_SLUG = re.compile(r"[^A-Za-z0-9]")


class MemoryPlaces:
    """Looks below a home folder and at the places of recorded projects."""

    def __init__(self, home: HomeFolder) -> None:
        self._home = home

    def found(self, projects: Sequence[str]) -> list[FoundFile]:
        """Return the memory files of the projects and those for everywhere, each once, by path."""
        by_path: dict[str, FoundFile] = {}
        for path, project in self._all(projects):
            if path.is_file() and not path.is_symlink():
                place = str(path.parent.resolve() / path.name)
                by_path.setdefault(place, FoundFile(place, project))
        return [by_path[path] for path in sorted(by_path)]

    def _all(self, projects: Sequence[str]) -> Iterator[tuple[Path, str]]:
        for project in projects:
            yield from ((path, project) for path in self._of_project(project))
        for folder in (*self._claude(), self._codex(), self._home.folder / ".agents"):
            yield from ((path, "") for path in _skills(folder))

    def _of_project(self, project: str) -> Iterator[Path]:
        place = self._home.here(project)
        if place is not None:
            yield place / "MEMORY.md"
            yield from _skills(place / ".claude")
            yield from _skills(place / ".agents")
        # Claude Code names a project's folder after its path.
        slug = _NOT_IN_A_SLUG.sub("-", project)
        for folder in self._claude():
            yield folder / "projects" / slug / "memory" / "MEMORY.md"

    def _claude(self) -> list[Path]:
        moved = self._home.variable("CLAUDE_CONFIG_DIR")
        usual = [self._home.folder / ".claude", self._home.folder / ".config" / "claude"]
        return [Path(moved)] if moved else usual

    def _codex(self) -> Path:
        return Path(self._home.variable("CODEX_HOME") or self._home.folder / ".codex")


def _skills(folder: Path) -> Iterator[Path]:
    yield from folder.glob("skills/*/SKILL.md")
