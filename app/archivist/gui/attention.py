"""Keeps the tray's state true: asks the services when something changed, one question at a time."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, QTimer

from archivist.domain.problems import Problem
from archivist.domain.waiting import Waiting
from archivist.gui.desk import Desk
from archivist.services.bus import PauseChanged
from archivist.services.supervise import settled
from archivist.services.tray_state import TrayState, tray_state

_log = logging.getLogger(__name__)

_SETTLE_MS: Final = 300
"""Changes come in bursts: one question answers them all."""


class Attention(QObject):
    """Shows what waits and what is done. `counted` is told the new counts after each question."""

    def __init__(
        self,
        desk: Desk,
        show: Callable[[TrayState], None],
        *,
        counted: Callable[[Waiting], None],
    ) -> None:
        super().__init__()
        self._desk = desk
        self._show_state = show
        self._counted = counted
        self._waiting = Waiting()
        self._asking: asyncio.Task[None] | None = None
        self._has_ended = False
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self._ask)
        signals = desk.signals
        for changed in (
            signals.lessons_changed,
            signals.proposals_changed,
            signals.problems_changed,
        ):
            changed.connect(self.look_again)
        signals.activity_changed.connect(self.show)
        self._end_listening = desk.services.bus.listen(PauseChanged, lambda _: self.show())

    def look_again(self) -> None:
        """Count again soon."""
        if not (self._has_ended or self._settled.isActive()):
            self._settled.start()

    def show(self) -> None:
        """Show what is known now."""
        services = self._desk.services
        is_paused = services.pause.current is not None
        self._show_state(
            tray_state(self._waiting, services.activities.current, is_paused=is_paused)
        )

    def end(self) -> None:
        """Ask no more."""
        self._has_ended = True
        self._settled.stop()
        self._end_listening()

    def _ask(self) -> None:
        if self._asking is not None and not self._asking.done():
            self.look_again()  # a slow archive is asked again only after it has answered
            return
        self._asking = self._desk.spawn(self._count(), name="attention")

    async def _count(self) -> None:
        counted = await settled(self._desk.services.waiting(), where="attention")
        if isinstance(counted, Problem):
            # Reported, it would change the list of problems, and so be asked for again at once.
            _log.warning("not counted key=%s", counted.key)
            self._waiting = replace(self._waiting, problems=max(1, self._waiting.problems))
            self.show()
            return
        self._waiting = counted
        self.show()
        self._counted(counted)
