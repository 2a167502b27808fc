"""A desktop session of the test's own: a session bus, a screen that nobody sees, its windows."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

_BUS: Final = ("dbus-daemon", "--session", "--nofork", "--print-address=1")
_SCREEN: Final = (
    "Xvfb",
    "-displayfd",
    "1",
    "-screen",
    "0",
    "1280x1024x24",
    "-nolisten",
    "tcp",
    "-noreset",
)
_DOCKED: Final = re.compile(r'"archivist": \([^)]*\) +(\d+)x(\d+)\+0\+0 +\+(\d+)\+(\d+)')
_WINDOW: Final = re.compile(r'^\s*(0x[0-9a-f]+) "(.*) – Archivist"', re.MULTILINE)


def need(*tools: str) -> None:
    """Skip the test where a program is not installed."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing or not sys.platform.startswith("linux"):
        pytest.skip(f"needs Linux with {', '.join(missing) or 'a session bus'}")


@contextmanager
def bus() -> Iterator[str]:
    """Run a session bus; gives its address."""
    need("dbus-daemon")
    with _talking(_BUS) as address:
        yield address


@contextmanager
def screen() -> Iterator[str]:
    """Run an X server without a screen; gives its display."""
    need("Xvfb", "xwininfo")
    with _talking(_SCREEN) as number:
        yield f":{number}"


@contextmanager
def desktop() -> Iterator[None]:
    """Let this process's children see a screen and a bus of their own, and nothing else."""
    with pytest.MonkeyPatch.context() as patch, screen() as display, bus() as address:
        for name in ("WAYLAND_DISPLAY", "XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"):
            patch.delenv(name, raising=False)
        patch.setenv("DISPLAY", display)
        patch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        patch.setenv("QT_QPA_PLATFORM", "xcb")
        patch.setenv("XDG_CURRENT_DESKTOP", "test")
        patch.setenv("QT_ACCESSIBILITY", "0")
        yield


def windows() -> dict[str, str]:
    """Return our visible windows: their X numbers by their titles, whose end is left out."""
    tree = _xwininfo("-root", "-tree")
    found = {title: number for number, title in _WINDOW.findall(tree)}
    return {
        title: number
        for title, number in found.items()
        if "IsViewable" in _xwininfo("-id", number, "-stats")
    }


def exists(title: str) -> bool:
    """Whether a window of somebody else's program is there, by its whole title."""
    return "Width:" in _xwininfo("-name", title, "-stats")


def dialog(title: str) -> bool:
    """Whether a dialog of that title is visible."""
    return "IsViewable" in _xwininfo("-name", title, "-stats")


def docked() -> tuple[int, int] | None:
    """Return the middle of our icon once a real tray has taken it in, None before that."""
    for width, height, left, top in _DOCKED.findall(_xwininfo("-root", "-tree")):
        if int(top):
            return int(left) + int(width) // 2, int(top) + int(height) // 2
    return None


def _xwininfo(*arguments: str) -> str:
    done = subprocess.run(
        ["xwininfo", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=20,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )
    return done.stdout


@contextmanager
def _talking(command: tuple[str, ...]) -> Iterator[str]:
    """Run a program that prints one line when it is ready."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline().decode().strip()
            assert line, f"{command[0]} did not start"
            yield line
        finally:
            process.kill()
