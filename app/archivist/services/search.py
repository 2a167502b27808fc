"""Find turns by words. A search that failed raises; it never looks like an empty result."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from archivist.domain.knowledge import Found
from archivist.domain.query import match_expression, parse_query, snippet

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Hit:
    """One turn of a result. `at` is UTC milliseconds; `snippet` is cut from the original text."""

    turn: int
    session: str
    source: str
    project: str | None
    at: int | None
    snippet: str
    score: float


@dataclass(frozen=True, slots=True)
class Hits:
    """A result: best first, how it was found, and how long it took in milliseconds."""

    hits: tuple[Hit, ...]
    mode: str
    ms: float


class SearchedTurns(Protocol):
    """Where turns are found."""

    async def search(
        self,
        match: str,
        *,
        limit: int,
        source: str | None = None,
        project: str | None = None,
        maker: str | None = None,
    ) -> list[Found]:
        """Return the turns that match an FTS5 expression, best first."""


class Search:
    """Answers one question at a time; `timer` gives seconds."""

    def __init__(
        self, store: SearchedTurns, *, timer: Callable[[], float] = time.perf_counter
    ) -> None:
        self._store = store
        self._timer = timer

    async def find(
        self,
        text: str,
        *,
        limit: int = 20,
        source: str | None = None,
        project: str | None = None,
        maker: str | None = None,
    ) -> Hits:
        """Return the best turns for a question in plain words; no words, no hits."""
        began = self._timer()
        query = parse_query(text)
        match = match_expression(query)
        found = []
        if match is not None:
            found = await self._store.search(
                match, limit=limit, source=source, project=project, maker=maker
            )
        hits = tuple(
            Hit(
                turn=item.turn,
                session=item.session,
                source=item.source,
                project=item.project,
                at=item.at,
                snippet=snippet(item.text, query, width=_WIDTH),
                score=round(item.score, 4),
            )
            for item in found
        )
        return Hits(hits, "lexical", round((self._timer() - began) * 1000, 2))
