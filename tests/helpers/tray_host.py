"""A desktop without a screen: the D-Bus services that a panel offers, as a process of its own.

Run as a program it owns the names asked for and prints one JSON line an event; lines on its stdin
make it speak. `Panel` starts it and reads it; `Item` is an icon as a panel sees it.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    ClassInfo,
    Property,
    QCoreApplication,
    QObject,
    Signal,
    SignalInstance,
    Slot,
)
from PySide6.QtDBus import QDBusAbstractAdaptor, QDBusConnection

WATCHER = "org.kde.StatusNotifierWatcher"
NOTIFICATIONS = "org.freedesktop.Notifications"
_MENU = "com.canonical.dbusmenu"
_ITEM = "org.kde.StatusNotifierItem"


def _say(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


@ClassInfo({"D-Bus Interface": WATCHER})  # type: ignore[call-arg]  # the stub takes it for a class
class _Watcher(QDBusAbstractAdaptor):  # type: ignore[operator]  # the same
    StatusNotifierItemRegistered = Signal(str)

    @Slot(str)
    def RegisterStatusNotifierItem(self, service: str) -> None:  # noqa: N802 - the protocol's name
        _say(item=service)
        self.StatusNotifierItemRegistered.emit(service)

    @Slot(str)
    def RegisterStatusNotifierHost(self, service: str) -> None:  # noqa: N802 - the protocol's name
        _say(host=service)

    IsStatusNotifierHostRegistered = Property(bool, lambda _self: True)
    ProtocolVersion = Property(int, lambda _self: 0)


@ClassInfo({"D-Bus Interface": NOTIFICATIONS})  # type: ignore[call-arg]  # the same
class _Notifications(QDBusAbstractAdaptor):  # type: ignore[operator]  # the same
    ActionInvoked = Signal("uint", str)  # type: ignore[arg-type]  # a C++ type has a name only

    @Slot(str, "uint", str, str, str, "QStringList", "QVariantMap", int, result="uint")
    def Notify(  # noqa: N802, PLR0917 - the protocol's
        self,
        app: str,
        replaces: int,
        icon: str,
        summary: str,
        body: str,
        actions: list[str],
        hints: dict[str, Any],
        timeout: int,
    ) -> int:
        _say(notify={"app": app, "summary": summary, "body": body, "actions": actions})
        return 41

    @Slot(result="QStringList")
    def GetCapabilities(self) -> list[str]:  # noqa: N802 - the protocol's name
        return ["actions", "body"]


class _Orders(QObject):
    """Takes orders from stdin: `action ID KEY` lets a person click on a notification."""

    came = Signal(str)

    def __init__(self, invoked: SignalInstance) -> None:
        super().__init__()
        self._invoked = invoked
        self.came.connect(self._on_order)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self.came.emit(line.strip())

    @Slot(str)
    def _on_order(self, line: str) -> None:
        _, number, key = line.split()
        self._invoked.emit(int(number), key)
        _say(done=line)


def main(names: list[str]) -> int:
    """Own the names until killed."""
    app = QCoreApplication(sys.argv)
    bus = QDBusConnection.sessionBus()
    owners: list[QObject] = []
    for name, adaptor, path in (
        (WATCHER, _Watcher, "/StatusNotifierWatcher"),
        (NOTIFICATIONS, _Notifications, "/org/freedesktop/Notifications"),
    ):
        if name in names:
            owner = QObject()
            made = adaptor(owner)
            if isinstance(made, _Notifications):
                owners.append(_Orders(made.ActionInvoked))
            owners.append(owner)
            bus.registerObject(path, owner)
            _say(owns=name, ok=bus.registerService(name))
    return int(app.exec())


class Panel:
    """The started process and what it has said so far."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))

    def wait(self, key: str, *, seconds: float = 10) -> Any:  # noqa: ANN401 - whatever it said
        """Return the first thing said under a key."""
        return until(lambda: next((e[key] for e in self.events if key in e), None), seconds=seconds)

    def item(self, *, seconds: float = 10) -> "Item":
        """Return the icon that was registered."""
        return Item(self.wait("item", seconds=seconds))

    def order(self, line: str) -> None:
        """Let the person do something, and wait until it is done."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        until(lambda: any(e.get("done") == line for e in self.events))


def until(holds: Callable[[], Any], *, seconds: float = 10) -> Any:  # noqa: ANN401 - its answer
    """Wait until something is true, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)
    return found


@contextmanager
def panel(*names: str) -> Iterator[Panel]:
    """Own names on the session bus; returns once they are owned."""
    with subprocess.Popen(
        [sys.executable, __file__, *(names or (WATCHER,))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    ) as process:
        try:
            started = Panel(process)
            for _ in names or (WATCHER,):
                started.wait("owns")
            yield started
        finally:
            process.kill()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a menu as it stands on the bus."""

    id: int
    label: str
    is_enabled: bool
    is_visible: bool


@dataclass(frozen=True, slots=True)
class Item:
    """An icon in the tray, by its name on the bus."""

    service: str

    def property(self, name: str) -> str:
        """Return a property of the icon, as text."""
        return _call(self.service, "/StatusNotifierItem", "org.freedesktop.DBus.Properties.Get",
                     _ITEM, name)  # fmt: skip

    def activate(self) -> None:
        """Click on it."""
        _call(self.service, "/StatusNotifierItem", f"{_ITEM}.Activate", "0", "0")

    def menu(self) -> list[Entry]:
        """Return the menu's lines, separators left out, sub-menus after their line."""
        _call(self.service, "/MenuBar", f"{_MENU}.AboutToShow", "0")
        layout = _call(self.service, "/MenuBar", f"{_MENU}.GetLayout", "0", "--", "-1", "[]")
        return _entries(layout)

    def labels(self) -> list[str]:
        """Return the visible lines' words."""
        return [entry.label for entry in self.menu() if entry.is_visible]

    def choose(self, label: str) -> None:
        """Click on a line of the menu."""
        entry = next(entry for entry in self.menu() if entry.label == label)
        _call(
            self.service, "/MenuBar", f"{_MENU}.Event", str(entry.id), "clicked", "<int32 0>", "0"
        )


def _call(service: str, path: str, method: str, *arguments: str) -> str:
    where = ["--dest", service, "--object-path", path, "--method", method]
    done = subprocess.run(
        ["gdbus", "call", "--session", *where, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


_ENTRY = re.compile(r"<?\((?:uint32 \d+, \()?(?:int32 )?(\d+), (?:@a\{sv\} )?\{([^{}]*)\}")
_LABEL = re.compile(r"'label': <(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")>")


def _entries(layout: str) -> list[Entry]:
    """Read the lines out of the printed layout, in its order."""
    found = []
    for number, properties in _ENTRY.findall(layout):
        label = _LABEL.search(properties)
        if label and int(number):
            words = (label[1] or label[2] or "").replace("__", "\0").replace("_", "")
            found.append(
                Entry(
                    int(number),
                    words.replace("\0", "_"),
                    "'enabled': <false>" not in properties,
                    "'visible': <false>" not in properties,
                )
            )
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
