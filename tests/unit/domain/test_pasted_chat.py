import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.pasted_chat import parse_labels, pasted_turns
from archivist.domain.transcripts import Role
from archivist.shipped import chat_labels

TWICE = "{person}{q}{gap}{assistant}{a}{gap}{person}{r}{gap}{assistant}{b}{gap}"
FORMS = {
    "the page of ChatGPT": ("You said:\n", "ChatGPT said:\n"),
    "names before the words": ("User: ", "Assistant: "),
    "human and Claude": ("Human: ", "Claude: "),
    "a name with its version": ("You: ", "Claude 3.5 Sonnet: "),
    "a name that holds one": ("Me: ", "GPT-4o mini: "),
    "times in brackets": ("[10:32] User: ", "[10:33] AI: "),
    "pictures": ("🧑 User: ", "🤖 Assistant: "),
    "bold names": ("**User:** ", "**Assistant**: "),
    "bold names on their own line": ("**You**\n", "**Gemini**\n"),
    "headings": ("## Prompt:\n", "## Response:\n"),
    "a Markdown export": (
        "---\n\n_**User (2026-05-01 12:00:00Z)**_\n\n",
        "---\n\n_**Assistant (gpt-5)**_\n\n",
    ),
    "lines that hold a name alone": ("You\n", "ChatGPT\n"),
    "Claude Code": ("> ", "⏺ "),
    "a newer Claude Code": ("❯\N{NO-BREAK SPACE}", "● "),
    "Codex": ("› ", "• "),
    "indented as a whole": ("    User: ", "    Assistant: "),
    "a Chinese page": ("你说：\n", "ChatGPT 说：\n"),
    "Chinese names": ("用户：", "助手："),
    "Chinese assistants": ("我：", "豆包："),
    "a Japanese page": ("あなた:\n", "ChatGPT:\n"),
    "Japanese names": ("ユーザー：", "アシスタント："),
    "a Korean page": ("나의 말:\n", "ChatGPT의 말:\n"),
    "a German page": ("Sie sagten:\n", "ChatGPT hat gesagt:\n"),
    "a French page": ("Vous avez dit :\n", "ChatGPT a dit :\n"),
    "a French page with its narrow space": (
        "Vous avez dit\N{NARROW NO-BREAK SPACE}:\n",
        "ChatGPT a dit\N{NARROW NO-BREAK SPACE}:\n",
    ),
    "a Spanish page": ("Dijiste:\n", "ChatGPT dijo:\n"),
    "a Portuguese page": ("Você disse:\n", "O ChatGPT disse:\n"),
    "a Russian page": ("Вы сказали:\n", "ChatGPT сказал:\n"),
}
WORDS = {
    "q": "怎么修这个测试? How?",
    "a": "First look at it: 先看日志。",
    "r": "そうですね, and then?",
    "b": "Then it is green.",
}


def turns(text: str) -> list[tuple[Role, str]]:
    return [(turn.role, turn.text) for turn in pasted_turns(text, chat_labels())]


def chat(person: str, assistant: str, gap: str) -> str:
    return TWICE.format(person=person, assistant=assistant, gap=gap, **WORDS)


@pytest.mark.parametrize("gap", ["\n", "\n\n"], ids=["close", "apart"])
@pytest.mark.parametrize("labels", FORMS.values(), ids=FORMS)
def test_a_pasted_chat_becomes_its_turns(labels: tuple[str, str], gap: str) -> None:
    assert turns(chat(*labels, gap)) == [
        (Role.TASK, WORDS["q"]),
        (Role.ASSISTANT, WORDS["a"]),
        (Role.TASK, WORDS["r"]),
        (Role.ASSISTANT, WORDS["b"]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I prefer tabs over spaces.",
        "User: I have one question, and nobody answers.",
        "You said:\nhello\nYou said:\nis anybody there?",
        "Assistant: wanted for our shop, call us.",
        "Note: read this\nWarning: and that\nTodo: and more",
        "> a quotation\n\nand what I say to it",
        "- one\n- two\n\n> three",
        "• a list\n• with dots",
        "Try it:\n```yaml\nuser: root\nassistant: none\n```\nDone.",
        "https://user:password@example.org\nassistant:none",
        "The user: he asks. The assistant: it answers.",
        "#user\n#assistant",
    ],
)
def test_other_text_is_no_chat(text: str) -> None:
    assert turns(text) == []


