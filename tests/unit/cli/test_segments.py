import os
from pathlib import Path

import pytest

from helpers.console import Console


@pytest.fixture
def ids(console: Console) -> list[str]:
    console.say("first things first", session=1)
    console.say("and then the second", session=2)
    console.throw_away("import")
    console.throw_away("archive", "--wait")
    return [row["id"] for row in console.ask("segments", "list")]


def test_as_much_of_an_id_as_is_unique_is_enough(console: Console, ids: list[str]) -> None:
    for ident in ids:
        for start in (ident, ident[:20]):
            assert console.ask("segments", "show", start)["id"] == ident


def test_a_start_of_several_ids_is_refused_and_some_are_named(
    console: Console, ids: list[str]
) -> None:
    ran = console.throw_away("segments", "show", "seg-")
    assert ran.code == 1
    assert "The ids of 2 segments begin with seg-." in ran.err
    assert ids[0][:12] in ran.err


@pytest.mark.parametrize("start", ["", "  "])
def test_an_empty_id_is_refused(console: Console, ids: list[str], start: str) -> None:
    for verb in (("segments", "show", start), ("events", "list", "--segment", start)):
        ran = console.throw_away(*verb)
        assert ran.code == 1
        assert "is empty" in ran.err


def test_an_id_that_nobody_has_is_refused(console: Console, ids: list[str]) -> None:
    for start in ("x", "seg-0000000x", "seg-" + "f" * 36):
        ran = console.throw_away("segments", "show", start)
        assert ran.code == 1
        assert start in ran.err


def test_turns_and_hits_cannot_steer_the_terminal(console: Console) -> None:
    console.say("look at\x1b[2J\x9b31m this\u202e thing\n\tand at that")
    console.throw_away("import")
    console.throw_away("archive", "--wait")
    shown = console.throw_away("segments", "show", "seg-").out
    assert "look at⟪U+001B⟫[2J⟪U+009B⟫31m this⟪U+202E⟫ thing\n\tand at that\n" in shown
    for verb in (("segments", "list"), ("search", "thing"), ("lessons", "list"), ("status",)):
        assert not {"\x1b", "\x9b", "\u202e"} & set(console.throw_away(*verb).out)


def test_search_takes_a_limit_of_its_range(console: Console) -> None:
    console.say("one thing", "another thing", "a third thing")
    console.throw_away("import")
    assert len(console.ask("search", "thing", "--limit", "2")["hits"]) == 2
    assert len(console.ask("search", "thing", "--limit", "1000")["hits"]) == 3


def test_a_segment_is_shown_as_markdown(console: Console, ids: list[str]) -> None:
    told = console.throw_away("segments", "show", ids[0], "--markdown").out
    assert told.startswith("# first things first\n\n- Claude Code · ")
    assert "\n**You** · " in told
    assert "\n\n> first things first\n" in told
    assert console.ask("segments", "show", ids[0], "--markdown")["markdown"] == told


def test_the_transcript_of_a_segment_is_opened_by_the_system(
    console: Console, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, seen = console.folder / "bin", console.folder / "seen"
    tools.mkdir()
    for name in ("xdg-open", "open"):
        (tools / name).write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}\n')
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    opened = console.ask("segments", "open", ids[0])["opened"]
    assert opened.endswith(".jsonl")
    assert seen.read_text() == opened
    assert console.ask("segments", "open", ids[0], "--folder")["opened"] == str(Path(opened).parent)
    Path(opened).unlink()
    ran = console.throw_away("segments", "open", ids[0])
    assert ran.code == 1
    assert f"{opened} is no longer there." in ran.err
