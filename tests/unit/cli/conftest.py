"""The command line on an empty home, for the tests of its commands."""

import os
from pathlib import Path

import pytest

from helpers.console import Console


@pytest.fixture
def console(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Console:
    """A command line on an empty home."""
    for name in [name for name in os.environ if name.startswith("ARCHIVIST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "home").mkdir()
    return Console(capsys, tmp_path)
