"""Which session a Claude Code record belongs to, and which session that one came out of."""

from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from archivist.domain.transcripts import Relation, Role, Seen, SessionSeen
from archivist.sources.files import readable
from archivist.sources.records import Record, moment, table_in, text_in
from archivist.sources.session import Counts, OpenSession


@dataclass(slots=True)
class Message:
    """An assistant's message as far as its records came."""

    key: str
    at: int | None
    exchange: int
    """The exchange in which it was opened, see `Strand`."""
    parts: list[str] = field(default_factory=list)
    records: set[int] = field(default_factory=set)
    """Hashes of the uuids of its records."""
    is_told: bool = False

    @property
    def text(self) -> str:
        return "\n\n".join(self.parts)

    def add(self, part: str) -> None:
        """Take a text block in; a snapshot that grew takes the place of its shorter self."""
        for index, known in enumerate(self.parts):
            if part.startswith(known):
                self.parts[index] = part
                return
        self.parts.append(part)


@dataclass(slots=True)
class Strand:
    """A session of the file, with what is needed to read on in it."""

    session: OpenSession
    exchange: int = 0
    """Hash of the key of the prompt that is being answered."""
    last: int | None = None
    messages: OrderedDict[str, Message] = field(default_factory=OrderedDict)
    queued: set[int] = field(default_factory=set)
    is_linked: bool = False
    is_known: bool = False
    """Whether folder, branch and start of the session are known."""
    is_compacting: bool = False
    has_own_title: bool = False

    def begin(self, prompt: str) -> None:
        """Begin the exchange of a new prompt: the messages before it are complete."""
        self.exchange = hash(prompt)
        self.messages.clear()

    def note_fork(self, record: Record) -> None:
        """Take in which session a copied record was forked from."""
        if "forkedFrom" not in record:
            return
        origin = text_in(table_in(record, "forkedFrom"), "sessionId")
        about = self.session.about
        if origin is not None and about.parent is None and origin != about.session:
            self.session.learn(parent=origin, relation=Relation.FORK)


class Strands:
    """The sessions of one file: its own, those it was resumed or forked from, its sub-agents."""

    def __init__(self, path: Path, out: list[Seen]) -> None:
        self._stem, self._agent = _named(path)
        self._out = out
        self._strands: dict[str, Strand] = {}
        self._known: dict[int, Strand] = {}
        """Hashes of the uuids of all chain records, progress and attachments included."""
        self.main = Counts()
        self.side = Counts()

    def with_record(self, uuid: str) -> Strand | None:
        """Return the session that holds the record with a uuid, if it came already."""
        return self._known.get(hash(uuid))

    def enter(self, record: Record, uuid: str | None, strand: Strand) -> None:
        """Note a chain record under its session; the first one tells where it came from."""
        if not strand.is_known:
            _learn(strand, record)
        if not strand.is_linked and (uuid is not None or "message" in record):
            strand.is_linked = True
            self._link(strand, record)
        if uuid is not None:
            self._known[hash(uuid)] = strand
            strand.last = hash(uuid)

    def of(self, record: Record, uuid: str | None) -> Strand:
        """Return the session of a record: a sub-agent's first by its marks, then by its parent."""
        session = text_in(record, "sessionId") or self._stem
        side = record.get("isSidechain")
        if side is False and self._agent is None:
            return self._strands.get(session) or self._open(SessionSeen(session), Role.USER)
        agent = text_in(record, "agentId")
        if self._agent is not None:
            return self._side(session, agent or self._agent)
        if side is True or (side is None and agent is not None):
            if agent is not None:
                return self._side(session, agent)
            parent = self.with_record(text_in(record, "parentUuid") or "")
            if parent is not None and parent.session.role is Role.TASK:
                return parent
            return self._side(session, uuid or "unnamed")
        return self._strands.get(session) or self._open(SessionSeen(session), Role.USER)

    def _side(self, parent: str, agent: str) -> Strand:
        name = f"{parent}/agent-{agent}"
        about = SessionSeen(name, parent, Relation.SUBAGENT)
        return self._strands.get(name) or self._open(about, Role.TASK)

    def _open(self, about: SessionSeen, role: Role) -> Strand:
        counts = self.main if role is Role.USER else self.side
        strand = Strand(OpenSession(about, counts, self._out, role=role))
        self._strands[about.session] = strand
        return strand

    def _link(self, strand: Strand, record: Record) -> None:
        session = strand.session
        if session.role is Role.TASK:
            return
        link = text_in(record, "parentUuid") or text_in(record, "logicalParentUuid") or ""
        before = self.with_record(link)
        if before is not None and before is not strand and before.session.role is Role.USER:
            resumed = before.last == hash(link)
            relation = Relation.RESUME if resumed else Relation.FORK
            session.learn(parent=before.session.name, relation=relation)
        elif record.get("sessionKind") == "bg":
            session.learn(relation=Relation.FORK)


def _learn(strand: Strand, record: Record) -> None:
    """Take in folder, branch and start of the session from the first record that has each."""
    about = strand.session.about
    strand.session.learn(
        cwd=None if about.cwd else text_in(record, "cwd"),
        branch=None if about.branch else text_in(record, "gitBranch"),
        at=None if about.at is not None else moment(record.get("timestamp")),
    )
    about = strand.session.about
    strand.is_known = bool(about.cwd and about.branch) and about.at is not None


def _named(path: Path) -> tuple[str, str | None]:
    """Return the session and, for a sub-agent's file, the agent that a file's name tells."""
    stem = readable(path.stem)
    if not stem.startswith("agent-"):
        return stem, None
    parts = path.parts
    if "subagents" in parts:
        above = len(parts) - 1 - parts[::-1].index("subagents")
        return readable(parts[above - 1]), stem.removeprefix("agent-")
    return readable(path.parent.name), stem.removeprefix("agent-")
