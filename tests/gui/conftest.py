"""Windows in the test's own process, on Qt's offscreen platform and a real profile."""

import gc
import os
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
pytest.importorskip("PySide6.QtWidgets", reason="windows need Qt's libraries", exc_type=ImportError)

from PySide6.QtCore import QCoreApplication, QEvent

from archivist.gui.application import Application
from helpers import gallery, windows
from helpers.memory_window import FILE as MEMORY_FILE


@pytest.fixture(scope="session")
def qapp() -> Application:
    """The one application object of the process, made as the program makes it."""
    return windows.application()


@pytest.fixture(autouse=True)
def _no_leftovers(qapp: Application) -> Iterator[None]:
    """Windows that outlive a test crash the interpreter at its end, or disturb the next test."""
    yield
    for widget in qapp.topLevelWidgets():
        widget.close()
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


@pytest.fixture
def qrun(qapp: Application) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Run a coroutine on a fresh loop over Qt, as the program does."""
    return lambda story: windows.run(qapp, story)


@pytest.fixture(scope="session")
def demo_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a demo home and its archived profile; tests take copies of it."""
    return windows.archived_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two profiles of all pictures, to be looked at only: tests share them."""
    folder = tmp_path_factory.mktemp("gallery")
    gallery.make_profiles(folder)
    return folder


@pytest.fixture
def demo_profile(demo_archive: Path, tmp_path: Path) -> windows.Profile:
    """A profile of the test's own with the archived demo home."""
    return windows.copied(demo_archive, tmp_path / "demo")


@pytest.fixture
def target(empty_profile: windows.Profile) -> Path:
    """A memory file in the home of an empty profile."""
    place = empty_profile.home.resolve() / "MEMORY.md"
    place.write_bytes(MEMORY_FILE)
    return place


@pytest.fixture
def empty_profile(tmp_path: Path) -> windows.Profile:
    """A profile and a home with nothing in them."""
    (tmp_path / "home").mkdir()
    return windows.Profile(tmp_path / "profile", tmp_path / "home")
