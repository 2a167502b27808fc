"""What the archive needs of models. Rules always work; models only make the result better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from archivist.domain.segments import Vector
from archivist.domain.turns import Turn


@dataclass(frozen=True, slots=True)
class ModelNote:
    """What this installation has for one role (`text` or `vectors`), as shown to the person."""

    role: str
    name: str | None
    message: str
    advice: str = ""


class Encoder(Protocol):
    """Turns texts into vectors of length one."""

    @property
    def model(self) -> str:
        """The fingerprint under which its vectors are stored (name and hash of the weights)."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    async def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text; no text may be blank. Raises ModelUnavailable."""

    async def close(self) -> None:
        """End what runs in the background; the encoder may be used again."""


class Recapper(Protocol):
    """Writes the recap of a segment."""

    @property
    def maker(self) -> str:
        """The name stored with its recaps: the model's name."""

    async def recap(self, turns: Sequence[Turn], *, limit: int) -> str:
        """Return a recap of at most `limit` characters. Raises ModelUnavailable.

        What it returns is not yet checked against the turns: the caller does that.
        """

    async def close(self) -> None:
        """End what runs in the background; it may be used again."""
