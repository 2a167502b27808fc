import logging
from pathlib import Path

import pytest

from archivist.machine.logs import _Patient, logging_to


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


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@needs_full
@pytest.mark.allow_logs
def test_a_full_disk_costs_lines_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, log = tmp_path / "a.log", logging.getLogger("archivist.somewhere")
    path.symlink_to("/dev/full")
    with logging_to(path) as fault:
        assert fault is None
        for number in range(3):
            log.warning("n=%d", number)
        path.unlink()  # there is room again
        log.warning("n=%d", 3)
        path.unlink()
        path.symlink_to("/dev/full")
    assert capsys.readouterr().err == ""


@needs_full
@pytest.mark.allow_logs
def test_once_there_is_room_it_says_how_much_is_missing(tmp_path: Path) -> None:
    path, log = tmp_path / "a.log", logging.getLogger("archivist.somewhere")
    path.symlink_to("/dev/full")
    with logging_to(path):
        for number in range(3):
            log.warning("n=%d", number)
        path.unlink()
        log.warning("n=%d", 3)
        log.warning("n=%d", 4)
    told = [line.split(" ", 4)[4] for line in path.read_text(encoding="utf-8").splitlines()]
    assert told == ["lines left out n=3", "n=3", "n=4"]


@pytest.mark.allow_logs
def test_without_a_place_there_is_no_log_and_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").mkdir()
    with logging_to(tmp_path / "a.log") as fault:
        logging.getLogger("archivist.somewhere").error("nowhere")
    assert fault is not None
    assert "a.log cannot be written" in fault.message
    assert capsys.readouterr().err == ""


def test_a_mistake_of_our_own_in_a_line_is_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = _Patient(tmp_path / "a.log")
    handler.emit(logging.LogRecord("a", logging.ERROR, "", 0, "n=%d", ("word",), None))
    handler.close()
    assert "Logging error" in capsys.readouterr().err
