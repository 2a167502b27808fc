"""Forks and sub-agents whose parent's rollout is not there: compressed, deleted, or read later."""

import pytest

from archivist.domain.transcripts import Relation, Role, TurnSeen
from archivist.sources.codex import Codex
from unit.sources.shelf import Rows, Shelf
from unit.sources.tape import Record, Tape, rollout

PARENT = "019ac9a0-0000-7abc-8def-000000000001"
FIRST = "019ac9a1-0000-7abc-8def-000000000001"
SECOND = "019ac9a2-0000-7abc-8def-000000000001"
CHILD = "019ac9a3-0000-7abc-8def-000000000001"
OWN_TURN = "019ac9a3-0001-7abc-8def-000000000001"
FIRST_AT = 0x019AC9A10000

AGENT: Record = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}}


@pytest.fixture
def reader() -> Codex:
    return Codex()


@pytest.fixture
def tape() -> Tape:
    return Tape()


def told(tape: Tape, first: str = FIRST, second: str = SECOND) -> list[Record]:
    return [
        tape.meta(PARENT),
        tape.event("task_started", turn_id=first),
        tape.context(turn_id=first),
        tape.user("continue"),
        tape.call("c1"),
        tape.output("ok", "c1"),
        tape.says("Done."),
        tape.event("task_started", turn_id=second),
        tape.context(turn_id=second),
        tape.user("continue"),
        tape.user("continue"),
        tape.says("Done."),
    ]


def fork_of(tape: Tape, story: list[Record], own: str = OWN_TURN, **fields: object) -> list[Record]:
    return [
        tape.meta(CHILD, **fields),
        *({**line, "timestamp": "2026-11-28T12:00:00.000Z"} for line in story),
        tape.event("task_started", turn_id=own),
        tape.context(turn_id=own),
        tape.user("continue"),
        tape.says("Done."),
    ]


STORY = ["continue", "", "Done.", "continue", "continue", "Done."]


@pytest.mark.parametrize("fields", [{"forked_from_id": PARENT}, {}], ids=["named", "head only"])
@pytest.mark.parametrize("ids", [(FIRST, SECOND, OWN_TURN), ("1", "2", "7")], ids=["uuid", "short"])
@pytest.mark.parametrize("order", [1, -1], ids=["parent first", "fork first"])
def test_the_keys_of_a_copy_are_those_of_the_parent(
    shelf: Shelf, tape: Tape, fields: Record, ids: tuple[str, str, str], order: int
) -> None:
    story = told(tape, ids[0], ids[1])
    parent = shelf.put(f"there/{rollout(PARENT)}", *story)
    fork = shelf.put(f"here/{rollout(CHILD)}", *fork_of(tape, story, ids[2], **fields))
    rows = shelf.read(Codex(), *(parent, fork)[::order])
    assert rows.texts() == [*STORY, "continue", "Done."]
    assert rows.sessions[CHILD]["parent"] == PARENT
    assert rows.sessions[CHILD]["relation"] is Relation.FORK
    assert len(rows.calls) == 1


def test_a_fork_is_kept_whole_where_its_parent_is_lost(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    fork = shelf.put(rollout(CHILD), *fork_of(tape, told(tape), forked_from_id=PARENT))
    rows = shelf.read(reader, fork)
    assert rows.texts() == [*STORY, "continue", "Done."]
    turns = list(rows.turns.values())
    assert turns[0].at == FIRST_AT  # the copy was stamped anew, the id was not
    assert turns[-1].at == 1795860017000


def test_a_fork_of_a_fork_meets_both(shelf: Shelf, reader: Codex, tape: Tape) -> None:
    third = "019ac9a4-0000-7abc-8def-000000000001"
    own = "019ac9a4-0001-7abc-8def-000000000001"
    story = told(tape)
    first = fork_of(tape, story, forked_from_id=PARENT)
    second = [
        tape.meta(third, forked_from_id=CHILD),
        *first,
        tape.context(turn_id=own),
        tape.user("last"),
    ]
    paths = [
        shelf.put(f"{number}/{rollout(name)}", *lines)
        for number, (name, lines) in enumerate([(PARENT, story), (CHILD, first), (third, second)])
    ]
    assert shelf.read(reader, *paths).texts() == [*STORY, "continue", "Done.", "last"]


def test_equal_turns_of_unrelated_sessions_are_not_one(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    story = [tape.context(turn_id="1"), tape.user("continue"), tape.says("Done.")]
    one = shelf.put(rollout(PARENT), tape.meta(PARENT), *story)
    other = shelf.put(rollout(CHILD), tape.meta(CHILD), *story)
    assert shelf.read(reader, one, other).texts() == ["continue", "Done."] * 2


def test_what_a_sub_agent_copied_is_left_out_without_the_parent(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    story = [line for line in told(tape) if line["type"] != "turn_context"]
    path = shelf.put(rollout(CHILD), *fork_of(tape, story, **AGENT))
    rows = shelf.read(reader, path)
    assert [(turn.text, turn.role) for turn in rows.turns.values()] == [
        ("continue", Role.TASK),
        ("Done.", Role.ASSISTANT),
    ]
    assert (rows.sessions[CHILD]["parent"], rows.sessions[CHILD]["relation"]) == (
        PARENT,
        Relation.SUBAGENT,
    )
    assert rows.tally.user == 4


@pytest.mark.parametrize("ids", [(FIRST, SECOND, OWN_TURN), ("1", "2", "7")], ids=["uuid", "short"])
def test_a_sub_agent_never_takes_a_turn_from_its_parent(
    shelf: Shelf, reader: Codex, tape: Tape, ids: tuple[str, str, str]
) -> None:
    story = told(tape, ids[0], ids[1])
    unmarked = shelf.put(f"here/{rollout(CHILD)}", *fork_of(tape, story[1:], ids[2], **AGENT))
    parent = shelf.put(f"there/{rollout(PARENT)}", *story)
    rows = shelf.read(reader, unmarked, parent)
    mine = [turn.text for turn in rows.turns.values() if turn.session == PARENT]
    assert mine == STORY


def test_a_session_that_was_begun_again_elsewhere_keeps_its_turns_apart(
    shelf: Shelf, reader: Codex, tape: Tape
) -> None:
    lines = [tape.meta(PARENT), tape.user("a"), tape.user("a")]
    later = [tape.meta(PARENT), tape.user("a")]
    rows = shelf.read(reader, shelf.put("1.jsonl", *lines), shelf.put("2.jsonl", *later))
    assert rows.texts() == ["a", "a", "a"]


@pytest.mark.parametrize("is_live", [False, True], ids=["at once", "line by line"])
def test_events_alone_have_the_same_keys_however_they_are_read(
    shelf: Shelf, tape: Tape, *, is_live: bool
) -> None:
    lines = [
        tape.meta(PARENT),
        tape.event("task_started", turn_id=FIRST),
        tape.event("user_message", message="one"),
        tape.event("agent_message", message="First."),
        tape.event("task_started", turn_id=SECOND),
        tape.event("user_message", message="two"),
    ]
    whole = shelf.put("whole.jsonl", *lines)
    wanted = list(shelf.read(Codex(), whole).turns)
    path = shelf.put("grown.jsonl", *([] if is_live else lines))
    rows, cursor = Rows(), None
    for line in lines if is_live else []:
        shelf.append(path, line)
        for chunk in Codex().read(path, cursor, settled=True):
            rows.add([chunk])
            cursor = chunk.cursor
    if not is_live:
        rows = shelf.read(Codex(), path)
    assert list(rows.turns) == wanted
    assert all(isinstance(turn, TurnSeen) for turn in rows.turns.values())
