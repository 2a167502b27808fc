"""The system's clipboard: looked at only when the person asks, its marks before its bytes.

A text that a password manager has marked is never read. Text is put there with `setText` alone: a
`QMimeData` that Python owns brings the program down at its end.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, assert_never

from PySide6.QtCore import QObject
from PySide6.QtGui import QClipboard

from archivist.domain.problems import Refused
from archivist.gui.clip_sight import (
    Empty,
    Held,
    Marked,
    Own,
    Sight,
    Silent,
    Text,
    TooLarge,
    Unseen,
    seen,
    shows_marks,
)
from archivist.services.capture import answered, piped, too_long
from archivist.services.facade import Services
from archivist.texts import tr

_TRIES: Final = 4
_PAUSE_SECONDS: Final = 0.05


class ClipboardDoor(QObject):
    """Reads the clipboard once when asked, and puts text there.

    `elsewhere` looks at what other programs hold, without keeping the windows waiting.
    """

    def __init__(
        self,
        clipboard: QClipboard,
        parent: QObject | None = None,
        *,
        pause_seconds: float = _PAUSE_SECONDS,
        elsewhere: Callable[[], Awaitable[Sight]] | None = None,
    ) -> None:
        super().__init__(parent)
        self._elsewhere = elsewhere
        self._clipboard = clipboard
        self._pause_seconds = pause_seconds
        self._put = ""

    async def look(self) -> Sight:
        """Return what is there. On Windows another program may be at it: then we ask again."""
        sight: Sight = Empty()
        for attempt in range(_TRIES):
            if attempt:
                await asyncio.sleep(self._pause_seconds)
            sight = await self._seen()
            if not isinstance(sight, Held):
                break
        return sight

    def put(self, text: str) -> None:
        """Copy a text, and know it as ours."""
        self._put = _mark_of(text)
        self._clipboard.setText(text)

    def close(self) -> None:
        """Take away what we have put there and still is; call it when the program ends."""
        if self._put and self._clipboard.ownsClipboard():
            self._clipboard.clear()
        self._put = ""

    async def _seen(self) -> Sight:
        if self._elsewhere is None or self._clipboard.ownsClipboard():
            sight = seen(self._clipboard)
        else:
            sight = await self._elsewhere()
        is_own = isinstance(sight, Text) and _mark_of(sight.text) == self._put
        return Own() if is_own else sight


def _mark_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


async def capture_clipboard(services: Services, door: ClipboardDoor) -> Mapping[str, object]:
    """Save what is on the clipboard; return what the command line and the tray tell of it.

    Raises Refused when saving is not allowed, and when there is nothing that may be saved.
    """
    await services.capture.permit()
    text = _text_of(await door.look())
    return answered(await services.capture.save(text))


def _text_of(sight: Sight) -> str:
    match sight:
        case Text(text):
            return text
        case Marked(why):
            raise Refused(
                tr("The program you copied from asks that this is not kept ({why}).", why=why),
                advice=tr("It was not read. Copy the conversation from another place."),
                key="clipboard-marked",
            )
        case Empty():
            raise Refused(
                tr("There is no text on the clipboard."),
                advice=tr("Copy a conversation first."),
                key="clipboard-empty",
            )
        case Held():
            raise Refused(
                tr("Another program keeps the clipboard busy."),
                advice=tr("Try again in a moment."),
                key="clipboard-held",
            )
        case Silent():
            raise Refused(
                tr("The program that holds the clipboard does not answer."),
                advice=tr("Wait for it or end it, then copy the conversation again."),
                key="clipboard-silent",
            )
        case TooLarge():
            raise too_long()
        case Own():
            raise Refused(
                tr("This was copied from Archivist; it is in the archive."),
                advice=tr("Copy a conversation from another program."),
                key="clipboard-own",
            )
        case Unseen():
            raise _unseen()
        case _:
            assert_never(sight)


def _unseen() -> Refused:
    if not shows_marks():
        return Refused(
            tr("On macOS the marks of password managers cannot be seen, so nothing was read."),
            advice=tr("Run `{command}`.", command=piped()),
            key="clipboard-unseen",
        )
    return Refused(
        tr("This desktop shows the clipboard to the window in front only."),
        advice=tr("Try again from a window of Archivist, or run `{command}`.", command=piped()),
        key="clipboard-unseen",
    )