def test_no_turn_is_ever_the_person_s_own() -> None:
    for labels in FORMS.values():
        found = {role for role, _ in turns(chat(*labels, "\n"))}
        assert found == {Role.TASK, Role.ASSISTANT}


def test_pieces_of_one_side_are_one_turn_and_tools_stay_with_the_answer() -> None:
    text = (
        "> fix the parser\n  and its test\n\n⏺ I read it.\n\n⏺ Bash(pytest)\n  ⎿  1 failed\n"
        "     in 2 s\n\n⏺ It is mended:\n  - one\n    - two\n"
    )
    assert turns(text) == [
        (Role.TASK, "fix the parser\nand its test"),
        (
            Role.ASSISTANT,
            "I read it.\n\nBash(pytest)\n⎿  1 failed\n   in 2 s\n\nIt is mended:\n- one\n  - two",
        ),
    ]


def test_a_prompt_may_hold_a_chat_of_another_form() -> None:
    text = "You said:\nWhat of this?\nUser: a\nAssistant: b\nChatGPT said:\nA dialogue."
    assert turns(text) == [
        (Role.TASK, "What of this?\nUser: a\nAssistant: b"),
        (Role.ASSISTANT, "A dialogue."),
    ]


def test_an_answer_keeps_its_quotations_lists_and_code() -> None:
    answer = "Look:\n> quoted\n• a point\n\n```yaml\nUser: root\n```\n\n---\n\nThat is all."
    assert turns(f"## User\nhow?\n## Assistant\n{answer}") == [
        (Role.TASK, "how?"),
        (Role.ASSISTANT, answer),
    ]


def test_a_fence_that_nobody_closes_hides_no_turn() -> None:
    text = "User: what is ```?\n```\nAssistant: a fence\nUser: ah"
    assert [role for role, _ in turns(text)] == [Role.TASK, Role.ASSISTANT, Role.TASK]


def test_what_stands_before_the_first_label_is_kept() -> None:
    assert turns("My chat of today\n\nUser: a\nAssistant: b") == [
        (Role.TASK, "My chat of today\n\na"),
        (Role.ASSISTANT, "b"),
    ]
    assert turns("Hello there\nChatGPT: hi\nMe: bye") == [
        (Role.TASK, "Hello there"),
        (Role.ASSISTANT, "hi"),
        (Role.TASK, "bye"),
    ]


def test_labels_of_several_forms_are_still_a_chat() -> None:
    assert turns("**You:** a\nChatGPT: b") == [(Role.TASK, "a"), (Role.ASSISTANT, "b")]


@given(st.text(st.characters(codec="utf-8", exclude_characters="-*_#•›>❯▌⏺●"), max_size=200))
def test_no_word_of_a_turn_is_lost_and_sides_take_turns(words: str) -> None:
    found = turns(f"User: a {words}\nAssistant: b")
    assert found
    kept = "".join("".join(text for _, text in found).split())
    for word in words.split():
        assert word in kept or word.rstrip(":：").casefold() in chat_labels().titles
    roles = [role for role, _ in found]
    assert all(one is not other for one, other in pairwise(roles))


@pytest.mark.parametrize(
    "text",
    [
        "*" * 500_000,
        "a:" * 250_000,
        "# " + "x " * 250_000,
        "[a] " * 100_000,
        ("_*" * 99 + "\n") * 999,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    start = time.monotonic()
    assert turns(text) == []
    assert time.monotonic() - start < 2


def test_labels_of_the_wrong_shape_are_told() -> None:
    with pytest.raises(TypeError):
        parse_labels({"person": [], "assistant": {}, "screen": []})
    with pytest.raises(KeyError):
        parse_labels({"person": {}})
    side = {
        "said": ["{name} spoke"],
        "labels": ["x"],
        "titles": [],
        "names": ["Bo"],
        "versions": [],
    }
    own = parse_labels({"person": side | {"said": []}, "assistant": side, "screen": []})
    assert pasted_turns("Bo spoke: hi\nx: you", own) == ()
    assert own.said == {"bo spoke": Role.ASSISTANT}
