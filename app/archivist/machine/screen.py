"""Whether windows can be shown here: Qt is installed, and a screen that answers.

Asked without loading Qt, which ends the process by a signal where the screen does not answer.
"""

import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from archivist.domain.problems import Problem, Refused
from archivist.texts import tr

_SECONDS: Final = 1.0
_X11_PORT: Final = 6000
_DISPLAY: Final = re.compile(r"(?P<host>.*):(?P<number>\d+)(\.\d+)?")
_LIBRARY: Final = re.compile(r"\b(lib[\w+.-]+?\.so(?:\.\d+)*): ")
_DEBIAN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "libEGL.so.1": "libegl1",
        "libGL.so.1": "libgl1",
        "libxkbcommon.so.0": "libxkbcommon0",
        "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
        "libdbus-1.so.3": "libdbus-1-3",
        "libfontconfig.so.1": "libfontconfig1",
        "libglib-2.0.so.0": "libglib2.0-0",
        "libxcb-cursor.so.0": "libxcb-cursor0",
    }
)


def can_show_windows() -> bool:
    """Whether windows can be shown here."""
    return why_no_windows() is None


def why_no_windows() -> Problem | None:
    """Return what is in the way of windows, None when nothing is."""
    if sys.platform.startswith("linux") and (problem := _no_screen(os.environ)) is not None:
        return problem
    missing = [name for name in ("PySide6", "qasync") if not _is_installed(name)]
    if missing:
        return Refused(
            tr("Windows need {names}, which is not installed.", names=", ".join(missing)),
            advice=tr("Install it: pip install 'archivist[gui]', or use `archivist run --no-gui`."),
            key="no-qt",
        )
    return None


def not_loading(error: ImportError) -> Problem:
    """Return the Problem for a Qt that is installed but cannot be loaded."""
    library = _LIBRARY.search(str(error))
    if library is None:
        return Problem(
            tr("PySide6 is installed but does not load ({why}).", why=error),
            advice=tr(
                "Install it anew: pip install --force-reinstall 'archivist[gui]', "
                "or use `archivist run --no-gui`."
            ),
            key="qt-broken",
        )
    name = library.group(1)
    return Problem(
        tr("Windows need the library {name}, which is not there.", name=name),
        advice=tr(
            "Install it (on Debian and Ubuntu: apt install {package}), "
            "or use `archivist run --no-gui`.",
            package=_DEBIAN.get(name, name.partition(".so")[0].lower()),
        ),
        key="qt-broken",
    )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # somebody stands in its way
        return False


def _no_screen(environment: Mapping[str, str]) -> Problem | None:
    """Return what is in the way on a Unix desktop; any one screen that answers will do."""
    screens = list(_screens(environment))
    if not screens:
        return Refused(
            tr("There is no screen to show windows on."),
            advice=tr("Use `archivist run --no-gui`, or start it in a desktop session."),
            key="no-screen",
        )
    if any(_answers(kind, name, environment) for kind, name in screens):
        return None
    return Problem(
        tr("The screen {names} does not answer.", names=" ".join(name for _, name in screens)),
        advice=tr("Set DISPLAY or WAYLAND_DISPLAY anew, or use `archivist run --no-gui`."),
        key="screen-silent",
    )


def _screens(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names of the screens that Qt would try."""
    chosen = [name.partition(":")[0] for name in environment.get("QT_QPA_PLATFORM", "").split(";")]
    wanted = [name for name in chosen if name]
    x11, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    for name in wanted or ["xcb", "wayland"]:
        if name == "xcb":
            if x11:
                yield "x11", x11
        elif name.startswith("wayland"):
            if wayland:
                yield "wayland", wayland
        else:
            yield "none", name  # offscreen and its like need no screen


def _answers(kind: str, name: str, environment: Mapping[str, str]) -> bool:
    if kind == "x11":
        return _x11_answers(name)
    if kind == "wayland":
        folder = Path(environment.get("XDG_RUNTIME_DIR", ""))
        return _connects(str(folder / name))  # an absolute name stands for itself
    return True


def _x11_answers(display: str) -> bool:
    parts = _DISPLAY.fullmatch(display)
    if parts is None:
        return False
    host, number = parts["host"], int(parts["number"])
    if host.startswith("/"):
        return _connects(display) or _connects(host)
    if host.partition("/")[2] == "unix" or host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where every X server listens
        return _connects(f"\0{path}") or _connects(path)
    return _reaches(host.rpartition("/")[2], _X11_PORT + number)


def _connects(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_SECONDS)
        try:
            client.connect(path)
        except (OSError, ValueError):
            return False
        _keep(client)
        return True


def _reaches(host: str, port: int) -> bool:
    try:
        _keep(socket.create_connection((host, port), timeout=_SECONDS))
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _keep(client: socket.socket) -> None:
    """Stay connected until the process ends, or the screen hangs up on one who says nothing.

    An X server that was started alone begins anew when its last client leaves, and refuses who
    comes meanwhile: that would be Qt.
    """
    client.detach()
