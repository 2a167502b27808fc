"""What the archive needs of a source: find its files, recognise one, read on from a cursor."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from archivist.domain.transcripts import Chunk, Cursor, ReadMode, Source


class Home(Protocol):
    """Where to look for transcripts: a home folder and the environment that may move things."""

    @property
    def folder(self) -> Path:
        """The home folder to look in (of this user, or a folder given with --home)."""

    def variable(self, name: str) -> str | None:
        """Return an environment variable; None when unset, or when a home was given."""


class Reader(Protocol):
    """Reads one kind of source; knows nothing of the store. All methods may touch the disk."""

    @property
    def source(self) -> Source:
        """The source it reads."""

    @property
    def mode(self) -> ReadMode:
        """How the source changes its files."""

    def roots(self, home: Home) -> Sequence[Path]:
        """Return the folders (existing or not) in which the source keeps its transcripts."""

    def files(self, root: Path) -> Iterator[Path]:
        """Yield the transcripts below a root, oldest change first; nothing else, each once."""

    def claims(self, path: Path, head: bytes) -> bool:
        """Tell from the name and the first bytes whether a single file is of this source."""

    def read(self, path: Path, since: Cursor | None, *, settled: bool) -> Iterator[Chunk]:
        """Yield what is new since a cursor, or everything; nothing for a file that did not change.

        A last line without newline is left for later unless `settled` and it is a whole record.
        A file that shrank, was swapped or rewritten is read from its start (keys make that safe).
        Raises FileProblem when the file vanished, is locked or cannot be read.
        """
