"""The demo home is what its README says. Plain Python: no part of the product is used here."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

Record = dict[str, Any]

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
HOME = DEMO / "home"
README = (DEMO / "README.md").read_text(encoding="utf-8")
HALF_WRITTEN = "ja-2"
FIRST, LAST = datetime(2026, 9, 1, tzinfo=UTC), datetime(2026, 11, 20, tzinfo=UTC)

NOT_TYPED = (
    "<command-name>",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
)
EDITOR_NOTE = re.compile(r"<ide_opened_file>.*?</ide_opened_file>\s*", re.DOTALL)
EDITOR_PREAMBLE = re.compile(r"# Context from my IDE setup:.*## My request for Codex:\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the README's table."""

    name: str
    path: Path
    user: int
    queued: int
    assistant: int
    tools: int
    failed: int
    gaps: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A line of one of the README's lists: a sentence, and the sessions in which it stands."""

    part: str
    lang: str
    kind: str
    sessions: tuple[str, ...]
    quote: str


def table() -> dict[str, Row]:
    found = re.findall(r"^\| (\S+) \| `(\S+)` \|((?: \d+ \|){6})$", README, re.MULTILINE)
    return {
        name: Row(name, HOME / path, *map(int, re.findall(r"\d+", numbers)))
        for name, path, numbers in found
    }


def claims() -> Iterator[Claim]:
    part = lang = ""
    for line in README.splitlines():
        if line.startswith("## "):
            part, lang = line[3:], ""
        elif line in {"English", "German", "Chinese", "Japanese"}:
            lang = line
        elif found := re.fullmatch(r'- ([a-z -]+) \| ([\w, -]+) \| "(.*)"(?: \| [^"]*)?', line):
            yield Claim(part, lang, found[1], tuple(found[2].split(", ")), found[3])


ROWS = table()
CLAUDE = [row for row in ROWS.values() if ".claude" in row.path.parts]
CODEX = [row for row in ROWS.values() if ".codex" in row.path.parts]
CLAIMS = list(claims())
KEPT, NOT_KEPT = "What should become a lesson", "What must not become a lesson"


def records(path: Path) -> list[Record]:
    """The whole lines of a file; what follows the last line end is not one yet."""
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in whole.split(b"\n")]


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def when(record: Record) -> datetime:
    return datetime.fromisoformat(record["timestamp"])


def blocks(record: Record) -> list[Record]:
    content = record.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def typed(record: Record) -> str | None:
    """The prompt in a record, of either program, or None when no person typed it."""
    payload = record.get("payload", {})
    if payload.get("type") == "user_message":
        return EDITOR_PREAMBLE.sub("", payload["message"])
    if (note := record.get("attachment", {})).get("type") == "queued_command":
        return str(note["prompt"])
    if record["type"] != "user" or record.get("isMeta") or record.get("isSidechain"):
        return None
    text = "\n".join(block["text"] for block in blocks(record) if block["type"] == "text")
    text = EDITOR_NOTE.sub("", text)
    return text if text and not text.startswith(NOT_TYPED) else None


def replies(record: Record) -> list[str]:
    """What the assistant said to the person in a record."""
    payload = record.get("payload", {})
    if record["type"] == "response_item" and payload.get("role") == "assistant":
        return [part["text"] for part in payload["content"]]
    if record["type"] == "assistant":
        return [block["text"] for block in blocks(record) if block["type"] == "text"]
    return []


def calls(record: Record) -> list[str]:
    payload = record.get("payload", {})
    if payload.get("type") in {"function_call", "custom_tool_call"}:
        return [payload["call_id"]]
    return [block["id"] for block in blocks(record) if block["type"] == "tool_use"]


def results(record: Record) -> list[tuple[str, str, bool]]:
    """Call, text and failure of each tool result in a record."""
    payload = record.get("payload", {})
    if payload.get("type") in {"function_call_output", "custom_tool_call_output"}:
        text = payload["output"]
        code = re.search(r'(?:exited with code |"exit_code":)(\d+)', text)
        return [(payload["call_id"], text, code[1] != "0" if code else "failed" in text)]
    return [
        (block["tool_use_id"], "\n".join(strings(block["content"])), block.get("is_error", False))
        for block in blocks(record)
        if block["type"] == "tool_result"
    ]


def prompts(name: str) -> list[str]:
    return [text for record in records(ROWS[name].path) if (text := typed(record)) is not None]


