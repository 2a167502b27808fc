from dataclasses import dataclass
from pathlib import Path

import pytest

from archivist.sources.claude_code import ClaudeCode
from unit.sources.shelf import Shelf
from unit.sources.story import Story


@pytest.fixture
def reader() -> ClaudeCode:
    return ClaudeCode()


@pytest.fixture
def tell() -> Story:
    return Story()


# Where they are.


@dataclass(frozen=True)
class FakeHome:
    folder: Path
    variables: tuple[tuple[str, str], ...] = ()

    def variable(self, name: str) -> str | None:
        return dict(self.variables).get(name)


def test_every_place_of_every_system_is_looked_at(tmp_path: Path, reader: ClaudeCode) -> None:
    packaged = tmp_path / "AppData/Local/Packages/Claude_pzs8"
    packaged.mkdir(parents=True)
    agent = "local-agent-mode-sessions"
    assert set(reader.roots(FakeHome(tmp_path))) == {
        tmp_path / ".claude/projects",
        tmp_path / ".config/claude/projects",
        tmp_path / "Library/Application Support/Claude" / agent,
        tmp_path / ".config/Claude" / agent,
        tmp_path / "AppData/Roaming/Claude" / agent,
        packaged / "LocalCache/Roaming/Claude" / agent,
    }


def test_variables_move_the_places(tmp_path: Path, reader: ClaudeCode) -> None:
    moved = FakeHome(tmp_path, (("CLAUDE_CONFIG_DIR", "/data/claude"), ("APPDATA", "/roaming")))
    roots = reader.roots(moved)
    assert Path("/data/claude/projects") in roots
    assert Path("/roaming/Claude/local-agent-mode-sessions") in roots
    assert tmp_path / ".claude/projects" not in roots


def test_only_transcripts_are_found(shelf: Shelf, reader: ClaudeCode) -> None:
    for name in (
        "-src/a.jsonl",
        "-src/agent-1.jsonl",
        "-src/a/subagents/agent-2.jsonl",
        "-src/a/subagents/agent-2.meta.json",
        "-src/a/subagents/workflows/w/agent-3.jsonl",
        "-src/a/subagents/workflows/w/journal.jsonl",
        "-src/a/tool-results/out.jsonl",
        "-src/memory/MEMORY.md",
        "-src/a.jsonl.tmp-1",
    ):
        shelf.put(f"projects/{name}")
    assert sorted(path.name for path in reader.files(shelf.folder / "projects")) == [
        "a.jsonl",
        "agent-1.jsonl",
        "agent-2.jsonl",
        "agent-3.jsonl",
    ]


def test_in_any_other_folder_files_are_told_by_their_records(
    shelf: Shelf, reader: ClaudeCode, tell: Story
) -> None:
    shelf.put("backup/mine.jsonl", tell.user("hi"))
    shelf.put("backup/rollout-1.jsonl", {"type": "session_meta", "payload": {"id": "x"}})
    shelf.put("backup/empty.jsonl")
    assert [path.name for path in reader.files(shelf.folder)] == ["mine.jsonl"]


def test_agent_mode_keeps_more_than_transcripts(shelf: Shelf, reader: ClaudeCode) -> None:
    root = shelf.folder / "local-agent-mode-sessions"
    shelf.put("local-agent-mode-sessions/u/s/.claude/projects/-x/a.jsonl")
    shelf.put("local-agent-mode-sessions/u/s/audit.jsonl")
    assert [path.name for path in reader.files(root)] == ["a.jsonl"]


@pytest.mark.parametrize(
    "head, wanted",
    [
        (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', True),
        (b'{"type":"queue-operation","operation":"enqueue","sessionId":"s"}\n', True),
        (b'{"type":"user","message":{"content":"hi"},"timestamp":"t"}\n', True),
        (b"rubbish\n" + b'{"type":"user","sessionId":"s","message":{}}\n', True),
        (b'{"parentUuid":null,"isSidechain":false,"message":"' + b"x" * 9000, True),
        (b'{"type":"user","uuid":"u","sessionId":"s","message":{"parts":[]}}\n', False),
        (b'{"type":"session_meta","payload":{"id":"x"},"sessionId":"s"}\n', False),
        (b'{"type":"session.start","data":{"sessionId":"s"},"id":"e"}\n', False),
        (b'{"role":"user","message":{"content":[]}}\n', False),
        (b'{"sessionId":"s","projectHash":"h","kind":"main"}\n', False),
        (b'{"id":"m","type":"user","content":[{"text":"hi"}]}\n', False),
        (b'{"type":"started","key":"v2","agentId":"a"}\n', False),
        (b"# aider chat started at 2026-01-01\n", False),
        (b'{"type":[],"role":{},"message":5}\n', False),
        (b"", False),
        (b"\x00\x01\x02", False),
    ],
)
def test_a_transcript_is_told_by_its_records(
    reader: ClaudeCode, head: bytes, *, wanted: bool
) -> None:
    assert reader.claims(Path("any.name"), head) is wanted
