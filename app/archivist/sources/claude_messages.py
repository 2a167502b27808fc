"""The assistant's messages of a Claude Code transcript, with their tool calls and results.

One message is several records with the same message id: one for each block, or snapshots of it as
it grew. Some gateways give every answer the same id, so a prompt in between ends a message, and
equal texts are copies only under the same id and in answer to the same prompt.
"""

import re
from typing import Final

from archivist.domain.transcripts import Outcome, Role, ToolCalled, TurnSeen
from archivist.sources.claude_strands import Message, Strand
from archivist.sources.content import json_text, key_of, output_text
from archivist.sources.records import Record, moment, table_in, tables_in, text_in
from archivist.sources.session import Calls

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REFUSALS: Final = ("doesn't want to proceed", "doesn't want to take this action")
_KINDS: Final = ("text", "tool_use", "tool_result")
_OPEN_MESSAGES: Final = 32


class Messages:
    """Puts records of the assistant together to turns."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._blocks: set[int] = set()
        """Hashes of the text blocks under their exchange and their message's id."""
        self._keys: set[int] = set()
        """Hashes of the keys of messages without any id."""

    def take(self, record: Record, strand: Strand) -> None:
        """Take one record of the assistant in; an error message of the program is none."""
        self._take(record, strand, strand.exchange)

    def take_again(self, record: Record, strand: Strand, uuid: str) -> None:
        """Take a record that was written anew under its uuid: its message may have grown."""
        message = strand.messages.get(text_in(table_in(record, "message"), "id") or "")
        if message is not None and hash(uuid) in message.records:
            self._take(record, strand, message.exchange)

    def _take(self, record: Record, strand: Strand, exchange: int) -> None:
        message = table_in(record, "message")
        if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        name = text_in(message, "id")
        scope = f"{exchange}:{name}" if name else None
        blocks = _blocks(message)
        fresh = [(kind, block) for kind, block in blocks if self._is_fresh(kind, block, scope)]
        if blocks and not fresh:
            return
        known = strand.messages.get(name) if name else None
        if known is None:
            known = self._new(record, blocks, name, exchange)
            if known is None:
                return
            if name:
                strand.messages[name] = known
                if len(strand.messages) > _OPEN_MESSAGES:
                    strand.messages.popitem(last=False)
        known.records.add(hash(text_in(record, "uuid")))
        self._say(record, strand, known, fresh)

    def take_results(self, record: Record) -> None:
        """Bring the tool results of a user record to their calls."""
        is_denied = (text_in(record, "toolDenialKind") or "").startswith("user")
        for block in tables_in(table_in(record, "message").get("content")):
            if block.get("type") == "tool_result":
                self._result(record, block, is_denied=is_denied)

    def _new(
        self, record: Record, blocks: list[tuple[str, Record]], name: str | None, exchange: int
    ) -> Message | None:
        """Open a message under the key of its first record; None when it is a copy without ids."""
        stamp = text_in(record, "timestamp")
        uuid = text_in(record, "uuid")
        key = key_of_record(uuid, stamp, name or json_text(blocks[:1]))
        if uuid is None and name is None:
            if hash(key) in self._keys:
                return None
            self._keys.add(hash(key))
        return Message(key, moment(stamp), exchange)

    def _is_fresh(self, kind: str, block: Record, scope: str | None) -> bool:
        """Tell whether a block is seen for the first time in its scope, a message with an id."""
        if kind == "tool_use":
            return not self._calls.is_known(text_in(block, "id") or "")
        if kind == "text" and scope is not None:
            identity = hash((scope, text_in(block, "text")))
            if identity in self._blocks:
                return False
            self._blocks.add(identity)
        return True

    def _say(
        self, record: Record, strand: Strand, message: Message, blocks: list[tuple[str, Record]]
    ) -> None:
        has_grown = False
        for index, (kind, block) in enumerate(blocks):
            if kind == "text":
                text = (text_in(block, "text") or "").strip()
                if text:
                    strand.session.counts.assistant += not message.parts
                    strand.queued.clear()  # what was typed meanwhile is answered
                    message.add(text)
                    has_grown = True
            elif kind == "tool_use":
                if has_grown or (not message.is_told and strand.session.home is None):
                    _tell(record, strand, message)
                    has_grown = False
                self._call(record, strand, message, block, index)
            else:
                self._result(record, block)
        if has_grown:
            _tell(record, strand, message)

    def _call(
        self, record: Record, strand: Strand, message: Message, block: Record, index: int
    ) -> None:
        """Give a call to its message's turn, else to the latest turn of the exchange."""
        home = message.key if message.is_told else strand.session.home or message.key
        call = text_in(block, "id") or f"{text_in(record, 'uuid') or message.key}:{index}"
        name = text_in(block, "name") or "unknown"
        arguments = json_text(block.get("input"))
        at = moment(record.get("timestamp"))
        self._calls.add(strand.session, ToolCalled(home, call, name, arguments, at))

    def _result(self, record: Record, block: Record, *, is_denied: bool = False) -> None:
        call = text_in(block, "tool_use_id")
        if call is None:
            return
        content = block.get("content")
        output = output_text(content)
        if isinstance(content, dict) and str(content.get("type")).endswith("_error"):
            outcome = Outcome.FAILED  # a search or fetch that the server did
        elif block.get("is_error") is not True and not output.startswith("<tool_use_error>"):
            outcome = Outcome.OK
        elif is_denied or any(words in output[:400] for words in _REFUSALS):
            outcome = Outcome.REJECTED
        else:
            outcome = Outcome.FAILED
        self._calls.answer(call, outcome, output, moment(record.get("timestamp")))


def key_of_record(uuid: str | None, stamp: str | None, said: str) -> str:
    """Return what is the same in every copy of a record and in no other record.

    Forks copy a record with its uuid and time into another session. Only real uuids stand alone.
    """
    if uuid is not None and _UUID.fullmatch(uuid):
        return uuid
    return key_of(uuid, stamp, said)


def _tell(record: Record, strand: Strand, message: Message) -> None:
    message.is_told = True
    strand.session.answer(
        TurnSeen(
            key=message.key,
            session=strand.session.name,
            role=Role.ASSISTANT,
            text=message.text,
            at=message.at,
            cwd=text_in(record, "cwd"),
            branch=text_in(record, "gitBranch"),
            model=text_in(table_in(record, "message"), "model"),
        )
    )


def _blocks(message: Record) -> list[tuple[str, Record]]:
    """Return the text and tool blocks of a message by kind; thinking is left out."""
    content = message.get("content")
    if isinstance(content, str):
        return [("text", {"type": "text", "text": content})]
    return [(kind, block) for block in tables_in(content) if (kind := _kind(block))]


def _kind(block: Record) -> str | None:
    """Return the kind of a block; calls that the model's server does itself are calls too."""
    name = block.get("type")
    if name in _KINDS:
        return str(name)
    return next((kind for kind in _KINDS if str(name).endswith(f"_{kind}")), None)
