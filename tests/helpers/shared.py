"""Real inputs beside the checkout, `../shared`: for measuring, never copied, may be missing."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def shared_folder(root: Path = ROOT) -> Path | None:
    """Return `shared` beside the checkout, or None where there is none."""
    found = root.parent / "shared"
    return found if (found / "data").is_dir() else None


def why_missing(part: str = "") -> str:
    """Return the line that a skipped test or a benchmark without data shows."""
    wanted = f"../shared/{part}".rstrip("/")
    return f"{wanted} is not beside this checkout; the test needs its real inputs"
