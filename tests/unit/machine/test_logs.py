import logging
from pathlib import Path

import pytest

from archivist.machine.logs import logging_to


@pytest.mark.allow_logs
def test_a_traceback_is_written_without_the_text_of_the_fault(tmp_path: Path) -> None:
    log = logging.getLogger("archivist.somewhere")
    with logging_to(tmp_path / "a.log"):
        log.info("turns=%d", 3)
        try:
            raise ValueError("what the person said")
        except ValueError:
            log.exception("bug task=%s", "reader")
    log.error("after")
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    assert "turns=3" in text
    assert "ValueError" in text
    assert "test_logs.py" in text
    assert "what the person said" not in text.replace(
        'raise ValueError("what the person said")', ""
    )
    assert "after" not in text
