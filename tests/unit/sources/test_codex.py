import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from archivist.domain.problems import FileProblem
from archivist.domain.transcripts import Relation, Role, SessionSeen
from archivist.sources.codex import Codex
from unit.sources.shelf import Rows, Shelf
from unit.sources.tape import DAY, OWN, PARENT, Record, Tape, rollout


@pytest.fixture
def reader() -> Codex:
    return Codex()


@pytest.fixture
def tape() -> Tape:
    return Tape()


# Forks and sub-agents.


def parent_lines(tape: Tape) -> list[Record]:
    return [
        tape.meta(PARENT),
        tape.context(turn_id="t1"),
        tape.user("one"),
        tape.call("c1"),
        tape.output("ok", "c1"),
        tape.says("First."),
        tape.event("task_started", turn_id="t2"),
        tape.context(turn_id="t2"),
        tape.user("two"),
        tape.says("Second."),
    ]


def stamped(lines: list[Record]) -> list[Record]:
    return [{**line, "timestamp": "2026-11-28T12:00:00.000Z"} for line in lines]


@pytest.mark.parametrize(
    "fields, relation",
    [
        ({"forked_from_id": PARENT}, Relation.FORK),
        (
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}},
            Relation.SUBAGENT,
        ),
        ({"thread_source": "subagent", "parent_thread_id": PARENT}, Relation.SUBAGENT),
        ({}, Relation.FORK),  # only the copied head of the parent tells
    ],
)
def test_what_a_fork_copied_from_its_parent_is_left_out(
    shelf: Shelf, reader: Codex, tape: Tape, fields: Record, relation: Relation
) -> None:
    told = parent_lines(tape)
    parent = shelf.put(rollout(PARENT), *told)
    fork = shelf.put(
        rollout(OWN),
        tape.meta(OWN, **fields),
        *stamped(told[:6]),
        tape.event("task_started", turn_id="t9"),
        tape.context(turn_id="t9"),
        tape.user("mine"),
        tape.output("late", "c1"),
        tape.says("Own answer."),
    )
    rows = shelf.read(reader, parent, fork)
    assert rows.texts() == ["one", "", "First.", "two", "Second.", "mine", "Own answer."]
    row = rows.sessions[OWN]
    assert (row["parent"], row["relation"]) == (PARENT, relation)
    asked = next(turn for turn in rows.turns.values() if turn.text == "mine")
    assert asked.role is (Role.TASK if relation is Relation.SUBAGENT else Role.USER)
    assert (rows.tally.user, rows.tally.assistant) == (2, 2)


