"""The records of one Codex rollout, in file order, made into a session, turns and calls.

Response items are the truth; the events that repeat them count only in files without any item.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Final

from archivist.domain.transcripts import (
    Outcome,
    Relation,
    Role,
    Seen,
    SessionSeen,
    Tally,
    ToolCalled,
)
from archivist.sources.codex_forks import (
    Origin,
    ParentCopy,
    origin_of,
    parents_turns,
    session_named,
)
from archivist.sources.codex_texts import (
    call_arguments,
    judged,
    result_text,
    typed_text,
    visible_text,
)
from archivist.sources.codex_turns import Turns, When
from archivist.sources.records import Record, moment, table_in, text_in
from archivist.sources.session import Calls, Counts, OpenSession

_CALLS: Final = frozenset(
    "function_call custom_tool_call local_shell_call web_search_call tool_search_call"
    " image_generation_call mcp_tool_call tool_call".split()
)
_ANSWERS: Final = frozenset(
    "function_call_output custom_tool_call_output tool_search_output tool_search_call_output"
    " mcp_tool_call_output tool_result".split()
)
_UNDECIDED_EVENTS: Final = 1000


class _Truth(Enum):
    """Which records are the conversation: not known yet, the response items, or the events."""

    UNDECIDED = auto()
    ITEMS = auto()
    EVENTS = auto()


@dataclass(frozen=True, slots=True)
class _Told:
    """An event that repeats a message, or is one."""

    role: Role
    text: str
    when: When


class CodexRecords:
    """Reads the records of one rollout; see `archivist.sources.tail.Parser`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts = Counts()
        self._out: list[Seen] = []
        self._calls = Calls()
        self._session = OpenSession(SessionSeen(session_named(path)), self._counts, self._out)
        self._has_meta = False
        self._copy = ParentCopy()
        self._turns = Turns()
        self._truth = _Truth.UNDECIDED
        self._told: list[_Told] = []
        self._believed: Counter[tuple[Role, int]] = Counter()
        """Events that were taken for the conversation: an item that comes after all is a repeat."""
        self._unnamed: list[tuple[str, str]] = []
        """Open calls without an id, by name: the oldest shapes answer by name."""
        self._kinds: Mapping[object, Callable[[Record, Record], None]] = {
            "session_meta": self._meta,
            "turn_context": self._context,
            "response_item": self._item,
            "event_msg": self._event,
            "compacted": self._compacted,
        }

    @property
    def is_waiting(self) -> bool:
        held = self._copy.origin is Origin.UNDECIDED and bool(self._out)
        return held or (self._truth is _Truth.UNDECIDED and bool(self._told))

    def settle(self) -> None:
        """Take the events for the conversation when no item came, and what came for its own."""
        self._believe_events()
        if self._copy.origin is Origin.UNDECIDED:
            self._copy.origin = Origin.OWN

    def take(self) -> list[Seen]:
        """Return what came out; while it may yet turn out to be the parent's, nothing."""
        if self._copy.origin is Origin.UNDECIDED:
            return []
        if self._copy.origin is Origin.COPIED:
            self._out.clear()
        taken, self._out[:] = list(self._out), []
        return taken

    def tally(self, bad_lines: int) -> Tally:
        """Count the whole file, a copy of the parent's turns included."""
        tally = self._counts.tally(bad_lines)
        if self._truth is not _Truth.UNDECIDED:
            return tally
        waiting = Counter(told.role for told in self._told)
        return replace(tally, user=waiting[self._session.role], assistant=waiting[Role.ASSISTANT])

    def feed(self, record: Record) -> None:
        payload = record.get("payload")
        kind = text_in(record, "type")
        if isinstance(payload, dict):
            handler = self._kinds.get(kind)
            if handler is not None:
                handler(record, payload)
        elif "role" in record or kind in _CALLS or kind in _ANSWERS:
            self._item(record, record)
        elif "type" not in record and "id" in record:
            self._meta(record, record)
        if self._session.about.at is None:
            self._session.learn(at=moment(record.get("timestamp")))
        if self._copy.origin is Origin.UNDECIDED and len(self._out) > _UNDECIDED_EVENTS:
            self._copy.origin = Origin.OWN

    # The session.

    def _meta(self, record: Record, payload: Record) -> None:
        """Take the first head for the session's own; a second one is its parent's, copied."""
        name = text_in(payload, "id") or text_in(payload, "session_id")
        if self._has_meta:
            if name and name != self._session.name:
                self._copied_meta(name)
            return
        self._has_meta = True
        self._turns.cwd = text_in(payload, "cwd")
        parent, relation = origin_of(payload)
        about = SessionSeen(
            name or self._session.name,
            parent,
            relation,
            cwd=self._turns.cwd,
            branch=text_in(table_in(payload, "git"), "branch"),
            at=moment(payload.get("timestamp")) or moment(record.get("timestamp")),
        )
        role = Role.TASK if relation is Relation.SUBAGENT else Role.USER
        self._session = OpenSession(about, self._counts, self._out, role=role)
        if parent is not None:
            self._expect_copy(parent, is_told=False)

    def _copied_meta(self, name: str) -> None:
        """Take the head of another session: what follows may be a copy of that one's turns."""
        if self._session.about.parent is None:
            self._session.learn(parent=name, relation=Relation.FORK)
        self._expect_copy(name, is_told=self._session.role is Role.TASK)

    def _expect_copy(self, parent: str, *, is_told: bool) -> None:
        """Hold what comes until its first turn tells whether it was copied from the parent.

        Nothing is held of a fork whose parent is not there: it may be all that is left of it.
        Where the parent was kept already, the keys of the copied turns are those that it has.
        """
        if self._counts.user:
            return
        if self._session.role is not Role.TASK:
            self._turns.root = parent
        if self._copy.origin is not Origin.OWN:
            return
        is_parents = parents_turns(self._path, self._session.name, parent, is_told=is_told)
        if is_parents is not None:
            self._copy.expect(is_parents)

    def _turn_begins(self, turn: str | None) -> None:
        self._turns.turn_id = turn or self._turns.turn_id
        if self._copy.ends_with(turn):
            self._out.clear()
            self._session.restart()
            self._calls.forget()

    def _context(self, record: Record, payload: Record) -> None:
        self._turn_begins(text_in(payload, "turn_id"))
        self._turns.cwd = text_in(payload, "cwd") or self._turns.cwd
        self._turns.model = text_in(payload, "model") or self._turns.model
        if self._session.about.cwd is None:
            self._session.learn(cwd=self._turns.cwd)

    def _compacted(self, record: Record, payload: Record) -> None:
        self._session.compacted(moment(record.get("timestamp")))

    # Items.

    def _item(self, record: Record, payload: Record) -> None:
        if self._truth is not _Truth.ITEMS:
            self._truth = _Truth.ITEMS
            self._told.clear()
        kind = text_in(payload, "type")
        when = self._turns.now(record)
        if kind in _CALLS:
            self._call(payload, kind or "", when)
        elif kind in _ANSWERS:
            self._answer(payload, self._turns.at(self._session, when))
        elif kind in {None, "message"}:
            match payload.get("role"):
                case "user":
                    self._prompt(typed_text(payload.get("content")), when)
                case "assistant":
                    self._say(visible_text(payload.get("content")), when)

    def _prompt(self, text: str | None, when: When) -> None:
        if text is None or self._is_repeat(self._session.role, text):
            return
        self._counts.user += 1
        self._session.prompt(self._turns.turn(self._session, self._session.role, text, when))

    def _say(self, text: str, when: When) -> None:
        if not text or self._is_repeat(Role.ASSISTANT, text):
            return
        self._counts.assistant += 1
        self._session.answer(self._turns.turn(self._session, Role.ASSISTANT, text, when))

    def _call(self, payload: Record, kind: str, when: When) -> None:
        name = text_in(payload, "name") or text_in(table_in(payload, "function"), "name")
        name = name or kind.removesuffix("_call")
        arguments = call_arguments(payload)
        call = text_in(payload, "call_id") or text_in(payload, "id")
        if call is None:
            call = self._turns.key(when.turn or when.stamp, name, arguments)
            self._unnamed.append((name, call))
        self._open(call, name, arguments, when)
        if kind in {"web_search_call", "image_generation_call"}:
            self._finish_hosted(call, payload, self._turns.at(self._session, when))

    def _open(self, call: str, name: str, arguments: str, when: When) -> None:
        if self._calls.is_known(call):
            return
        if self._session.home is None:
            turn = self._turns.turn(self._session, Role.ASSISTANT, "", when, call=call)
            self._session.answer(turn)
        home = self._session.home or ""
        called = ToolCalled(home, call, name, arguments, self._turns.at(self._session, when))
        self._calls.add(self._session, called)

    def _finish_hosted(self, call: str, payload: Record, at: int | None) -> None:
        """End a call that the model's server did: it has no item for its answer."""
        match payload.get("status"):
            case "completed":
                self._calls.answer(call, Outcome.OK, result_text(payload), at)
            case "failed":
                self._calls.answer(call, Outcome.FAILED, result_text(payload), at)

    def _answer(self, payload: Record, at: int | None) -> None:
        call = text_in(payload, "call_id") or text_in(payload, "tool_call_id")
        if call is None:
            call = self._unnamed_call(text_in(payload, "name"))
            if call is None:
                return
        outcome, output = judged(payload.get("output", payload.get("result")))
        self._calls.answer(call, outcome, output, at)

    def _unnamed_call(self, name: str | None) -> str | None:
        for index in range(len(self._unnamed) - 1, -1, -1):
            if name is None or self._unnamed[index][0] == name:
                return self._unnamed.pop(index)[1]
        return None

    # Events.

    def _event(self, record: Record, payload: Record) -> None:
        when = self._turns.now(record)
        match payload.get("type"):
            case "user_message":
                self._hear(self._session.role, typed_text(payload.get("message")), when)
            case "agent_message":
                self._hear(Role.ASSISTANT, visible_text(payload.get("message")), when)
            case "task_started" | "turn_started":
                self._turn_begins(text_in(payload, "turn_id"))
            case "task_complete" | "turn_complete" | "turn_aborted":
                self._believe_events()
            case "patch_apply_end":
                if payload.get("success") is False:
                    self._failed(payload, "apply_patch", result_text(payload), when)
            case "mcp_tool_call_end":
                self._mcp_ended(payload, when)
            case "thread_name_updated":
                self._session.learn(
                    title=text_in(payload, "thread_name") or text_in(payload, "name")
                )

    def _hear(self, role: Role, text: str | None, when: When) -> None:
        """Take a message event: a repeat where there are items, else perhaps the message itself."""
        if not text or self._truth is _Truth.ITEMS:
            return
        if self._truth is _Truth.UNDECIDED:
            is_second = role is not Role.ASSISTANT and any(t.role is role for t in self._told)
            self._told.append(_Told(role, text, when))
            if is_second:
                self._believe_events()
            return
        self._repeat(_Told(role, text, when))

    def _believe_events(self) -> None:
        if self._truth is not _Truth.UNDECIDED or not self._told:
            return
        self._truth = _Truth.EVENTS
        told, self._told = self._told, []
        for message in told:
            self._repeat(message)

    def _is_repeat(self, role: Role, text: str) -> bool:
        if self._truth is not _Truth.ITEMS or not self._believed[role, hash(text)]:
            return False
        self._believed[role, hash(text)] -= 1
        return True

    def _repeat(self, told: _Told) -> None:
        self._believed[told.role, hash(told.text)] += 1
        if told.role is Role.ASSISTANT:
            self._say(told.text, told.when)
        else:
            self._prompt(told.text, told.when)

    def _mcp_ended(self, payload: Record, when: When) -> None:
        result = table_in(payload, "result")
        done = table_in(result, "Ok")
        if "Err" in result or done.get("is_error") is True or done.get("isError") is True:
            tool = text_in(table_in(payload, "invocation"), "tool") or "mcp"
            _, output = judged(result.get("Err", done))
            self._failed(payload, tool, output, when)

    def _failed(self, payload: Record, name: str, output: str, when: When) -> None:
        """Take a failure that an event tells; its call may have no item, or not yet."""
        call = text_in(payload, "call_id")
        if call is not None:
            self._open(call, name, call_arguments(payload), when)
            self._calls.answer(call, Outcome.FAILED, output, self._turns.at(self._session, when))
