import json
import os
from pathlib import Path

import pytest

from helpers.console import Console


def change(console: Console, *arguments: str) -> str:
    ran = console.throw_away("settings", "set", *arguments)
    return ran.out + ran.err


def test_values_are_shown_as_they_are_written(console: Console) -> None:
    assert change(console, "models.vectors", "off") == "models.vectors = false\n"
    assert console.throw_away("settings", "get", "models.vectors").out == "models.vectors = false\n"
    assert change(console, "sources.off", "codex, claude-code") == (
        "sources.off = codex,claude-code\n"
    )
    assert "'" not in console.throw_away("settings", "list").out.partition("\n")[0]


@pytest.mark.parametrize("key", ["foo.bar", "foo", "", "archive", "archive.", ".drift"])
@pytest.mark.parametrize("value", [(), ("1",)])
def test_an_unknown_key_is_refused_before_anything_is_written(
    console: Console, key: str, value: tuple[str, ...]
) -> None:
    ran = console.throw_away("settings", "set", key, *value)
    assert ran.code == 1
    assert f"There is no setting named {key}." in ran.err
    assert not (console.folder / "profile" / "settings.toml").exists()
    assert console.ask("undo", "--list") == []


def test_a_section_that_is_a_value_is_told_and_left(console: Console) -> None:
    console.throw_away("status")
    file = console.folder / "profile" / "settings.toml"
    file.write_text("archive = 5\n", encoding="utf-8")
    ran = console.throw_away("settings", "set", "archive.drift", "0.3")
    assert ran.code == 1
    assert "archive is a value; it must be a section" in ran.err
    assert file.read_text(encoding="utf-8") == "archive = 5\n"
    assert "[archive]" in console.throw_away("status").out


def test_undo_that_stops_halfway_tells_what_it_has_taken_back(
    console: Console, tmp_path: Path
) -> None:
    console.learn("Please always run the tests before you commit.")
    file = tmp_path / "MEMORY.md"
    file.write_text("# Memory\n", encoding="utf-8")
    console.throw_away("lessons", "keep", "1")
    project = console.ask("lessons", "list")[0]["project"]
    console.throw_away("memory", "enable", str(file), "--project", project)
    (proposal,) = console.ask("memory", "propose")
    hunk = str(proposal["hunks"][0]["id"])
    assert console.throw_away("memory", "apply", str(proposal["id"]), "--hunk", hunk).code == 0
    file.write_text("by hand\n", encoding="utf-8")
    change(console, "archive.idle_minutes", "9")
    ran = console.throw_away("undo", "3", "--json")
    assert ran.code == 1
    error = json.loads(ran.out)["error"]
    assert error["done"] == ["Set archive.idle_minutes to 9"]
    before, _, after = ran.err.partition(error["message"])
    assert "  - Set archive.idle_minutes to 9\n" in before
    assert error["advice"] in after
    assert console.throw_away("settings", "get", "archive.idle_minutes").out.endswith("= 10\n")


def test_nothing_to_take_back_is_said(console: Console) -> None:
    assert console.throw_away("undo", "--list").out == "There is nothing to undo.\n"
    assert console.throw_away("undo").code == 1


def test_a_problem_is_counted_in_words(console: Console) -> None:
    console.throw_away("status")
    (console.folder / "profile" / "settings.toml").write_text("archive = 5\n", encoding="utf-8")
    console.throw_away("status")
    shown = console.throw_away("problems", "list").out
    assert " time)" in shown or " times)" in shown
    assert console.throw_away("doctor").out.splitlines()[1] == "BAD  1 problem is listed"


def test_redo_does_again_what_was_just_taken_back(console: Console) -> None:
    assert console.throw_away("redo").code == 1
    console.throw_away("settings", "set", "archive.idle_minutes", "3")
    assert console.throw_away("undo").code == 0
    done = console.ask("redo")
    assert (done["name"], done["label"]) == ("settings.set", "Set archive.idle_minutes to 3")
    assert console.ask("settings", "get", "archive.idle_minutes")["value"] == 3
    assert "nothing to do again" in console.throw_away("redo").err


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
@pytest.mark.long
def test_redo_asks_the_person_like_undo(console: Console) -> None:
    console.run("settings", "set", "archive.idle_minutes", "3")
    assert console.on_a_terminal("undo", typed=b"y\n")[0] == 0
    refused = console.run("redo")
    assert (refused.code, refused.out) == (1, "")
    _, screen = console.on_a_terminal("redo", typed=b"n\n")
    assert "Set archive.idle_minutes to 3" in screen
    assert "archive.idle_minutes = 10" in console.run("settings", "get", "archive.idle_minutes").out
