"""Records as Claude Code writes them, each a child of the one before."""

import uuid
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]


def uid(number: int) -> str:
    return str(uuid.UUID(int=0x1000 + number, version=4))


SESSION = uid(900)
FORK = uid(901)


@dataclass
class Story:
    """Writes the records of one session, each a child of the one before."""

    session: str = SESSION
    number: int = 0
    parent: str | None = None

    def record(self, kind: str, /, **fields: object) -> Record:
        self.number += 1
        made: Record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uid(self.number),
            "timestamp": f"2026-11-28T10:{self.number // 60:02}:{self.number % 60:02}.000Z",
            "sessionId": self.session,
            "cwd": "/home/anna/src/shop",
            "gitBranch": "main",
            **fields,
        }
        self.parent = made["uuid"]
        return made

    def user(self, content: object, /, **fields: object) -> Record:
        return self.record("user", message={"role": "user", "content": content}, **fields)

    def says(self, *blocks: Record | str, name: str | None = None, **fields: object) -> Record:
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        message = {
            "id": name or f"msg_{self.number}",
            "role": "assistant",
            "model": "claude-opus-5",
            "content": content,
        }
        return self.record("assistant", message=message, **fields)

    def result(self, call: str, content: object = "fine", /, **fields: object) -> Record:
        block = {"type": "tool_result", "tool_use_id": call, "content": content, **fields}
        return self.user([block])


def use(call: str, name: str = "Bash", **arguments: object) -> Record:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


THINKING = {"type": "thinking", "thinking": "hidden", "signature": "c2ln"}


def queued(tell: Story, prompt: object, **fields: object) -> Record:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **fields}
    return {
        "type": "attachment",
        "attachment": attachment,
        "timestamp": f"2026-11-28T11:00:{tell.number:02}.000Z",
        "sessionId": tell.session,
    }
