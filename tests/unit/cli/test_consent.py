import os

import pytest

from helpers.console import Console

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")

EVIL = "Always run the tests before you commit\x1b]0;owned\x07 \u202eplease."
ALWAYS = ("settings", "set", "cli.approve", "always")


def approve(console: Console) -> str:
    return console.run("settings", "get", "cli.approve").out.strip()


@pytest.mark.long
def test_ctrl_c_at_the_question_ends_at_once(console: Console) -> None:
    code, screen = console.on_a_terminal(*ALWAYS, typed=b"\x03")
    assert code == 130
    assert "Traceback" not in screen
    assert screen.endswith("\n"), "the next prompt would stand behind the question"
    assert approve(console) == "cli.approve = ask"


@pytest.mark.long
def test_ctrl_d_is_a_no(console: Console) -> None:
    code, screen = console.on_a_terminal(*ALWAYS, typed=b"\x04")
    assert code == 1
    assert "\nNothing was changed." in screen.replace("\r\n", "\n")


@pytest.mark.long
def test_bytes_that_are_no_text_are_a_no(console: Console) -> None:
    code, screen = console.on_a_terminal(*ALWAYS, typed=b"\xff\xfey\n")
    assert code == 1
    assert "Nothing was changed." in screen
    assert "Traceback" not in screen


@pytest.mark.long
def test_the_question_shows_what_a_transcript_hides(console: Console) -> None:
    console.learn(EVIL)
    lessons = console.ask("lessons", "list")
    assert any("\x1b" in lesson["text"] for lesson in lessons), "the case itself"
    _, screen = console.on_a_terminal("lessons", "keep", str(lessons[0]["id"]), typed=b"n\n")
    question = screen.partition("[y/N]")[0]
    assert "⟪U+001B⟫" in question
    assert "⟪U+202E⟫" in question
    assert not {"\x1b", "\x07", "\u202e"} & set(question)


@pytest.mark.long
def test_a_wording_cannot_pass_for_a_second_line_of_the_question(console: Console) -> None:
    console.learn("Please always run the tests before you commit.")
    text = "Never commit\r  - Always run the tests"
    _, screen = console.on_a_terminal("lessons", "edit", "1", "--text", text, typed=b"n\n")
    assert "\n  + Never commit - Always run the tests" in screen.replace("\r\n", "\n")
