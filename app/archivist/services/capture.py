"""Save what a person copied: a pasted chat as its turns, any other text as one.

Nothing of it ever counts as the person's own word: see `domain.pasted_chat`.
"""

import asyncio
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Protocol

from archivist.domain.intake import Intake
from archivist.domain.pasted_chat import ChatLabels, PastedTurn, pasted_turns
from archivist.domain.problems import Refused
from archivist.domain.redaction import Gate
from archivist.domain.transcripts import Cursor, Role, SessionSeen, Source, Tally, TurnSeen
from archivist.ports.machine import Clock
from archivist.services.bus import Bus, SegmentsChanged, TurnsArrived
from archivist.services.cleaning import Cleaning
from archivist.texts import tr, tr_n

NOT_ALLOWED: Final = "clipboard-off"
MOST_BYTES: Final = 1_000_000
"""More is no conversation that somebody copied."""

_NO_CURSOR: Final = Cursor(offset=0, size=0, mtime_ns=0, identity="", head="", tail="")
_MARK: Final = 32


class ClipKind(StrEnum):
    """What the text was taken for."""

    CHAT = "chat"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Captured:
    """What was saved. `redacted`: the kinds of secrets taken out. `known`: it was there already."""

    session: str
    kind: ClipKind
    turns: int
    redacted: tuple[str, ...]
    known: bool


class Clips(Protocol):
    """Where clips are stored."""

    async def save(self, intake: Intake, session: str, *, label: str) -> bool:
        """Write a clip and the command that takes it out; False when it is there already."""

    async def take_out(self, session: str) -> bool:
        """Delete a clip with its turns, segments and all that came of them; False: not there."""


class Capture:
    """What `capture-clipboard` and the tray call. `allowed` says whether the person wants it."""

    def __init__(
        self,
        store: Clips,
        gate: Callable[[], Gate],
        labels: Callable[[], ChatLabels],
        *,
        allowed: Callable[[], bool],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._store = store
        self._gate = gate
        self._labels = labels
        self._allowed = allowed
        self._bus = bus
        self._clock = clock

    async def permit(self) -> None:
        """Raise Refused unless saving was allowed; ask before the clipboard is looked at."""
        if not await asyncio.to_thread(self._allowed):
            raise Refused(
                tr("Saving from the clipboard is not allowed."),
                advice=tr("Allow it with `archivist settings set clipboard.allowed true`."),
                key=NOT_ALLOWED,
            )

    async def save(self, text: str) -> Captured:
        """Store a copied text. Raises Refused: not allowed, blank, longer than 1 MB."""
        await self.permit()
        clean = _storable(text)
        _check_size(clean)
        captured, intake = await asyncio.to_thread(self._prepared, clean, self._clock())
        label = tr_n(
            "Save {n} turn from the clipboard", "Save {n} turns from the clipboard", captured.turns
        )
        if not await self._store.save(intake, captured.session, label=label):
            return replace(captured, known=True)
        self._bus.tell(TurnsArrived(intake.source, intake.path, captured.turns))
        return captured

    async def restore(self, inverse: Mapping[str, Any]) -> None:
        """Take a saved clip out again. Raises Refused when it is no longer there."""
        if not await self._store.take_out(inverse["session"]):
            raise Refused(
                tr("What was saved from the clipboard is no longer in the archive."),
                advice=tr("`archivist undo --skip` passes over it."),
            )
        self._bus.tell(SegmentsChanged())

    def _prepared(self, text: str, at: int) -> tuple[Captured, Intake]:
        """Split and clean a text; the marks are made of the clean one, which tells no secret."""
        chat = pasted_turns(text, self._labels())
        turns = chat or (PastedTurn(Role.TASK, text.strip()),)
        cleaning = Cleaning(self._gate())
        clean = [
            cleaning.clean_turn(TurnSeen(str(number), "", turn.role, turn.text, at=at))
            for number, turn in enumerate(turns)
        ]
        captured = Captured(
            f"clip-{_mark_of(clean)}",
            ClipKind.CHAT if chat else ClipKind.TEXT,
            len(clean),
            tuple(sorted({kind for kinds in cleaning.found.values() for kind in kinds})),
            known=False,
        )
        return captured, _intake(captured.session, clean, cleaning, at)


def told(captured: Captured) -> str:
    """Return in words what became of a clip."""
    if captured.known:
        return tr("This text was saved before; nothing was added.")
    if captured.kind is ClipKind.TEXT:
        saved = tr("Saved the clipboard as one text.")
    else:
        saved = tr_n(
            "Saved a chat of {n} turn from the clipboard.",
            "Saved a chat of {n} turns from the clipboard.",
            captured.turns,
        )
    if not captured.redacted:
        return saved
    kinds = ", ".join(captured.redacted)
    return tr("{saved} Secrets were taken out: {kinds}.", saved=saved, kinds=kinds)


def answered(captured: Captured) -> dict[str, object]:
    """Return a clip as the running app answers with it, and `--json` prints it."""
    return {
        "ok": True,
        "session": captured.session,
        "kind": captured.kind,
        "turns": captured.turns,
        "redacted": list(captured.redacted),
        "known": captured.known,
        "message": told(captured),
    }


def piped() -> str:
    """Return the command that saves the clipboard of this system without our looking at it."""
    pastes = {"darwin": "pbpaste", "win32": "powershell -c Get-Clipboard"}
    return f"{pastes.get(sys.platform, 'wl-paste')} | archivist capture-clipboard --stdin"


def _storable(text: str) -> str:
    """Return a text with LF line ends, and without halves of surrogate pairs and U+0000."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def _check_size(text: str) -> None:
    """Raise Refused for a text that is blank or too long to be saved."""
    if not text.strip():
        raise Refused(
            tr("There is no text to save."),
            advice=tr("Copy a conversation first."),
            key="clipboard-empty",
        )
    if len(text.encode()) > MOST_BYTES:
        raise too_long()


def too_long() -> Refused:
    """Return the refusal of a text over the limit."""
    return Refused(
        tr("The text is longer than 1 MB; nothing was saved."),
        advice=tr("Copy the part of the conversation that matters."),
        key="clipboard-too-long",
    )


def _mark_of(turns: Sequence[TurnSeen]) -> str:
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(f"{turn.role}\n{turn.text}\x00".encode())
    return digest.hexdigest()[:_MARK]


def _intake(session: str, turns: Sequence[TurnSeen], cleaning: Cleaning, at: int) -> Intake:
    """Make up what is stored: a session of its own, its turns under keys of its own."""
    keys = {turn.key: f"{session}:{turn.key}" for turn in turns}
    said = [replace(turn, key=keys[turn.key], session=session) for turn in turns]
    return Intake(
        source=Source.CLIPBOARD,
        path=f"{Source.CLIPBOARD}:{session}",
        seen=(SessionSeen(session, at=at), *said),
        cursor=_NO_CURSOR,
        tally=Tally(),
        last=True,
        at=at,
        redacted={keys[key]: ", ".join(dict.fromkeys(k)) for key, k in cleaning.found.items()},
        withheld=frozenset(keys[key] for key in cleaning.withheld),
    )