def test_a_fork_without_a_copy_keeps_all(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    shelf.put(rollout(PARENT), *parent_lines(tape))
    fork = shelf.put(
        rollout(OWN),
        tape.meta(OWN, forked_from_id=PARENT),
        tape.user("before its context"),
        tape.context(turn_id="t9"),
        tape.says("Answer."),
    )
    assert shelf.read(reader, fork).texts() == ["before its context", "Answer."]


def test_a_fork_whose_turns_have_no_ids_keeps_all(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    shelf.put(rollout(PARENT), *parent_lines(tape))
    fork = shelf.put(
        rollout(OWN), tape.meta(OWN, forked_from_id=PARENT), tape.user("a"), tape.context()
    )
    assert shelf.read(reader, fork).texts() == ["a"]


def test_a_fork_whose_parent_is_missing_keeps_all(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    told = parent_lines(tape)
    fork = shelf.put(rollout(OWN), tape.meta(OWN, forked_from_id=PARENT), *stamped(told))
    assert shelf.read(reader, fork).texts(Role.USER) == ["one", "two"]


def test_a_fork_that_ends_before_it_is_clear_keeps_all_once_it_is_quiet(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    shelf.put(rollout(PARENT), *parent_lines(tape))
    fork = shelf.put(rollout(OWN), tape.meta(OWN, forked_from_id=PARENT), tape.user("a"))
    (chunk,) = reader.read(fork, None, settled=False)
    assert chunk.seen == ()
    rows = Rows().add(Codex().read(fork, chunk.cursor, settled=True))
    assert rows.texts() == ["a"]


def test_a_parent_may_be_archived(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    told = parent_lines(tape)
    shelf.put(f"archived_sessions/rollout-2026-11-01T10-00-00-{PARENT}.jsonl", *told)
    fork = shelf.put(
        rollout(OWN), tape.meta(OWN, forked_from_id=PARENT), *stamped(told[:6]),
        tape.context(turn_id="t9"), tape.user("mine"),
    )  # fmt: skip
    assert shelf.read(reader, fork).texts() == ["mine"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "*", "a/b", "[a]"])
def test_the_name_of_a_parent_is_no_pattern(
    shelf: Shelf, reader: Codex, tape: Tape, name: str
) -> None:
    fork = shelf.put(rollout(OWN), tape.meta(OWN, forked_from_id=name), tape.user("a"))
    assert shelf.read(reader, fork).texts() == ["a"]


# Ill-formed fields.


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, [1], {"a": 1}, True])
@pytest.mark.parametrize(
    "field",
    ["type", "role", "content", "call_id", "name", "arguments", "output", "id", "cwd", "source",
     "git", "success", "message", "turn_id", "result", "status", "forked_from_id", "function"],
)  # fmt: skip
def test_no_type_of_a_field_breaks_the_file(
    shelf: Shelf, reader: Codex, tape: Tape, field: str, value: object
) -> None:
    lines = [
        tape.meta(),
        tape.context(turn_id="t"),
        tape.user("a"),
        tape.says("b"),
        tape.call(),
        tape.output("ok"),
        tape.event("user_message", message="a"),
        tape.event("mcp_tool_call_end", call_id="m", result={"Err": "x"}),
        tape.event("patch_apply_end", call_id="p", success=False),
        tape.item("web_search_call", status="completed"),
    ]
    odd = [{**line, "payload": {**line["payload"], field: value}} for line in lines]
    odder = [{**line, field: value} for line in lines] + [
        {**line, "payload": value} for line in lines
    ]
    rows = shelf.read(reader, shelf.put("a.jsonl", *odd, *odder, tape.user("last")))
    assert rows.texts()[-1] == "last"


# Where they are.


@dataclass(frozen=True)
class FakeHome:
    folder: Path
    moved: str | None = None

    def variable(self, name: str) -> str | None:
        return self.moved if name == "CODEX_HOME" else None


def test_the_places_of_rollouts(tmp_path: Path, reader: Codex) -> None:
    assert list(reader.roots(FakeHome(tmp_path))) == [
        tmp_path / ".codex/sessions",
        tmp_path / ".codex/archived_sessions",
    ]
    assert reader.roots(FakeHome(tmp_path, "/data"))[0] == Path("/data/sessions")


def test_only_rollouts_are_found(shelf: Shelf, reader: Codex) -> None:
    shelf.put(rollout(OWN))
    shelf.put(f"{DAY}/notes.jsonl")
    shelf.put(f"{DAY}/rollout-1.jsonl.tmp-3")
    shelf.put("sessions/rollout-flat.jsonl")
    names = sorted(path.name for path in reader.files(shelf.folder / "sessions"))
    assert names == [Path(rollout(OWN)).name, "rollout-flat.jsonl"]


PACKED = b"\x28\xb5\x2f\xfd rubbish"
SINGLE = b'{"session":{"id":"x","timestamp":"2025-04-20T10:00:00Z"},"items":[]}'


@pytest.mark.parametrize("root", ["sessions", "."], ids=["usual root", "other folder"])
@pytest.mark.parametrize(
    "name, content",
    [
        ("rollout-1.jsonl.zst", PACKED),
        ("rollout-2025-04-20-x.json", SINGLE),
        ("rollout-2025-04-20-y.json", b'{\n  "items": [],\n "session": {}}'),
    ],
)
def test_forms_that_are_not_read_are_found_and_refused(
    shelf: Shelf, reader: Codex, root: str, name: str, content: bytes
) -> None:
    words = "compressed transcripts cannot be read yet" if "zst" in name else "this old form"
    path = shelf.put(f"{DAY}/{name}", content)
    assert list(reader.files(shelf.folder / root)) == [path]
    assert reader.claims(path, content)
    with pytest.raises(FileProblem, match=words) as caught:
        list(reader.read(path, None, settled=True))
    assert caught.value.advice
    assert caught.value.key == f"read:{path}"
    path.unlink()
    with pytest.raises(FileProblem, match="no longer there"):
        list(reader.read(path, None, settled=True))


def test_a_compressed_rollout_beside_its_original_is_passed_over(
    shelf: Shelf, reader: Codex
) -> None:
    plain = shelf.put(f"{DAY}/rollout-1.jsonl", b"")
    shelf.put(f"{DAY}/rollout-1.jsonl.zst", PACKED)
    assert list(reader.files(shelf.folder / "sessions")) == [plain]


def test_other_files_with_such_endings_are_not_claimed(shelf: Shelf, reader: Codex) -> None:
    assert not reader.claims(Path("data.tar.zst"), PACKED)
    assert not reader.claims(Path("rollout-1.json"), b'{"messages":[]}')
    shelf.put("rollout-plan.json", b'{"steps":[]}')
    shelf.put("other.jsonl.zst", PACKED)
    assert list(reader.files(shelf.folder)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are no text")
def test_the_name_of_a_rollout_may_be_no_text(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    name = os.fsdecode(b"sessions/rollout-\xe9.jsonl")
    shelf.put(name, tape.context(), tape.user("go"))
    (path,) = reader.files(shelf.folder / "sessions")
    rows = shelf.read(reader, path)
    assert rows.texts() == ["go"]
    for session in rows.sessions:
        session.encode()
    packed = shelf.put(name + ".zst", PACKED)
    with pytest.raises(FileProblem) as caught:
        list(reader.read(packed, None, settled=True))
    (caught.value.message + caught.value.advice + caught.value.key).encode()


def test_what_is_known_of_a_session_is_told_as_soon_as_a_record_has_it(
    shelf: Shelf, tape: Tape
) -> None:
    path = shelf.put(
        rollout(OWN),
        {"type": "session_meta", "payload": {"id": OWN}},
        {"role": "user", "content": "a"},
    )
    lines = [tape.says("b"), tape.context(), tape.event("thread_name_updated", thread_name="Shop")]
    told, cursor = [], None
    for number in range(len(lines) + 1):
        shelf.append(path, *lines[number - 1 : number])
        for chunk in Codex().read(path, cursor, settled=False):
            told += [seen for seen in chunk.seen if isinstance(seen, SessionSeen)]
            cursor = chunk.cursor
    assert told == [
        SessionSeen(OWN),
        SessionSeen(OWN, at=1795860001000),
        SessionSeen(OWN, cwd="/home/anna/src/shop"),
        SessionSeen(OWN, title="Shop"),
    ]


def test_in_any_other_folder_files_are_told_by_their_records(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    shelf.put("backup/mine.jsonl", tape.meta())
    shelf.put("backup/rollout-2.jsonl", {"type": "user", "sessionId": "s", "message": {}})
    assert [path.name for path in reader.files(shelf.folder)] == ["mine.jsonl"]


@pytest.mark.parametrize(
    "head, wanted",
    [
        (json.dumps(Tape().meta(originator="anything")).encode() + b"\n", True),
        (b'{"timestamp":"t","type":"session_meta","payload":{"base":"' + b"x" * 9000, True),
        (b'{"timestamp":"t","role":"user","content":"hi"}\n', True),
        (b'{"type":"function_call","call_id":"c","name":"x"}\n', True),
        (b'{"role":"user","content":"hi"}\n', False),
        (b'{"role":"assistant","content":"hi","timestamp":1785000000}\n', False),
        (b'{"messages":[]}\n', False),
        (b'{"type":"user","sessionId":"s","message":{}}\n', False),
        (b'{"type":"session.start","data":{},"timestamp":"t"}\n', False),
        (b'{"type":[],"role":{},"message":5}\n', False),
        (b"", False),
    ],
)
def test_a_rollout_is_told_by_its_records(reader: Codex, head: bytes, *, wanted: bool) -> None:
    assert reader.claims(Path("any.name"), head) is wanted
