"""The guard stands before everything else: with a library that loses references nothing starts."""

import sys
from pathlib import Path
from typing import Any

import PySide6
import pytest

from archivist.domain.problems import Refused
from archivist.gui import shell
from archivist.machine.single import Instance

pytestmark = pytest.mark.gui


def test_a_start_with_the_bad_pair_ends_with_a_sentence_before_it_touches_the_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened() -> Any:  # noqa: ANN401 - never called
        raise AssertionError("the archive is not to be opened")

    monkeypatch.setattr(PySide6, "__version__", "6.12.0")
    monkeypatch.setattr(shell, "_IMMORTAL", (99, 0))  # whatever Python runs the tests
    instance = Instance(lock=tmp_path / "app.lock", socket=tmp_path / "app.sock")
    with pytest.raises(Refused, match=r"6\.12\.0"):
        shell.run(shell.Start(opened=opened, instance=instance, data=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_pair_of_this_environment_is_taken() -> None:
    """Else no window would open here, and the pin in pyproject.toml would be wrong."""
    shell.refuse_pair(PySide6.__version__, sys.version_info[:2])
