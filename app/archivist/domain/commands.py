"""An action of a person that can be taken back, as it stands in the command log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Command:
    """One action by its name. `inverse` is what its own service needs to take it back.

    `at` is UTC milliseconds. `caller` is the name of the program that asked, where it is known.
    """

    id: int
    name: str
    label: str
    inverse: Mapping[str, Any]
    at: int
    caller: str | None = None
