from pathlib import Path
from typing import Any

from helpers.console import Console


def proposed(console: Console, folder: Path) -> Any:  # noqa: ANN401 - any JSON
    """Keep one lesson and propose it to a file; return the proposal."""
    console.learn("Please always run the tests before you commit.")
    file = folder / "MEMORY.md"
    file.write_text("# Memory\n", encoding="utf-8")
    project = console.ask("lessons", "list")[0]["project"]
    console.throw_away("lessons", "keep", "1")
    console.throw_away("memory", "enable", str(file), "--project", project)
    (proposal,) = console.ask("memory", "propose")
    return proposal


def test_a_hunk_of_another_proposal_is_refused(console: Console, tmp_path: Path) -> None:
    proposal = proposed(console, tmp_path)
    verb = ("memory", "apply", str(proposal["id"]), "--hunk")
    ran = console.throw_away(*verb, "77")
    assert ran.code == 1
    assert f"No change 77 waits in proposal {proposal['id']}." in ran.err
    hunk = str(proposal["hunks"][0]["id"])
    ran = console.throw_away(*verb, hunk, "--hunk", hunk)
    assert ran.out.startswith("1 hunk written to ")
    assert "waits in proposal" not in ran.err
    ran = console.throw_away(*verb, hunk)
    assert ran.code == 1


def test_words_count_what_they_name(console: Console, tmp_path: Path) -> None:
    proposal = proposed(console, tmp_path)
    assert "from lesson 1" in console.throw_away("memory", "proposals").out
    assert "1 proposed change\n" in console.throw_away("status").out
    hunk = str(proposal["hunks"][0]["id"])
    assert console.ask("memory", "reject", hunk, hunk) == {"rejected": [int(hunk)]}


def test_the_diff_keeps_its_lines(console: Console, tmp_path: Path) -> None:
    proposal = proposed(console, tmp_path)
    shown = console.throw_away("memory", "proposals").out
    for line in proposal["hunks"][0]["diff"].splitlines():
        assert f"      {line}\n" in shown
