"""The records of one Claude Code transcript, in file order, made into sessions, turns and calls.

Forks, resumed sessions and re-written files repeat records under the uuid they had: those add
nothing within the file; between files the keys of the turns tell.
"""

from collections.abc import Callable
from pathlib import Path

from archivist.domain.transcripts import Role, Seen, Tally, TurnSeen
from archivist.sources.claude_messages import Messages, key_of_record
from archivist.sources.claude_prompts import queued_prompt, typed_prompt
from archivist.sources.claude_strands import Strand, Strands
from archivist.sources.content import key_of
from archivist.sources.records import Record, moment, table_in, text_in


class ClaudeRecords:
    """Reads the records of one file; see `archivist.sources.tail.Parser`."""

    def __init__(self, path: Path) -> None:
        self._out: list[Seen] = []
        self._strands = Strands(path, self._out)
        self._messages = Messages()
        self._has_main = False
        self._keys: set[int] = set()
        """Hashes of the keys of prompts without uuid."""
        self._handlers: dict[object, Callable[[Record, Strand], None]] = {
            "user": self._user,
            "assistant": self._assistant,
            "attachment": self._attachment,
            "system": self._system,
            "ai-title": self._title,
            "custom-title": self._title,
        }

    @property
    def is_waiting(self) -> bool:
        return False

    def settle(self) -> None:
        """Nothing waits for the end of the file."""

    def take(self) -> list[Seen]:
        taken, self._out[:] = list(self._out), []
        return taken

    def tally(self, bad_lines: int) -> Tally:
        """Count the main thread; in a file that is wholly a sub-agent, the sub-agent."""
        counts = self._strands.main if self._has_main else self._strands.side
        return counts.tally(bad_lines)

    def feed(self, record: Record) -> None:
        kind = record.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        uuid = text_in(record, "uuid")
        if handler is None and uuid is None:
            if kind == "summary":
                self._summary(record)
            return
        strand = self._strands.of(record, uuid)
        if uuid is not None and self._strands.with_record(uuid) is not None:
            self._again(record, strand, uuid)
            return
        self._strands.enter(record, uuid, strand)
        if handler is not None:
            handler(record, strand)

    def _again(self, record: Record, strand: Strand, uuid: str) -> None:
        """Take a record that was written anew under its uuid.

        It says nothing but where a history goes on that is written again: what follows a known
        prompt answers that prompt.
        """
        match record.get("type"):
            case "assistant":
                self._messages.take_again(record, strand, uuid)
            case "user" | "attachment" as kind:
                text = typed_prompt(record) if kind == "user" else queued_prompt(record)
                if text is not None:
                    strand.exchange = hash(_key(record, strand, text))

    def _user(self, record: Record, strand: Strand) -> None:
        self._note_main(strand)
        strand.note_fork(record)
        if record.get("isCompactSummary") is True:
            if not strand.is_compacting:
                strand.session.compacted(moment(record.get("timestamp")))
            strand.is_compacting = False
        self._messages.take_results(record)
        text = typed_prompt(record)
        if text is None:
            return
        counts = strand.session.counts
        if hash(text) in strand.queued:
            # The queue gave the prompt out after all: it is the turn that stands already.
            strand.begin(_key(record, strand, text))
            strand.queued.discard(hash(text))
            counts.queued -= 1
            counts.user += 1
            return
        turn = self._turn(record, strand, text, is_queued=False)
        if turn is None:
            return
        strand.begin(turn.key)
        strand.queued.clear()
        counts.user += 1
        strand.session.prompt(turn)

    def _attachment(self, record: Record, strand: Strand) -> None:
        text = queued_prompt(record)
        if text is None:
            return
        self._note_main(strand)
        turn = self._turn(record, strand, text, is_queued=True)
        if turn is None:
            return
        strand.begin(turn.key)
        strand.queued.add(hash(text))
        strand.session.counts.queued += 1
        strand.session.prompt(turn)

    def _turn(
        self, record: Record, strand: Strand, text: str, *, is_queued: bool
    ) -> TurnSeen | None:
        """Return a prompt as a turn; None when a record without uuid repeats an earlier one."""
        key = _key(record, strand, text)
        if text_in(record, "uuid") is None:
            if hash(key) in self._keys:
                strand.exchange = hash(key)
                return None
            self._keys.add(hash(key))
        return TurnSeen(
            key=key,
            session=strand.session.name,
            role=strand.session.role,
            text=text,
            at=moment(_stamp(record)),
            cwd=text_in(record, "cwd"),
            branch=text_in(record, "gitBranch"),
            queued=is_queued,
        )

    def _assistant(self, record: Record, strand: Strand) -> None:
        self._note_main(strand)
        strand.note_fork(record)
        self._messages.take(record, strand)

    def _system(self, record: Record, strand: Strand) -> None:
        if record.get("subtype") == "compact_boundary":
            strand.session.compacted(moment(record.get("timestamp")))
            strand.is_compacting = True

    def _title(self, record: Record, strand: Strand) -> None:
        """Take a title; one that the person gave stands against those that the program makes."""
        own = text_in(record, "customTitle")
        if own is not None:
            strand.has_own_title = True
            strand.session.learn(title=own)
        elif not strand.has_own_title:
            strand.session.learn(title=text_in(record, "aiTitle"))

    def _summary(self, record: Record) -> None:
        """Take a summary for a title, when the file itself holds the session that it is about."""
        strand = self._strands.with_record(text_in(record, "leafUuid") or "")
        if strand is not None and strand.session.about.title is None:
            strand.session.learn(title=text_in(record, "summary"))

    def _note_main(self, strand: Strand) -> None:
        self._has_main = self._has_main or strand.session.role is Role.USER


def _key(record: Record, strand: Strand, text: str) -> str:
    """Return the key of a prompt."""
    uuid, stamp = text_in(record, "uuid"), _stamp(record)
    if uuid or stamp:
        return key_of_record(uuid, stamp, text)
    return key_of(strand.session.name, text)


def _stamp(record: Record) -> str | None:
    return text_in(record, "timestamp") or text_in(table_in(record, "attachment"), "timestamp")