def tool_texts(name: str) -> list[str]:
    return [text for record in records(ROWS[name].path) for _, text, _ in results(record)]


def copied(name: str) -> set[str]:
    """The uuids that a fork wrote again."""
    if name != "en-1-fork":
        return set()
    return {record["uuid"] for record in records(ROWS["en-1"].path) if "uuid" in record}


def gaps(name: str) -> int:
    found, ended, known = 0, None, copied(name)
    for record in records(ROWS[name].path):
        if record.get("uuid") in known:
            continue
        if typed(record) is not None:
            found += ended is not None and (when(record) - ended).total_seconds() > 600
        elif replies(record) or calls(record) or results(record):
            ended = when(record)
    return found


def test_table_names_every_transcript() -> None:
    assert {row.path for row in ROWS.values()} == set(HOME.rglob("*.jsonl"))
    assert len(CLAUDE) == 13
    assert len(CODEX) == 3


@pytest.mark.parametrize("name", ROWS)
def test_each_line_is_an_object(name: str) -> None:
    data = ROWS[name].path.read_bytes()
    whole, _, tail = data.rpartition(b"\n")
    assert all(isinstance(json.loads(line), dict) for line in whole.split(b"\n"))
    assert b"\r" not in data
    if name != HALF_WRITTEN:
        assert tail == b""
        return
    with pytest.raises(json.JSONDecodeError):
        json.loads(tail.decode("utf-8"))


@pytest.mark.parametrize("name", ROWS)
def test_counts_are_those_of_the_table(name: str) -> None:
    row, found = ROWS[name], records(ROWS[name].path)
    failed = [call for record in found for call, _, bad in results(record) if bad]
    queued = sum("attachment" in record and typed(record) is not None for record in found)
    said = {record["message"]["id"] for record in found if "message" in record and replies(record)}
    spoken = len(said) or sum(map(len, map(replies, found)))
    tasks = sum(
        record.get("isSidechain", False) and record["parentUuid"] is None for record in found
    )
    tools = sum(map(len, map(calls, found)))
    counted = (len(prompts(name)) + tasks - queued, queued, spoken, tools, len(failed), gaps(name))
    assert counted == (row.user, row.queued, row.assistant, row.tools, row.failed, row.gaps)


def test_prompts_of_the_whole_home() -> None:
    again = sum(
        record["uuid"] in copied("en-1-fork") and typed(record) is not None
        for record in records(ROWS["en-1-fork"].path)
        if "uuid" in record
    )
    total = sum(len(prompts(name)) for name in ROWS) - again
    assert f"All in all: {total} prompts typed" in README


@pytest.mark.parametrize("name", ROWS)
def test_each_call_has_one_result_after_it(name: str) -> None:
    asked: list[str] = []
    answered: list[str] = []
    for record in records(ROWS[name].path):
        asked += calls(record)
        answered += [call for call, _, _ in results(record)]
        assert set(answered) <= set(asked)
    assert Counter(asked) == Counter(answered)
    assert len(set(asked)) == len(asked)


def test_uuids_occur_once_but_in_the_fork() -> None:
    seen = Counter(
        record["uuid"] for row in CLAUDE for record in records(row.path) if "uuid" in record
    )
    again = {uuid for uuid, times in seen.items() if times > 1}
    fork = [record["uuid"] for record in records(ROWS["en-1-fork"].path) if "uuid" in record]
    assert again == set(fork) & copied("en-1-fork")
    assert fork[: len(again)] == [uuid for uuid in fork if uuid in again]
    assert 0 < len(again) < len(fork)


def test_fork_copies_are_equal_but_for_the_session() -> None:
    first = {record["uuid"]: record for record in records(ROWS["en-1"].path) if "uuid" in record}
    for record in records(ROWS["en-1-fork"].path):
        if (of := first.get(record.get("uuid", ""))) is not None:
            assert record["sessionKind"] == "bg"
            own = {key: value for key, value in record.items() if key != "sessionKind"}
            assert own == of | {"sessionId": record["sessionId"]}


