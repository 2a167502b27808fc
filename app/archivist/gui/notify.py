"""Notifications: at most one a day, without a word of a conversation.

On Linux they are sent to the desktop by ourselves, because Qt neither offers a button nor tells
our notifications from those of other programs (seen in Qt 6.11). Elsewhere the tray shows them.
"""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import astuple
from datetime import datetime
from typing import Final

from PySide6.QtCore import Q_ARG, Q_RETURN_ARG, SLOT, QMetaObject, QObject, Qt, QTimer, Slot
from PySide6.QtDBus import QDBusConnection, QDBusInterface
from PySide6.QtGui import QGuiApplication

from archivist.domain.waiting import Waiting
from archivist.gui.desk import Desk
from archivist.services.notices import NONE, Notice, is_calm, notice, noticed, parsed, written

_REMEMBERED: Final = "noticed"
CALM_MS: Final = 3_000
"""So long nothing was worked on: only then the number is not outdated in a moment."""

_NAME: Final = "org.freedesktop.Notifications"
_PATH: Final = "/org/freedesktop/Notifications"
_REVIEW: Final = "review"
_HAS_DESKTOP_BUS: Final = sys.platform not in ("darwin", "win32")


def _local_day() -> str:
    return datetime.now().astimezone().date().isoformat()


class Notifier(QObject):
    """Tells of new lessons. `review` opens them, with the desktop's leave to come to the front."""

    def __init__(
        self,
        desk: Desk,
        *,
        beside_tray: Callable[[str, str], None],
        review: Callable[[str], None],
        today: Callable[[], str] = _local_day,
    ) -> None:
        super().__init__()
        self._desk = desk
        self._beside_tray = beside_tray
        self._review = review
        self._today = today
        self._desktop: DesktopNotices | None = None
        self._waiting: Waiting | None = None
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self._on_calm_timeout)
        desk.signals.activity_changed.connect(self._on_activity_changed)

    def news(self, waiting: Waiting) -> None:
        """Tell of lessons that wait since the last time, once nothing is worked on any more."""
        self._waiting = waiting
        self._calm.start()

    def end(self) -> None:
        """Tell nothing any more."""
        self._waiting = None
        self._calm.stop()

    def _on_activity_changed(self, _activity: object) -> None:
        if self._waiting is not None:
            self._calm.start()

    def _on_calm_timeout(self) -> None:
        if self._waiting is not None and is_calm(self._desk.services.activities.current):
            self._tell_of(self._waiting)

    def _tell_of(self, waiting: Waiting) -> None:
        remembered = self._desk.remembered
        known = parsed(remembered.text(_REMEMBERED))
        is_here = QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
        now = noticed(known, waiting, day=self._today(), is_here=is_here)
        if now == known:
            return
        remembered.set_text(_REMEMBERED, written(now))
        if now.day != known.day and self._desk.services.settings.notifications != NONE:
            self._desk.spawn(self._tell(notice(waiting)), name="notification")

    async def _tell(self, told: Notice) -> None:
        if _HAS_DESKTOP_BUS:
            if self._desktop is None:
                self._desktop = DesktopNotices(self._review)
            if await self._desktop.send(told):
                return
        self._beside_tray(told.summary, told.body)


class DesktopNotices(QObject):
    """The desktop's notification service, which shows all programs' notices."""

    def __init__(self, review: Callable[[str], None]) -> None:
        super().__init__()
        self._review = review
        self._ours = 0
        self._token = ""
        bus = QDBusConnection.sessionBus()
        for signal, slot in (
            ("ActionInvoked", "on_action_invoked"),
            ("ActivationToken", "on_activation_token"),
        ):
            called = SLOT(f"{slot}(uint,QString)")
            bus.connect(_NAME, _PATH, _NAME, signal, self, called)  # type: ignore[call-overload]  # PySide6's stub wants bytes, PySide6 itself refuses them

    async def send(self, told: Notice) -> bool:
        """Show a notice in place of the one before; False when the desktop shows none."""
        shown = await asyncio.to_thread(_sent, told, self._ours)
        self._ours = shown or self._ours
        return shown > 0

    @Slot("uint", "QString")
    def on_activation_token(self, number: int, token: str) -> None:
        """Keep what lets our window come to the front; it comes just before the click."""
        if self._is_ours(number):
            self._token = token

    @Slot("uint", "QString")
    def on_action_invoked(self, number: int, action: str) -> None:
        """Open the review when it was our notice that was clicked: every program's are told."""
        if self._is_ours(number) and action in (_REVIEW, "default"):
            self._review(self._token)
            self._token = ""

    def _is_ours(self, number: int) -> bool:
        return self._ours > 0 and number == self._ours


def _sent(told: Notice, replaced: int) -> int:
    """Ask the desktop to show a notice; return its number, 0 when nobody shows any.

    Runs in a thread, because reading what the service offers waits for its answer. PySide6 has no
    other way to send an unsigned number than a call through the service's own description.
    """
    bus = QDBusConnection.sessionBus()
    service = QDBusInterface(_NAME, _PATH, _NAME, bus)
    if not service.isValid():
        return 0
    summary, body, action = astuple(told)
    number = QMetaObject.invokeMethod(
        service,
        "Notify",
        Qt.ConnectionType.DirectConnection,
        Q_RETURN_ARG("uint"),
        Q_ARG("QString", "Archivist"),
        Q_ARG("uint", replaced),
        Q_ARG("QString", "archivist"),
        Q_ARG("QString", summary),
        Q_ARG("QString", body),
        Q_ARG("QStringList", ["default", action, _REVIEW, action]),
        Q_ARG("QVariantMap", {}),
        Q_ARG("int", -1),
    )
    return number if isinstance(number, int) else 0
