"""Pictures of every window: `dev.py shots [--out DIR] [--only NAME] [--readme]`.

Each window is shown filled and empty, in light and dark, at 100 and 200 percent, offscreen and on a
throw-away profile of the demo home. `--readme` makes the pictures of README.md instead.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

import numpy as np  # noqa: E402
from PySide6.QtCore import QSize, Qt, QtMsgType, qInstallMessageHandler  # noqa: E402
from PySide6.QtGui import QImage  # noqa: E402

from helpers import audit, gallery, windows  # noqa: E402

SCALES: Final = ("1", "2")
README: Final = {
    f"{room}-filled-light": f"{room}.png" for room in ("segments", "lessons", "memory")
}
README_COLOURS: Final = 128
README_SIZE: Final = QSize(1000, 640)
LEAST: Final = QSize(1, 1)
"""As small as a window lets itself be made."""
_LIMIT: Final = 120.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pictures and print their paths."""
    options = _parser().parse_args(arguments)
    if options.profiles is not None:
        return _one_scale(options)
    out = TESTS.parent / "docs" / "pictures" if options.readme else options.out
    out.mkdir(parents=True, exist_ok=True)
    with _folder() as folder:
        gallery.make_profiles(folder)
        for scale in SCALES[1:] if options.readme else SCALES:
            words = ["--scale", scale, "--out", str(out), "--only", options.only]
            words += ["--readme"] * options.readme
            if status := gallery.at_scale(scale, folder, words).returncode:
                return status
    return 0


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield an empty folder whose path reads well in a picture, where that is to be had."""
    wanted = Path(tempfile.gettempdir()) / "demo"
    try:
        wanted.mkdir()
    except FileExistsError:
        with tempfile.TemporaryDirectory(prefix="demo-") as folder:
            yield Path(folder)
        return
    try:
        yield wanted
    finally:
        shutil.rmtree(wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py shots", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", type=Path, default=TESTS.parent / "build" / "shots", metavar="DIR")
    parser.add_argument("--only", default="", metavar="NAME", help="only names with this in them")
    parser.add_argument("--readme", action="store_true", help="the pictures of README.md")
    parser.add_argument(
        "--audit", action="store_true", help="print what is wrong, make no pictures"
    )
    # Given by the first process to the one of each scale.
    parser.add_argument("--profiles", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--scale", default="1", help=argparse.SUPPRESS)
    parser.add_argument("--least", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--font", type=float, default=1.0, help=argparse.SUPPRESS)
    return parser


def _one_scale(options: argparse.Namespace) -> int:
    said: list[str] = []
    qInstallMessageHandler(lambda kind, _, text: _say(kind, text, said))
    app = windows.application()
    app.setStyle("Fusion")
    font = app.font()
    font.setPointSizeF(font.pointSizeF() * options.font)
    app.setFont(font)
    faults: dict[str, list[str]] = {}

    def wanted(name: str) -> bool:
        return name in README if options.readme else options.only in name

    async def story() -> None:
        size = README_SIZE if options.readme else LEAST if options.least else None
        async for shown in gallery.every_window(app, options.profiles, wanted, size=size):
            if options.audit:
                here = audit.clipped(shown.window) + audit.nameless(shown.window)
                faults[shown.name] = here + said
                said.clear()
                continue
            name = README[shown.name] if options.readme else f"{shown.name}-{options.scale}x.png"
            _save(shown.window.grab().toImage(), options.out / name, small=options.readme)

    windows.run(app, story(), limit=_LIMIT)
    if options.audit:
        print(json.dumps(faults))
    return 0


def _say(kind: QtMsgType, text: str, said: list[str]) -> None:
    """Keep and print what Qt complains of, but not what the offscreen platform cannot do."""
    if not text.startswith("This plugin does not support"):
        said.append(f"{kind.name}: {text}")
        print(said[-1], file=sys.stderr)


def _save(image: QImage, path: Path, *, small: bool = False) -> None:
    """Write a picture; a small one keeps the colours that it has most of."""
    if small:
        image = _simple(image)
    image.save(str(path), "PNG", 0)  # type: ignore[call-overload]  # the stub wants bytes
    size = path.stat().st_size
    print(f"{path}  {image.width()}×{image.height()}  {size // 1000} kB", flush=True)


def _simple(image: QImage) -> QImage:
    """Return it with 128 colours; each other colour becomes the nearest of them."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    most = [int(colour) for colour in colours[np.argsort(-counts)[:README_COLOURS]]]
    flags = Qt.ImageConversionFlag.AvoidDither | Qt.ImageConversionFlag.ThresholdDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, most, flags)


if __name__ == "__main__":
    sys.exit(main())
