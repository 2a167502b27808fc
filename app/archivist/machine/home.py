"""The home folder to look in, and where paths recorded under another home are found here."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_FOREIGN = re.compile(r"^(?:/home/[^/]+|/Users/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)")


@dataclass(frozen=True, slots=True)
class HomeFolder:
    """A home folder. One given by the person hides the environment."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def variable(self, name: str) -> str | None:
        """Return an environment variable of the sources, None when unset or hidden."""
        return self.environment.get(name) or None

    def here(self, recorded: str) -> Path | None:
        """Return the place of a recorded path on this machine, None when it is not there."""
        direct = Path(recorded)
        if direct.is_absolute() and direct.exists():
            return direct
        tail = _FOREIGN.sub("", recorded, count=1)
        if tail == recorded:
            return None
        moved = self.folder.joinpath(*re.split(r"[\\/]+", tail.strip("\\/")))
        return moved if moved.exists() else None


def this_home() -> HomeFolder:
    """Return this user's home with the environment of this process."""
    return HomeFolder(Path.home(), dict(os.environ))


class GitProjects:
    """Names the project of a working folder: the git work tree that holds it."""

    def __init__(self, home: HomeFolder) -> None:
        self._find = lru_cache(maxsize=4_096)(lambda cwd: _root(home, cwd))

    def project_of(self, cwd: str) -> str:
        """Return the root of the git work tree that holds `cwd`, or `cwd` itself, as recorded."""
        return self._find(cwd)


def _root(home: HomeFolder, cwd: str) -> str:
    """Climb from the place on this machine; take as many steps off the recorded path."""
    place = home.here(cwd)
    trimmed = cwd.rstrip("\\/") or cwd
    if place is None:
        return trimmed
    recorded = trimmed
    for folder in (place, *place.parents):
        if folder == home.folder:
            break  # a home folder kept in git is no project
        if (folder / ".git").exists():
            return recorded
        shorter = re.sub(r"[\\/]+[^\\/]+$", "", recorded)
        if shorter in ("", recorded):
            break
        recorded = shorter
    return trimmed
