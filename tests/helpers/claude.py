"""Write transcripts in the form of Claude Code, for tests that need real files."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

START = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)


def uuid(number: int) -> str:
    """Return a fixed UUID."""
    return str(UUID(int=(0xA11 << 96) + number, version=4))


class Writer:
    """Makes the records of one session, each a few seconds after the last."""

    def __init__(self, session: int = 1, *, cwd: str = "/home/demo/code/app") -> None:
        self.session = uuid(session)
        self._cwd = cwd
        self._number = session * 10_000
        self._at = START + timedelta(hours=session)
        self._last: str | None = None

    def _record(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a record
        self._number += 1
        self._at += timedelta(seconds=5)
        ident = uuid(self._number)
        record = {
            "parentUuid": self._last,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self.session,
            "version": "2.1.17",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": ident,
            "timestamp": self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self._last = ident
        return record | more

    def wait(self, seconds: float) -> None:
        """Let time pass before the next record."""
        self._at += timedelta(seconds=seconds)

    def user(self, text: str) -> dict[str, Any]:
        """A prompt of the person."""
        return self._record("user", {"role": "user", "content": text})

    def assistant(self, *blocks: dict[str, Any], text: str = "") -> dict[str, Any]:
        """One message of the assistant."""
        content = [{"type": "text", "text": text}] if text else []
        message = {
            "id": f"msg_{self._number + 1:024d}",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [*content, *blocks],
        }
        return self._record("assistant", message)

    def result(self, call: str, text: str, *, failed: bool = False) -> dict[str, Any]:
        """The result of a tool call."""
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
        return self._record("user", {"role": "user", "content": [block]})


def call(ident: str, name: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A tool call, for `Writer.assistant`."""
    return {"type": "tool_use", "id": ident, "name": name, "input": arguments}


def lines(records: Sequence[dict[str, Any]]) -> bytes:
    """Return records as the bytes of a transcript."""
    return b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in records)


def transcript(home: Path, writer: Writer, records: Sequence[dict[str, Any]]) -> Path:
    """Write a session below a home folder; return its path."""
    slug = "-home-demo-code-app"
    path = home / ".claude" / "projects" / slug / f"{writer.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(records))
    return path


def chat(
    session: int, prompts: Sequence[str], *, cwd: str = "/home/demo/code/app"
) -> tuple[Writer, list[dict[str, Any]]]:
    """Return a session in which each prompt gets an answer."""
    writer = Writer(session, cwd=cwd)
    records = []
    for number, prompt in enumerate(prompts):
        records.append(writer.user(prompt))
        records.append(writer.assistant(text=f"Answer {number} to that."))
    return writer, records
