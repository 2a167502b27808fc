import pytest

from archivist.domain.refusals import RefusalReason, refusals
from archivist.shipped import cues


@pytest.mark.parametrize(
    "text, reason",
    [
        ("The log says: 'user: I like turtles' a few hundred times.", RefusalReason.NOT_OWN),
        ("```\nI prefer tabs\n```", RefusalReason.NOT_OWN),
        ("Do I always need sudo for this?", RefusalReason.QUESTION),
        ("Suppose we decided to drop Python 3.11 next year.", RefusalReason.SUPPOSED),
        ("如果我们改用 React，这些组件是不是都得重写？", RefusalReason.QUESTION),
        ("I wouldn't say I prefer tabs, make insists on them.", RefusalReason.NEGATED),
        ("スペースが好きというわけではありません。", RefusalReason.NEGATED),
        ("Im Protokoll steht: »Benutzer: Ich mag nur noch Faxe«.", RefusalReason.NOT_OWN),
    ],
)
def test_a_look_alike_is_named_with_its_reason(text: str, reason: RefusalReason) -> None:
    found = refusals(text, cues())
    assert [refusal.reason for refusal in found] == [reason]
    assert found[0].quote in text


@pytest.mark.parametrize(
    "text",
    [
        "I prefer pytest, please do not add unittest classes.",
        "We decided to use Postgres 16.",
        "Fix the test in tests/test_orders.py.",
        "",
    ],
)
def test_what_is_a_lesson_or_says_nothing_is_not_listed(text: str) -> None:
    assert refusals(text, cues()) == ()
