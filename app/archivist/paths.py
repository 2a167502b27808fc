"""Every path that the program uses of its own, from one data folder."""

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from archivist.domain.problems import Problem
from archivist.texts import tr

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
    """Make the data folder, readable by its owner alone. Raises Problem when that cannot be."""
    try:
        is_new = not paths.data.exists()
        paths.data.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        is_ours = is_new or paths.database.exists() or not any(paths.data.iterdir())
        if os.name == "posix" and is_ours:  # the rights of somebody's own folder stay as they are
            paths.data.chmod(_OWNER_ONLY)
    except (FileExistsError, NotADirectoryError) as error:
        raise Problem(
            tr("{path} cannot be a data folder: a file is in the way.", path=paths.data),
            advice=tr("Move that file away, or choose another folder: --profile-dir."),
            key="data-folder",
        ) from error
    except OSError as error:
        raise Problem(
            tr("The data folder {path} cannot be made or made private ({why}).",
               path=paths.data, why=error.strerror),
            advice=tr("Check who owns it and its parent, or choose another: --profile-dir."),
            key="data-folder",
        ) from error  # fmt: skip
