"""Which texts of a turn are searchable, and in which field of the index.

Role, ids and times are not searchable. A change here or in `words` needs a higher INDEX_VERSION.
"""

from collections.abc import Sequence
from typing import Final

from archivist.domain.transcripts import Outcome
from archivist.domain.turns import ToolCall
from archivist.domain.words import index_text

_ARGUMENTS: Final = 2_000
_ERROR_LINES: Final = 6
_ERROR_LINE: Final = 300
_TOOLS: Final = 16_000


def words_field(text: str) -> str:
    """Return the normalised text of a turn."""
    return index_text(text)


def tools_field(tools: Sequence[ToolCall], failed_tools: str | None) -> str:
    """Return the normalised names, arguments and error lines of a turn's tools."""
    parts = [failed_tools] if failed_tools else []
    for tool in tools:
        parts += [tool.name, tool.arguments[:_ARGUMENTS]]
        if tool.outcome in (Outcome.FAILED, Outcome.REJECTED):
            parts += _head(tool.output)
    return index_text("\n".join(parts)[:_TOOLS])


def _head(output: str) -> list[str]:
    lines = (line.strip() for line in output[:8_000].split("\n"))
    return [line[:_ERROR_LINE] for line in lines if line][:_ERROR_LINES]
