"""Whether windows can be shown here is found out without Qt, which dies where no screen answers."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from archivist.machine import screen

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="screens of Linux")

DEAD = ":7077"


@pytest.fixture
def wayland(tmp_path: Path) -> Iterator[Path]:
    """The folder of a Wayland screen that answers, wayland-7."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        yield tmp_path


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def key() -> str:
    problem = screen.why_no_windows()
    return "" if problem is None else problem.key


def test_without_a_screen_it_says_so() -> None:
    assert key() == "no-screen"
    assert not screen.can_show_windows()


@pytest.mark.parametrize("display", [DEAD, "unix:7077", "localhost:7077", "nonsense", "/no/such:0"])
def test_a_screen_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, display: str
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    problem = screen.why_no_windows()
    assert problem is not None
    assert problem.message == f"The screen {display} does not answer."
    assert "archivist run --no-gui" in problem.advice


def test_a_screen_on_another_machine_is_reached_by_its_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("localhost", 0)) as server:
        number = server.getsockname()[1] - 6000
        monkeypatch.setenv("DISPLAY", f"localhost:{number}.0")
        assert key() == ""


def test_a_dead_screen_is_no_obstacle_where_another_answers(
    monkeypatch: pytest.MonkeyPatch, wayland: Path
) -> None:
    monkeypatch.setenv("DISPLAY", DEAD)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-7")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(wayland))
    assert key() == ""
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")  # Qt would not look at the other one
    assert key() == "screen-silent"


def test_a_platform_without_a_screen_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen:size=1x1")
    assert key() == ""


def test_without_qt_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setitem(sys.modules, "PySide6", None)
    problem = screen.why_no_windows()
    assert problem is not None
    assert "PySide6" in problem.message
    assert "pip install 'archivist[gui]'" in problem.advice


@pytest.mark.parametrize(
    "text, named, advice",
    [
        ("libEGL.so.1: cannot open shared object file: No such file", "libEGL.so.1", "libegl1"),
        ("/x/y.so: libother-2.so.7: cannot open", "libother-2.so.7", "libother-2"),
        ("DLL load failed", "DLL load failed", "--force-reinstall"),
    ],
)
def test_a_qt_that_does_not_load_is_told_with_what_is_missing(
    text: str, named: str, advice: str
) -> None:
    problem = screen.not_loading(ImportError(text))
    assert named in problem.message
    assert advice in problem.advice
    assert "archivist run --no-gui" in problem.advice


def test_it_stays_connected_for_an_x_server_ends_with_its_last_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("localhost", 0)) as server:
        monkeypatch.setenv("DISPLAY", f"localhost:{server.getsockname()[1] - 6000}")
        assert key() == ""
        with server.accept()[0] as client:
            client.settimeout(0.1)
            with pytest.raises(TimeoutError):
                client.recv(1)
