"""The bundle, built and started as on a machine without Python: no variable, no path, no venv."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from archivist import __version__
from helpers import session
from helpers.program import DEMO_HOME
from helpers.shared import ROOT

pytest.importorskip("PyInstaller", reason="the bundle is made by PyInstaller")
pytest.importorskip("PySide6.QtDBus", reason="the bundle has windows", exc_type=ImportError)

from helpers.tray_host import panel, until

pytestmark = pytest.mark.slow

BUDGET = 230_000_000
"""Bytes, without the weights of the text model (98 MB); 216 MB when this was written."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executable of a fresh bundle."""
    folder = tmp_path_factory.mktemp("bundle")
    places = ["--distpath", str(folder / "dist"), "--workpath", str(folder / "build")]
    built = subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", *places, str(ROOT / "build.spec")],
        env=os.environ | {"PYINSTALLER_CONFIG_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert built.returncode == 0, built.stderr[-3000:]
    name = "archivist.exe" if sys.platform == "win32" else "archivist"
    return folder / "dist" / "archivist" / name


def run(program: Path, *arguments: str, home: Path) -> str:
    """Run it with nothing in its environment but a home folder."""
    done = subprocess.run(
        [program, *arguments],
        env=bare(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare(home: Path) -> dict[str, str]:
    needed = {"SYSTEMROOT": os.environ["SYSTEMROOT"]} if sys.platform == "win32" else {}
    return {"HOME": str(home), "USERPROFILE": str(home), **needed}


def test_it_says_its_version(program: Path, tmp_path: Path) -> None:
    assert run(program, "--version", home=tmp_path) == f"archivist {__version__}\n"


def test_it_opens_an_empty_profile(program: Path, tmp_path: Path) -> None:
    profile = str(tmp_path / "profile")
    state = json.loads(run(program, "--profile-dir", profile, "status", "--json", home=tmp_path))
    assert (state["turns"], state["sources"]) == (0, {})


def test_its_worker_runs_both_models(program: Path, tmp_path: Path) -> None:
    text, vectors = run(program, "--worker", "--selftest", home=tmp_path).splitlines()
    assert text.startswith("text: SmolLM2-135M-Instruct works (")
    assert vectors.startswith("vectors: use-multilingual-v3 works (")


def test_it_does_the_whole_job(program: Path, tmp_path: Path) -> None:
    """Rules, cues, prompts, scripts of the database: all that is read from files is there."""
    figures = json.loads(run(program, "demo", "--json", home=tmp_path))
    assert figures["lessons"] > 0
    assert figures["sample"]["maker"] == "SmolLM2-135M-Instruct"
    assert figures["undone"] is True


def test_it_keeps_to_its_size(program: Path) -> None:
    files = [path for path in program.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    sizes = {path: path.stat().st_size for path in files if path.suffix != ".gguf"}
    largest = sorted(sizes, key=lambda path: sizes[path])[-8:]
    assert sum(sizes.values()) < BUDGET, [(path.name, sizes[path]) for path in largest]


def test_nothing_of_gtk_and_nothing_of_a_test_is_in_it(program: Path) -> None:
    names = {path.name for path in program.parent.rglob("*")}
    found = {name for name in names if "gtk" in name.lower() or "pytest" in name.lower()}
    assert not found
    assert "tkinter" not in names


@pytest.mark.gui
@pytest.mark.tray
def test_its_window_opens_and_its_workers_open_none(program: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(DEMO_HOME, home)
    folders = ["--profile-dir", str(tmp_path / "profile"), "--home", str(home)]
    with session.desktop(), panel() as tray, started([str(program), *folders], tmp_path) as app:
        until(session.windows, seconds=30)
        until(lambda: workers(program), seconds=120)
        assert instances(program) - workers(program) == {app.pid}
        assert list(session.windows()) == ["Segments"]
        assert len([event for event in tray.events if "item" in event]) == 1
        app.send_signal(signal.SIGTERM)
        assert app.wait(timeout=5) == 0
    assert instances(program) == set()


DISPLAY = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS")


@contextmanager
def started(command: list[str], folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program on this display; whatever happens, it is gone afterwards."""
    shown = {name: os.environ[name] for name in DISPLAY}
    app = subprocess.Popen(command, env=bare(folder) | shown, stdin=subprocess.DEVNULL)
    try:
        yield app
    finally:
        app.kill()
        app.wait()


def instances(program: Path) -> set[int]:
    """The processes that run this program."""
    found = psutil.process_iter(["exe"])
    return {process.pid for process in found if process.info["exe"] == str(program)}


def workers(program: Path) -> set[int]:
    """Those of them that run a model."""
    found = psutil.process_iter(["exe", "cmdline"])
    return {
        process.pid
        for process in found
        if process.info["exe"] == str(program) and "--worker" in process.info["cmdline"]
    }
