import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.sentences import BLANK, fold, own_words, sentences

PIECES = [
    "We use v2.1. ",
    "3.5 days! ",
    "See https://a.b/c?x=1, ok? ",
    "`code.py` ",
    "“quoted” ",
    "'no', ",
    "don’t ",
    "我们用 Rust。",
    "はい、続けて ",
    "- item\n",
    "1. one\n",
    "> quoted\n",
    "```\nx = 1\n```\n",
    "e.g. this ",
    "z. B. das ",
    "am 3. Mai ",
    "\n",
    "\n\n",
    "İstanbul ",
    "ＡＢＣ！",
    "...",
    "…",
    "\ud800",
    "\0",
]
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
)


def texts_of(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("We decided to use v2.1. Next.", ["We decided to use v2.1.", "Next."]),
        ("The deadline is 3.5 days away", ["The deadline is 3.5 days away"]),
        (
            "Edit src/app.py and README.md. Then stop",
            ["Edit src/app.py and README.md.", "Then stop"],
        ),
        (
            "See https://a.example/b.html?x=1. It helps!",
            ["See https://a.example/b.html?x=1.", "It helps!"],
        ),
        ("Use a linter, e.g. ruff. Always.", ["Use a linter, e.g. ruff.", "Always."]),
        ("Wir starten am 3. Mai. Danach Pause.", ["Wir starten am 3. Mai.", "Danach Pause."]),
        ("On port 80. Then restart.", ["On port 80.", "Then restart."]),
        ("用四个空格。不要用制表符！好吗？", ["用四个空格。", "不要用制表符！", "好吗？"]),
        ("はい、続けて 今後は英語で", ["はい、続けて", "今後は英語で"]),
        (
            "- first thing\n* second\n1. third\n2)fourth",
            ["first thing", "second", "third", "fourth"],
        ),
        ("1.我想用 Rust\n2.先写测试", ["我想用 Rust", "先写测试"]),
        ("No! Use it... Then go", ["No!", "Use it...", "Then go"]),
        (
            "this line is so long that the terminal of its author wrapped\nit here. Next",
            [
                "this line is so long that the terminal of its author wrapped\nit here.",
                "Next",
            ],
        ),
        ("one\ntwo", ["one", "two"]),
        ("", []),
        ("...!?", []),
    ],
)
def test_splits_where_a_sentence_ends_and_nowhere_else(text: str, expected: list[str]) -> None:
    assert texts_of(text) == expected


def test_code_quotations_and_addresses_are_blank_for_matching_but_kept_in_the_text() -> None:
    text = "Run `always.py`, say “never” and 'must', see https://x.example/only. Don’t @file stop"
    (first, second) = sentences(text)
    assert first.text in text
    for word in ("always", "never", "must", "only", "file"):
        assert word not in first.plain + second.plain
    assert "don't" in second.plain
    assert first.plain.count(BLANK) > 20


def test_an_apostrophe_opens_no_quotation() -> None:
    (sentence,) = sentences("The teams' rule: don't touch users' data, it's theirs")
    assert BLANK not in sentence.plain


def test_what_others_said_in_quotes_is_blank() -> None:
    (sentence,) = sentences("The log says: 'user: I like turtles'")
    assert "like" not in sentence.plain


def test_clauses_lie_between_marks_and_before_i_and_we() -> None:
    (sentence,) = sentences("I live in Berlin and I prefer tabs, 3,5 spaces - no more")
    parts = [sentence.plain[start:end].strip() for start, end in sentence.clauses]
    assert parts == ["i live in berlin", "i prefer tabs", "3,5 spaces", "no more"]
    assert sentence.clause_at(sentence.plain.index("prefer")) == sentence.clauses[1]


def test_a_question_is_known_by_its_mark() -> None:
    assert [s.asks for s in sentences("Is it so? It is. 好吗？ (really?)")] == [
        True,
        False,
        True,
        True,
    ]


def test_own_words_leave_out_what_was_pasted() -> None:
    said = own_words("Look at this:\n```\nalways()\n```\nwhat is it?")
    assert said == "Look at this:\nwhat is it?"


@given(TEXTS)
def test_every_sentence_is_an_exact_part_of_the_text(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert len(sentence.plain) == len(sentence.text)
        assert sentence.start >= end
        assert all(0 <= start < stop <= len(sentence.text) for start, stop in sentence.clauses)
        end = sentence.end


@given(st.text(max_size=100))
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folds_apostrophes_widths_and_case() -> None:
    assert fold("Don’t ＵＳＥ　it、İ") == "don't use it、i"
