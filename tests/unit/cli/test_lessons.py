import json
import os

import pytest

from helpers.console import Console

RULES = (
    "Please always run the tests before you commit.",
    "I prefer tabs to spaces in this project.",
)
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")


def test_the_same_number_twice_is_one_lesson(console: Console) -> None:
    console.learn(*RULES)
    assert [kept["id"] for kept in console.ask("lessons", "keep", "2", "2", "1", "2")] == [1, 2]
    for verb in ("reject", "later"):
        assert len(console.ask("lessons", verb, "1", "1")) == 1


@posix_only
@pytest.mark.long
def test_the_question_counts_each_lesson_once(console: Console) -> None:
    console.learn(*RULES)
    _, screen = console.on_a_terminal("lessons", "keep", "1", "1", "1", typed=b"n\n")
    assert "Keep this lesson?" in screen
    assert screen.count("  - ") == 1


@posix_only
@pytest.mark.long
def test_an_edit_shows_the_old_words_beside_the_new(console: Console) -> None:
    console.learn(*RULES)
    (old, *_) = json.loads(console.run("lessons", "list", "--json").out)
    verb = ("lessons", "edit", str(old["id"]), "--text", " Run   the tests. ")
    code, screen = console.on_a_terminal(*verb, typed=b"y\n")
    assert code == 0
    asked = screen.replace("\r\n", "\n")
    assert f"\n  - {old['text']}\n  + Run the tests. [y/N]" in asked


@posix_only
@pytest.mark.parametrize(
    "verb, sentence",
    [
        (("lessons", "keep", "7", "8"), "There is no lesson 7, 8."),
        (("lessons", "edit", "7", "--text", "x"), "There is no lesson 7."),
        (("lessons", "edit", "1", "--text", " "), "A lesson needs some words."),
        (("memory", "apply", "7", "--hunk", "1"), "There is no open proposal 7."),
        (("settings", "set", "cli.approve", "maybe"), "it must be one of ask, always"),
        (("settings", "set", "no.such", "1"), "There is no setting named no.such."),
    ],
)
@pytest.mark.long
def test_nobody_is_asked_about_what_is_not_there(
    console: Console, verb: tuple[str, ...], sentence: str
) -> None:
    code, screen = console.on_a_terminal(*verb, typed=b"y\n")
    assert code == 1
    assert sentence in screen
    assert "[y/N]" not in screen


def test_without_a_terminal_it_is_refused_whatever_the_number(console: Console) -> None:
    for verb in (("keep", "7"), ("edit", "7", "--text", "x")):
        assert "no terminal" in console.run("lessons", *verb).err


def test_a_rejected_lesson_shows_its_reason_and_can_wait_again(console: Console) -> None:
    console.learn(*RULES)
    (rejected,) = console.ask("lessons", "reject", "1", "--reason", "old")
    assert (rejected["state"], rejected["reason"]) == ("rejected", "old")
    assert "rejected: old" in console.throw_away("lessons", "list").out
    (waiting,) = console.ask("lessons", "reopen", "1")
    assert (waiting["state"], waiting["reason"]) == ("waiting", None)


def test_a_lesson_says_in_how_many_sessions_it_was_said(console: Console) -> None:
    console.learn(*RULES)
    console.say(RULES[0], session=2)
    for verb in (("import",), ("archive", "--wait")):
        assert console.throw_away(*verb).code == 0
    first, second = console.ask("lessons", "list")
    assert (first["sessions"], second["sessions"]) == (2, 1)
    assert first["said"] == max(item["at"] for item in first["evidence"])
    assert all(item["segment"] for item in first["evidence"])
