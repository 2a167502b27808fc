"""The normal form that every reader of a source yields, in the order of the file.

Times are UTC milliseconds, or None where the record has none. Texts are raw: the gate comes after.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias


class Source(StrEnum):
    """Where conversations come from; the value is the stable name in JSON and settings."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    QWEN_CODE = "qwen-code"
    OPENCODE = "opencode"
    CURSOR = "cursor"
    COPILOT_VSCODE = "copilot-vscode"
    COPILOT_CLI = "copilot-cli"
    AIDER = "aider"
    CLINE = "cline"
    SPECSTORY = "specstory"
    CHATGPT = "chatgpt"
    CLAUDE_AI = "claude-ai"
    OPEN_WEBUI = "open-webui"
    LM_STUDIO = "lm-studio"
    LLM = "llm"
    OPENHUMAN = "openhuman"
    OPENAI = "openai"
    ARCHIVIST = "archivist"
    CLIPBOARD = "clipboard"


WHOLE: Final = frozenset({Source.CLIPBOARD})
"""Sources whose sessions come in one piece: nothing more is to be waited for."""


class Role(StrEnum):
    """Who speaks. A task is a prompt that is not known to be the person's own word.

    An agent gave it to a sub-agent, or it was pasted: no lesson ever stands on one.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TASK = "task"


class Relation(StrEnum):
    """How a session came out of its parent."""

    FORK = "fork"
    RESUME = "resume"
    SUBAGENT = "subagent"


class Outcome(StrEnum):
    """What became of a tool call. A rejection by the person also counts as failed."""

    PENDING = "pending"
    OK = "ok"
    FAILED = "failed"
    REJECTED = "rejected"


class ReadMode(StrEnum):
    """How a source changes its files: grows them, writes them anew, or is an SQLite database."""

    APPEND = "append"
    REWRITE = "rewrite"
    SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """A session, or news of one. None means "not said here" and never erases what is known."""

    session: str
    parent: str | None = None
    relation: Relation | None = None
    cwd: str | None = None
    branch: str | None = None
    title: str | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """One turn as far as it is known. The same key again carries the whole text so far.

    `key` is unique within the source: the same key in another session or file is a copy (fork,
    resumed or compacted copy) and adds nothing.
    """

    key: str
    session: str
    role: Role
    text: str
    at: int | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    queued: bool = False


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool call of the assistant turn `turn`; `arguments` is JSON text where there is JSON."""

    turn: str
    call: str
    name: str
    arguments: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """The result of the call `call` of the turn `turn`; later news of the same call replaces it."""

    turn: str
    call: str
    outcome: Outcome
    output: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """The assistant replaced its context by a summary; the turns before it stay as they are."""

    session: str
    at: int | None = None


Seen: TypeAlias = SessionSeen | TurnSeen | ToolCalled | ToolAnswered | Compacted


@dataclass(frozen=True, slots=True)
class Tally:
    """What the whole file holds so far, copies included, by the counting rule of the sources.

    user: prompts of a person (task prompts where the whole file is a sub-agent), queued ones apart.
    assistant: distinct messages with visible text. tools: distinct calls. failed: calls whose
    result says failure, rejections included. bad_lines: lines that hold no record.
    """

    user: int = 0
    assistant: int = 0
    tools: int = 0
    failed: int = 0
    queued: int = 0
    rejected: int = 0
    bad_lines: int = 0


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file was read, and what it looked like then (to notice a rewrite or a swap).

    offset: first byte not consumed. head, tail: hex SHA-256 of the first 4 KB and of the last 4 KB
    before `offset`. identity: device and inode, or the Windows file id. mark: the reader's own.
    """

    offset: int
    size: int
    mtime_ns: int
    identity: str
    head: str
    tail: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some records of a file and the cursor that may be stored once they are committed."""

    seen: tuple[Seen, ...]
    cursor: Cursor
    tally: Tally