@pytest.mark.parametrize("row", CLAUDE, ids=lambda row: row.name)
def test_parent_chains_are_whole(row: Row) -> None:
    seen: set[str] = set()
    roots = []
    for record in records(row.path):
        if "uuid" not in record:
            continue
        if (parent := record["parentUuid"]) is None:
            roots.append(record)
        else:
            assert parent in seen
        assert record.get("logicalParentUuid") in seen | {None}
        seen.add(record["uuid"])
    assert "logicalParentUuid" not in roots[0]
    assert [root["subtype"] for root in roots[1:]] == ["compact_boundary"] * (row.name == "en-3")


@pytest.mark.parametrize("row", CLAUDE, ids=lambda row: row.name)
def test_claude_files_lie_where_their_records_say(row: Row) -> None:
    found = records(row.path)
    folder, *_ = row.path.relative_to(HOME / ".claude" / "projects").parts
    first = next(record["cwd"] for record in found if "cwd" in record)
    assert folder == re.sub(r"[^A-Za-z0-9]", "-", first)
    agents = {record.get("agentId") for record in found}
    (session,) = {record["sessionId"] for record in found if "sessionId" in record}
    if agents == {None}:
        assert row.path.stem == session
        return
    assert row.path.parts[-3:-1] == (session, "subagents")
    assert agents == {row.path.stem.removeprefix("agent-")}
    meta = json.loads(row.path.with_suffix(".meta.json").read_text(encoding="utf-8"))
    assert meta["agentType"] == "general-purpose"


@pytest.mark.parametrize("row", CODEX, ids=lambda row: row.name)
def test_codex_files_lie_where_their_records_say(row: Row) -> None:
    found = records(row.path)
    meta = found[0]["payload"]
    start = datetime.fromisoformat(meta["timestamp"])
    assert found[0]["type"] == "session_meta"
    assert row.path.name == f"rollout-{start:%Y-%m-%dT%H-%M-%S}-{meta['id']}.jsonl"
    assert row.path.parts[-4:-1] == (f"{start:%Y}", f"{start:%m}", f"{start:%d}")
    items = [
        "".join(strings(record["payload"]["content"])).removeprefix("input_text")
        for record in found
        if record["payload"].get("role") == "user"
    ]
    events = [r["payload"]["message"] for r in found if r["payload"].get("type") == "user_message"]
    assert [text for text in items if not text.startswith(("<", "# AGENTS.md"))] == events


@pytest.mark.parametrize("name", ROWS)
def test_times_run_forward_in_the_autumn_of_2026(name: str) -> None:
    times = [when(record) for record in records(ROWS[name].path) if "timestamp" in record]
    assert times == sorted(times)
    assert FIRST < times[0] <= times[-1] < LAST


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.kind}-{claim.quote[:24]}")
def test_sentence_stands_where_the_readme_says(claim: Claim) -> None:
    for name in claim.sessions:
        found = records(ROWS[name].path)
        said = [text for record in found for text in replies(record)]
        places = {
            "assistant": said,
            "context": [text for record in found for text in strings(record.get("payload"))],
            "injected": tool_texts(name),
            "summary": [s for r in found if r.get("isCompactSummary") for s in strings(r)],
            "task": list(strings(found[0])),
            "tool": tool_texts(name),
        }
        assert any(claim.quote in text for text in places.get(claim.kind, prompts(name)))
        if claim.kind in places:
            assert not any(claim.quote in text for text in prompts(name))


def test_each_language_has_each_kind() -> None:
    kinds = {"commitment", "correction", "decision", "fact", "preference", "rule"}
    traps = {"assistant", "code", "hypothesis", "log", "negation", "one-off", "question"}
    for lang in ("English", "German", "Chinese", "Japanese"):
        mine = [claim for claim in CLAIMS if claim.lang == lang]
        assert {claim.kind for claim in mine if claim.part == KEPT} == kinds
        assert {claim.kind for claim in mine if claim.part == NOT_KEPT} >= traps
    assert [claim.kind for claim in CLAIMS].count("revoked") == 1


def test_no_sentence_is_on_two_sides() -> None:
    kept = [claim for claim in CLAIMS if claim.part == KEPT]
    for claim in CLAIMS:
        if claim.part in {NOT_KEPT, "Either is right"}:
            assert not any(
                set(one.sessions) & set(claim.sessions) and one.quote in claim.quote for one in kept
            )
    assert len({claim.quote for claim in kept}) == len(kept)


