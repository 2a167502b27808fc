"""What a test run needs around it where nobody sits in front: display, session bus, a tray."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

_TOOLS = {
    "gdbus": "the menu over D-Bus; package libglib2.0-bin",
    "trayer": "a real tray; package trayer",
    "xdotool": "real clicks; package xdotool",
    "xwininfo": "the tree of windows; package x11-utils",
}


@dataclass(frozen=True, slots=True)
class Desktop:
    """Programs to run the tests under, marks to leave out, and sentences about those."""

    prefix: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def desktop(system: str, environ: Mapping[str, str], which: Callable[[str], str | None]) -> Desktop:
    """Return what is missing here and how to make up for it. Only Linux can lack a display."""
    if not system.startswith("linux"):
        return Desktop()
    prefix: list[str] = []
    without: list[str] = []
    remarks: list[str] = []
    if not environ.get("DBUS_SESSION_BUS_ADDRESS"):
        if found := which("dbus-run-session"):
            prefix += [found, "--"]
        else:
            without.append("tray")
            remarks.append("skipped: tests of the tray; they need dbus-run-session (package dbus)")
    if not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")):
        if (found := which("xvfb-run")) and which("xauth"):
            prefix += [found, "-a", "-s", "-screen 0 1600x1200x24"]
        else:
            without.append("gui")
            remarks.append("skipped: tests of windows; they need xvfb-run (packages xvfb, xauth)")
    # A test that needs one of these is skipped by itself and says so; the others go on.
    if not without:
        for tool, what in _TOOLS.items():
            if not which(tool):
                remarks.append(f"some tests of the tray are skipped: {tool} is missing ({what})")
    return Desktop(tuple(prefix), tuple(without), tuple(remarks))
