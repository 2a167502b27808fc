"""A tray whose host ends while the program runs: nobody is left without a way to it."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import session
from helpers.program import Program
from helpers.tray_host import panel, until

pytestmark = [pytest.mark.gui, pytest.mark.tray, pytest.mark.long]


@pytest.fixture(autouse=True)
def _desktop() -> Iterator[None]:
    session.need("xdotool")
    with session.desktop():
        yield


def test_the_last_window_closed_after_the_tray_died_asks_whether_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    program = Program(tmp_path / "profile", tmp_path / "home")
    with panel() as desktop:
        child = program.start("open", "problems")
        try:
            desktop.item(seconds=60)
            number = until(lambda: session.windows().get("Problems"), seconds=60)
        except BaseException:
            child.kill()
            raise
    try:
        keys = ["xdotool", "windowfocus", "--sync", str(number), "key", "ctrl+w"]
        subprocess.run(keys, check=True, timeout=20)
        until(lambda: session.dialog("Quit"))
        assert session.windows() == {}
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=20) == 0
    finally:
        child.kill()
        child.communicate()