def planted() -> list[str]:
    """The made-up secrets, read from the one prompt that pastes them."""
    (text,) = [text for text in prompts("en-2") if "GITHUB_TOKEN" in text]
    shapes = (
        r"GITHUB_TOKEN=(gh" + r"p_[A-Za-z0-9]{36})$",
        r"AWS_ACCESS_KEY_ID=(AK" + r"IA[A-Z2-7]{16})$",
        r"AWS_SECRET_ACCESS_KEY=([A-Za-z0-9/+]{40})$",
        r"DATABASE_URL=postgres://orders_app:(\w{18})@",
    )
    return [re.findall(shape, text, re.MULTILINE)[0] for shape in shapes]


def test_planted_secrets_stand_in_one_prompt_and_one_result() -> None:
    assert len(planted()) == 4
    for secret in planted():
        assert sum(secret in text for text in prompts("en-2")) == 1
        assert sum(secret in text for text in tool_texts("en-2")) == 1
        assert ROWS["en-2"].path.read_bytes().count(secret.encode()) == 3  # and `stdout` beside it
        holders = [
            path
            for path in DEMO.rglob("*")
            if path.is_file() and secret.encode() in path.read_bytes()
        ]
        assert holders == [ROWS["en-2"].path]


def test_what_a_reader_must_know_to_skip_is_there() -> None:
    found = [record for row in ROWS.values() for record in records(row.path)]
    kinds = {record["type"] for record in found}
    kinds |= {record.get("subtype", "") for record in found}
    kinds |= {record.get("attachment", {}).get("type", "") for record in found}
    kinds |= {record.get("payload", {}).get("type", "") for record in found}
    assert kinds >= {
        *("progress", "queue-operation", "file-history-snapshot", "permission-mode", "ai-title"),
        *("compact_boundary", "turn_duration", "stop_hook_summary", "away_summary", "last-prompt"),
        *("hook_success", "hook_additional_context", "queued_command", "pr-link"),
        *("token_count", "task_complete", "patch_apply_end", "reasoning", "turn_context"),
    }
    texts = [text for record in found for text in strings(record)]
    assert all(any(text.startswith(mark) for text in texts) for mark in NOT_TYPED)
    assert sum("doesn't want to proceed" in text for text in tool_texts("en-2")) == 1
    assert any("\u2028" in text for text in tool_texts("zh-2"))


def test_folder_changes_within_one_session_only() -> None:
    folders = {row.name: {r["cwd"] for r in records(row.path) if "cwd" in r} for row in CLAUDE}
    assert [name for name, found in folders.items() if len(found) > 1] == ["en-2"]
    assert len(set().union(*folders.values())) == 4


def test_a_long_answer_is_no_gap() -> None:
    asked = None
    longest = 0.0
    for record in records(ROWS["en-3"].path):
        if typed(record) is not None and "attachment" not in record:
            asked = when(record)
        elif asked is not None and replies(record):
            longest = max(longest, (when(record) - asked).total_seconds())
    assert longest > 600
    assert ROWS["en-3"].gaps == 0


def test_a_run_of_exchanges_reaches_the_count() -> None:
    said = prompts("en-3")
    run = next(number for number, text in enumerate(said) if text.startswith("Unrelated but"))
    assert f"a run of {run} exchanges" in README
    assert run > 20


def test_memory_files_of_the_projects() -> None:
    text = (HOME / "code" / "orders-api" / "MEMORY.md").read_text(encoding="utf-8")
    before, inside, after = text.split("```")
    assert "\n## Preferences\n" in before
    assert "\n## " in inside
    assert after.lstrip("\n").startswith("- ")
    assert "\n## " in after
    assert {path.name for path in (HOME / "code").iterdir()} == {"orders-api", "lagerverwaltung"}
    assert not (HOME / "code" / "lagerverwaltung" / "MEMORY.md").exists()


def test_home_is_small_and_portable() -> None:
    files = [path for path in DEMO.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 400_000
    assert not any(re.search(r'[<>:"|?*\\]', path.name) for path in files)
    assert max(len(str(path.relative_to(DEMO))) for path in files) < 150


def test_every_address_is_an_example() -> None:
    whole = "".join(path.read_text(encoding="utf-8") for path in HOME.rglob("*") if path.is_file())
    hosts = {host.lower() for host in re.findall(r"https?://([\w.-]+)", whole)}
    assert hosts
    assert all(re.search(r"(^localhost|\.example(\.(net|org))?)$", host) for host in hosts)
    assert set(re.findall(r"(?:/home|/Users)/(\w+)", whole)) == {"demo"}
