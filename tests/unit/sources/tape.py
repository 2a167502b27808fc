"""Lines as Codex writes them into a rollout, a second apart."""

from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]

OWN = "019b2ea4-aaaa-7bbb-8ccc-000000000001"
PARENT = "019b2ea4-aaaa-7bbb-8ccc-000000000002"
DAY = "sessions/2026/11/28"


def rollout(session: str) -> str:
    return f"{DAY}/rollout-2026-11-28T10-00-00-{session}.jsonl"


@dataclass
class Tape:
    """Writes the lines of one rollout, a second apart."""

    seconds: int = 0

    def line(self, kind: str, payload: Record) -> Record:
        self.seconds += 1
        at = f"2026-11-28T10:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z"
        return {"timestamp": at, "type": kind, "payload": payload}

    def meta(self, session: str = OWN, **fields: object) -> Record:
        payload = {"id": session, "cwd": "/home/anna/src/shop", "git": {"branch": "main"}, **fields}
        return self.line("session_meta", payload)

    def context(self, **fields: object) -> Record:
        return self.line(
            "turn_context", {"cwd": "/home/anna/src/shop", "model": "gpt-5.5", **fields}
        )

    def item(self, kind: str, **fields: object) -> Record:
        return self.line("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields: object) -> Record:
        return self.line("event_msg", {"type": kind, **fields})

    def user(self, *texts: str) -> Record:
        content = [{"type": "input_text", "text": text} for text in texts]
        return self.item("message", role="user", content=content)

    def says(self, text: str) -> Record:
        content = [{"type": "output_text", "text": text}]
        return self.item("message", role="assistant", content=content)

    def call(self, name: str = "c1", tool: str = "shell", arguments: str = "{}") -> Record:
        return self.item("function_call", name=tool, arguments=arguments, call_id=name)

    def output(self, output: object, name: str = "c1") -> Record:
        return self.item("function_call_output", call_id=name, output=output)
