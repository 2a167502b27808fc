"""What the bundle carries and what stays out of it. build.spec and the hooks ask here."""

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

Entry = tuple[str, str, str]
"""A file of the bundle as PyInstaller has it: its place there, where it comes from, its kind."""

MODULES_LEFT_OUT = (
    *("tkinter", "test", "unittest", "pydoc", "doctest", "lib2to3", "ensurepip", "idlelib"),
    *("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils"),
    *("pytest", "_pytest", "hypothesis", "coverage", "mypy", "gguf", "yaml", "rich", "requests"),
    *("numpy.f2py", "numpy.testing", "numpy.distutils"),
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtSql", "PySide6.QtNetwork", "PySide6.QtTest"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtPrintSupport", "PySide6.QtXml"),
)

_PLUGINS_LEFT_OUT = (
    *("designer", "egldeviceintegrations", "generic", "networkinformation", "printsupport"),
    *("qmllint", "qmltooling", "sqldrivers", "tls", "vectorimageformats", "xcbglintegrations"),
    *("wayland-graphics-integration-client", "wayland-graphics-integration-server"),
)
_LEFT_OUT = (
    *(f"*/plugins/{folder}/*" for folder in _PLUGINS_LEFT_OUT),
    # Screens without a window system, and screens far away.
    *(f"*/plugins/platforms/*q{name}.*" for name in ("eglfs", "linuxfb", "minimal*", "vnc")),
    "*/plugins/platforms/*qvkkhrdisplay.*",
    # The theme of the desktop comes through its portal; GTK's own would bring all of GTK.
    "*/plugins/platformthemes/*gtk3*",
    "*/plugins/platforminputcontexts/*virtualkeyboard*",
    *(
        f"*/plugins/imageformats/*q{name}.*"
        for name in ("gif", "icns", "jpeg", "pdf", "tga", "tiff", "wbmp", "webp")
    ),
    *(f"*/*Qt6{name}*" for name in ("Qml*", "Quick*", "Pdf*", "VirtualKeyboard*", "WebEngine*")),
    *(f"*/*Qt6{name}*" for name in ("Sql*", "Designer*", "Help*", "Test*", "OpenGLWidgets*")),
    *(f"*/wayland-shell-integration/*{name}*" for name in ("ivi", "fullscreen", "qt-", "wl-")),
    "*Qt6WlShellIntegration*",
    "*/PySide6/*translations/*",
    "*/llama_cpp/lib/*mtmd*",
)


def is_wanted(name: str) -> bool:
    """Return whether a file belongs in the bundle, by its place in it or the path it comes from."""
    path = f"/{PurePath(name).as_posix()}"
    return not any(fnmatchcase(path, pattern) for pattern in _LEFT_OUT)


def wanted(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that belong in the bundle."""
    return [entry for entry in entries if is_wanted(entry[0])]


def once(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with second copies of a library, under other names, made links.

    A wheel cannot hold links, so `libllama.so` and `libllama.so.0` come as two files.
    """
    first: dict[tuple[str, bytes], str] = {}
    kept = []
    for target, source, kind in sorted(entries):
        place = PurePath(target)
        if kind == "BINARY" and place.parent.match("llama_cpp/lib"):
            digest = hashlib.sha256(Path(source).read_bytes()).digest()
            name = first.setdefault((str(place.parent), digest), place.name)
            if name != place.name:
                kept.append((target, name, "SYMLINK"))
                continue
        kept.append((target, source, kind))
    return kept


def stripped(entries: Sequence[Entry], folder: Path) -> list[Entry]:
    """Return the entries with a Python library without its symbols, made in `folder`.

    A Python that was built by hand carries 18 MB of them. Only this one: `strip` breaks libraries
    that a wheel's maker has patched, such as the one numpy computes with.
    """
    tool = shutil.which("strip")
    lean = []
    for target, source, kind in entries:
        if tool and kind == "BINARY" and PurePath(target).name.startswith("libpython3."):
            folder.mkdir(parents=True, exist_ok=True)
            copy = folder / PurePath(target).name
            subprocess.run([tool, "--strip-unneeded", "-o", copy, source], check=True)
            lean.append((target, str(copy), kind))
        else:
            lean.append((target, source, kind))
    return lean
