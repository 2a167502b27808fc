"""Every path that the program uses of its own, from one data folder."""

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

_OWNER_ONLY = 0o700


@dataclass(frozen=True, slots=True)
class Paths:
    """The data folder of one profile. `docs/data-folder.md` lists what lies in it."""

    data: Path

    @property
    def database(self) -> Path:
        """The archive itself."""
        return self.data / "archive.db"

    @property
    def backups(self) -> Path:
        """Copies of the database made before a migration."""
        return self.data / "backups"

    @property
    def settings(self) -> Path:
        """The settings file, TOML."""
        return self.data / "settings.toml"

    @property
    def log(self) -> Path:
        """The log of the background loop; never holds conversation text."""
        return self.data / "archivist.log"

    @property
    def lock(self) -> Path:
        """Held by the one running app of this profile."""
        return self.data / "app.lock"

    @property
    def socket(self) -> Path:
        """Where the running app listens for the second start and for the command line."""
        return self.data / "app.sock"


def user_paths() -> Paths:
    """Return the paths of this user's profile: local, never roaming."""
    return Paths(user_data_path("archivist", appauthor=False, roaming=False))


def ensure(paths: Paths) -> None:
    """Make the data folder, readable by its owner alone."""
    paths.data.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    if os.name == "posix":
        paths.data.chmod(_OWNER_ONLY)
