import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.transcripts import Role
from archivist.domain.turns import SessionId, Turn, TurnId
from archivist.models import budget

SIZES = st.lists(st.integers(0, 5_000), max_size=30)


def turn(seq: int, role: Role, text: str, failed: str | None = None) -> Turn:
    return Turn(TurnId(seq), SessionId(1), seq, role, text, at=seq * 1000, failed_tools=failed)


def size(passages: list[budget.Passage]) -> int:
    return sum(len(one.text.encode()) for one in passages)


def log(lines: int) -> str:
    return "\n".join(
        f"2026-03-05 08:{n // 60 % 60:02d}:{n % 60:02d} INFO worker[{n}]: heartbeat ok"
        for n in range(lines)
    )


@given(SIZES, st.integers(0, 20_000))
def test_shares_stand_equally_high_or_are_full(sizes: list[int], total: int) -> None:
    filled = budget.shares(sizes, total)
    assert sum(filled) <= total
    assert all(0 <= share <= wanted for share, wanted in zip(filled, sizes, strict=True))
    if sum(sizes) <= total:
        assert filled == sizes
    not_full = [s for s, wanted in zip(filled, sizes, strict=True) if s < wanted]
    if not_full:
        assert max(filled) - min(not_full) <= 1
        assert sum(filled) == total


def test_what_fits_is_left_as_it_is() -> None:
    turns = [turn(1, Role.USER, " hello "), turn(2, Role.ASSISTANT, "   "), turn(3, Role.TASK, "x")]
    assert budget.passages(turns, room=500) == [
        budget.Passage(Role.USER, 1000, "hello"),
        budget.Passage(Role.TASK, 3000, "x"),
    ]


def test_the_line_of_failed_tools_goes_along() -> None:
    said = turn(1, Role.ASSISTANT, "Done.", "Tools that failed in this turn: Bash")
    (passage,) = budget.passages([said], room=500)
    assert passage.text == "Done.\nTools that failed in this turn: Bash"


def test_one_pasted_log_cannot_push_out_short_turns() -> None:
    short = [turn(n, Role.USER if n % 2 else Role.ASSISTANT, f"short turn {n}") for n in range(19)]
    pasted = f"Why does it fail?\n{log(4000)}\n2026-03-05 09:41:00 ERROR db: connection refused\n"
    passages = budget.passages([turn(99, Role.USER, pasted), *short], room=4_000)
    assert [one.text for one in passages[1:]] == [f"short turn {n}" for n in range(19)]
    assert passages[0].text.startswith("Why does it fail?")
    assert "connection refused" in passages[0].text
    assert "heartbeat" not in passages[0].text


def test_a_long_prose_turn_keeps_head_and_tail() -> None:
    prose = "First we looked at it. " + "And then some more. " * 500 + "At last it worked."
    (passage,) = budget.passages([turn(1, Role.ASSISTANT, prose)], room=1_000)
    assert passage.text.startswith("First we looked at it.")
    assert passage.text.endswith("At last it worked.")
    assert "[…]" in passage.text


def test_of_very_many_turns_questions_and_ends_are_kept() -> None:
    turns = []
    for question in range(10):
        turns.append(turn(question * 100, Role.USER, f"question {question} " + "why " * 40))
        turns += [turn(question * 100 + n, Role.ASSISTANT, "step " * 60) for n in range(1, 40)]
    passages = budget.passages(turns, room=2_500)
    assert size(passages) <= 2_500
    asked = [one.text for one in passages if one.role is Role.USER]
    assert [text[:10] for text in asked] == [f"question {n}" for n in range(10)]
    assert passages[-1].at == turns[-1].at
    assert all(len(one.text.encode()) >= 50 for one in passages)


TEXTS = st.text(string.printable + "äß你好の🙂", max_size=600)


@given(st.lists(st.tuples(st.sampled_from(Role), TEXTS), max_size=30), st.integers(150, 6_000))
def test_the_room_is_kept_and_the_order_too(said: list[tuple[Role, str]], room: int) -> None:
    turns = [turn(n, role, text) for n, (role, text) in enumerate(said)]
    passages = budget.passages(turns, room=room)
    assert size(passages) <= room
    times = [one.at for one in passages if one.at is not None]
    assert times == sorted(times)
    if any(text.strip() for _, text in said):
        assert passages


@given(TEXTS, st.integers(0, 400))
def test_head_and_tail_keeps_the_room(text: str, room: int) -> None:
    assert len(budget.head_and_tail(text, room).encode()) <= max(room, 0)


def test_the_error_lines_of_a_log_are_kept_once() -> None:
    failures = "\n".join(f"2026-03-05 09:00:{n:02d} ERROR job {n}: disk is full" for n in range(40))
    text = f"It broke again:\n{log(50)}\n{failures}\n{log(50)}\n\nPlease fix it."
    reduced = budget.reduce_pasted(text)
    assert reduced.count("disk is full") == 1
    assert reduced.startswith("It broke again:")
    assert reduced.endswith("Please fix it.")
    assert len(reduced) < 200


@pytest.mark.parametrize("line", ["0 errors", "build finished without errors", "errors: 0"])
def test_a_line_that_reports_no_error_is_none(line: str) -> None:
    assert list(budget._error_lines([line, "all good"])) == ["[…]"]


def test_short_code_in_a_turn_stays() -> None:
    text = "Use this:\n```python\nraise ValueError('no')\n```\nand run it."
    assert budget.reduce_pasted(text) == text
