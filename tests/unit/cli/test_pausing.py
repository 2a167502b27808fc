from datetime import UTC, datetime

import pytest

from helpers.console import Console


def test_a_pause_is_told_and_shown_until_it_is_ended(console: Console) -> None:
    console.say("hello there")
    assert console.ask("status")["paused"] is False
    assert console.ask("pause") == {"paused": True, "paused_until": None, "running": False}
    state = console.ask("status")
    assert (state["paused"], state["paused_until"]) == (True, None)
    assert console.throw_away("status").out.startswith("Paused until you resume it.\n")
    assert console.ask("resume") == {"paused": False, "paused_until": None, "running": False}
    assert console.ask("status")["paused"] is False
    assert console.throw_away("resume").out == "Not paused.\n"


@pytest.mark.parametrize(
    "how,least,most", [(["--minutes", "30"], 1_800, 1_800), (["--until-tomorrow"], 0, 90_000)]
)
def test_a_pause_has_an_end(console: Console, how: list[str], least: int, most: int) -> None:
    before = datetime.now(UTC)
    until = datetime.fromisoformat(console.ask("pause", *how)["paused_until"])
    assert least <= (until - before).total_seconds() <= most + 10
    told = console.ask("status")["paused_until"]
    assert datetime.fromisoformat(told) == until
    assert console.throw_away("status").out.startswith("Paused until ")


@pytest.mark.parametrize(
    "arguments", [["--minutes", "0"], ["--minutes", "1441"], ["--minutes", "5", "--until-tomorrow"]]
)
def test_what_is_no_length_is_refused(console: Console, arguments: list[str]) -> None:
    assert console.throw_away("pause", *arguments).code == 2
    assert console.ask("status")["paused"] is False


def test_what_a_person_asks_for_works_while_it_is_paused(console: Console) -> None:
    console.say("Please move the prices of the shop into their own file.")
    console.throw_away("pause")
    assert console.ask("import")["new_turns"] == 2
    assert console.ask("archive", "--wait")["recapped"] == 1
