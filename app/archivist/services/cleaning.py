"""The gate over what a reader yields: every text, and every short field that is stored.

Long texts of tools are shortened after the gate: a key cut in two would not be recognised.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from archivist.domain.redaction import Cleaned, Gate
from archivist.domain.shortening import shorten, shorten_json
from archivist.domain.transcripts import (
    Compacted,
    Seen,
    SessionSeen,
    ToolAnswered,
    ToolCalled,
    TurnSeen,
)

_WITHHELD = "text withheld"


class Cleaning:
    """The gate over one chunk; remembers per turn what was taken out."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._plain: dict[str, str] = {}
        self.found: dict[str, list[str]] = {}
        self.withheld: set[str] = set()

    def clean(self, seen: Seen) -> Seen:
        """Return the record with its texts cleaned; times and structure stay."""
        match seen:
            case TurnSeen():
                return self.clean_turn(seen)
            case ToolCalled():
                return replace(
                    seen,
                    call=self.plain(seen.call),
                    name=self._text(seen.turn, seen.name),
                    arguments=shorten_json(
                        self._kept(seen.turn, seen.arguments, self._gate.clean_json)
                    ),
                )
            case ToolAnswered():
                output = shorten(self._text(seen.turn, seen.output))
                return replace(seen, call=self.plain(seen.call), output=output)
            case SessionSeen():
                return replace(
                    seen,
                    session=self.plain(seen.session),
                    parent=self._maybe(seen.parent),
                    cwd=self._maybe(seen.cwd),
                    branch=self._maybe(seen.branch),
                    title=self._maybe(seen.title),
                )
            case Compacted():
                return replace(seen, session=self.plain(seen.session))

    def plain(self, text: str) -> str:
        """Return a short field cleaned: an id, a folder, a name. The same text gives the same."""
        if text not in self._plain:
            self._plain[text] = self._gate.clean(text).text
        return self._plain[text]

    def _maybe(self, text: str | None) -> str | None:
        return None if text is None else self.plain(text)

    def clean_turn(self, seen: TurnSeen) -> TurnSeen:
        """Return a turn cleaned; one that cannot be cleaned keeps its place without its text."""
        try:
            text = self._noted(seen.key, self._gate.clean(seen.text))
        except (RecursionError, MemoryError):  # the row stays, without its text
            self.withheld.add(seen.key)
            text = ""
        return replace(
            seen,
            session=self.plain(seen.session),
            text=text,
            cwd=self._maybe(seen.cwd),
            branch=self._maybe(seen.branch),
            model=self._maybe(seen.model),
        )

    def _text(self, turn: str, text: str) -> str:
        return self._kept(turn, text, self._gate.clean)

    def _kept(self, turn: str, text: str, clean: Callable[[str], Cleaned]) -> str:
        """Clean a text of a tool; one that cannot be cleaned is left out and noted."""
        try:
            return self._noted(turn, clean(text))
        except (RecursionError, MemoryError):
            self.found.setdefault(turn, []).append(_WITHHELD)
            return ""

    def _noted(self, turn: str, cleaned: Cleaned) -> str:
        if cleaned.kinds:
            self.found.setdefault(turn, []).extend(cleaned.kinds)
        return cleaned.text


def stored_name(path: Path, gate: Gate) -> str:
    """Return a path as text that can be stored: bytes that are no UTF-8 and secrets written out."""
    raw = os.fsencode(path)
    text = raw.decode("utf-8", "backslashreplace")
    clean = gate.clean(text).text
    if clean == text:
        return text
    return f"{clean}#{hashlib.sha256(raw).hexdigest()[:12]}"
