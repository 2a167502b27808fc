"""Whether windows can be shown here: Qt is installed, and there is a screen to show them on."""

import os
import sys
from importlib.util import find_spec

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def can_show_windows() -> bool:
    """Tell so without loading Qt, which would end the program where there is no screen."""
    has_screen = not sys.platform.startswith("linux") or any(map(os.environ.get, _SCREENS))
    return has_screen and all(find_spec(name) is not None for name in ("PySide6", "qasync"))
