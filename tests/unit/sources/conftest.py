"""A shelf of transcripts for the tests of the readers."""

from pathlib import Path

import pytest

from unit.sources.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)
