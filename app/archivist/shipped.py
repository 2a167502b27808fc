"""The rules that ship with the program, made from its resource files."""

import tomllib
from functools import cache

from archivist import resources
from archivist.domain.cues import Cues, parse_cues
from archivist.domain.pasted_chat import ChatLabels, parse_labels
from archivist.domain.redaction import Gate, parse_rules


@cache
def gate() -> Gate:
    """Return the redaction gate."""
    return Gate(parse_rules(_tables("redaction")))


@cache
def cues() -> Cues:
    """Return the cues for markers, events and lessons."""
    return parse_cues(_tables("cues"))


@cache
def chat_labels() -> ChatLabels:
    """Return the labels that tell who speaks in a pasted chat."""
    return parse_labels(tomllib.loads(resources.text("chats/labels.toml")))


def _tables(folder: str) -> list[dict[str, object]]:
    return [tomllib.loads(resources.text(name)) for name in resources.names(folder, ".toml")]
