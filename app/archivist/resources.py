"""Find the files that ship with the program: in the wheel, in a frozen build, or in a checkout."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _root() -> Path:
    """Return the folder: inside the package when installed, beside `app/` in a checkout."""
    installed = _PACKAGE / "resources"
    return installed if installed.is_dir() else _PACKAGE.parent.parent / "resources"


def path(name: str) -> Path:
    """Return the path of a resource such as `cues/en.toml`. Raises ValueError when it leaves."""
    root = _root()
    found = (root / name).resolve()
    if not found.is_relative_to(root.resolve()):
        msg = f"a resource name must stay in the resources folder: {name!r}"
        raise ValueError(msg)
    return found


def text(name: str) -> str:
    """Return the text of a resource (UTF-8)."""
    return path(name).read_text(encoding="utf-8")


def names(folder: str, suffix: str) -> list[str]:
    """Return the names of the resources of a folder with that suffix, sorted."""
    return sorted(f"{folder}/{entry.name}" for entry in path(folder).glob(f"*{suffix}"))
