"""One real conversation all the way: from transcripts on disk to a line in a memory file."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.program import Program, demo, environment, holding

pytestmark = pytest.mark.long

PROJECT = "/home/demo/code/orders-api"


def planted(program: Program) -> list[bytes]:
    """The secrets of the demo home, as its own test lists them."""
    text = (program.home / ".claude").rglob("8bea4a33-*.jsonl")
    data = next(text).read_bytes()
    start = data.index(b"ghp_")
    return [data[start : start + 40]]


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The demo home, imported and archived once for the tests that only look."""
    program = demo(tmp_path_factory.mktemp("spine"))
    program.run("import")
    program.run("archive", "--wait")
    return program


def test_a_second_import_adds_nothing(archived: Program) -> None:
    again = archived.ask("import")
    assert again["new_turns"] == 0
    assert {
        "path",
        "source",
        "user",
        "assistant",
        "tools",
        "failed",
        "queued",
        "skipped",
        "reason",
    } <= (again["files"][0].keys())


def test_status_counts_what_the_person_typed_once(archived: Program) -> None:
    status = archived.ask("status")
    claude, codex = status["sources"]["claude-code"], status["sources"]["codex"]
    assert claude["user"] + codex["user"] == 137
    assert claude["last_read"].endswith("Z")
    assert {"turns", "segments", "lessons", "waiting", "proposals"} <= status.keys()
    assert status["turns"] > 250


def test_every_turn_is_in_a_segment_and_every_segment_says_why_it_ended(archived: Program) -> None:
    rows = archived.ask("segments", "list")
    assert sum(row["turns"] for row in rows) == archived.ask("status")["turns"]
    reasons = {row["reason"] for row in rows}
    assert {"gap", "marker", "project", "idle"} <= reasons
    assert reasons <= {"count", "gap", "marker", "drift", "project", "idle", "end", "sweep"}
    assert {row["maker"] for row in rows} == {"rules"}
    assert sum(bool(row["recap"]) for row in rows) >= len(rows) * 0.9
    assert all(row["id"].startswith("seg-") and len(row["id"]) == 40 for row in rows)


def test_stages_ran_once_and_archiving_again_does_nothing(archived: Program) -> None:
    assert archived.ask("archive", "--wait")["closed"] == 0
    connection = sqlite3.connect(archived.profile / "archive.db")
    states = connection.execute(
        "select state, min(attempts), max(attempts) from job group by state"
    )
    assert states.fetchall() == [("done", 1, 1)]
    connection.close()


@pytest.mark.parametrize(
    "query", ["migrations dry-run", "折扣", "Postgres", "予約", "Mindestbestand"]
)
def test_search_finds_every_script(archived: Program, query: str) -> None:
    found = archived.ask("search", query)
    assert found["hits"], query
    assert found["mode"] in {"lexical", "hybrid"}
    hit = found["hits"][0]
    assert {"turn", "session", "source", "project", "at", "snippet", "score"} <= hit.keys()


def test_a_failed_tool_is_found_by_its_line(archived: Program) -> None:
    found = archived.ask("search", '"tools that failed"')
    assert found["hits"]


def test_lessons_quote_what_the_person_said(archived: Program) -> None:
    lessons = archived.ask("lessons", "list")
    assert {lesson["lang"] for lesson in lessons} >= {"en", "de", "zh", "ja"}
    connection = sqlite3.connect(archived.profile / "archive.db")
    for lesson in lessons:
        assert lesson["evidence"], lesson
        for item in lesson["evidence"]:
            role, text = connection.execute(
                "select role, text from episode where id = ?", (item["turn"],)
            ).fetchone()
            assert role == "user"
            assert item["quote"] in text
    connection.close()


def test_no_planted_secret_is_in_any_file_of_the_profile(archived: Program) -> None:
    assert holding(archived.home, planted(archived))
    assert holding(archived.profile, planted(archived)) == []
    assert archived.ask("search", "GITHUB_TOKEN")["hits"]


def test_an_approved_line_reaches_the_memory_file_and_undo_restores_the_bytes(
    tmp_path: Path,
) -> None:
    program = demo(tmp_path)
    program.run("import")
    program.run("archive", "--wait")
    target = program.home / "code" / "orders-api" / "MEMORY.md"
    before = target.read_bytes()
    program.run("memory", "enable", str(target))
    (listed,) = program.ask("memory", "targets")
    assert listed["project"] == PROJECT
    lessons = [x for x in program.ask("lessons", "list") if x["project"] == PROJECT]
    program.run("lessons", "keep", str(lessons[0]["id"]), str(lessons[1]["id"]))
    (proposal,) = program.ask("memory", "propose")
    assert target.read_bytes() == before
    hunk = proposal["hunks"][0]
    done = program.ask("memory", "apply", str(proposal["id"]), "--hunk", str(hunk["id"]))
    assert done["written"] == 1
    after = target.read_bytes()
    assert after != before
    assert lessons[0]["text"].encode() in after or lessons[1]["text"].encode() in after
    program.run("undo")
    assert target.read_bytes() == before


APPROVING = [
    ("lessons", "keep", "1"),
    ("lessons", "edit", "1", "--text", "always run curl"),
    ("memory", "enable", "MEMORY.md"),
    ("memory", "apply", "1", "--hunk", "1"),
    ("settings", "set", "cli.approve", "always"),
]


def test_an_assistant_with_a_shell_cannot_approve(tmp_path: Path) -> None:
    program = demo(tmp_path)
    data = tmp_path / "data" / "archivist"
    own = environment(XDG_DATA_HOME=str(tmp_path / "data"), ARCHIVIST_CLI_APPROVE="always")

    def run(*arguments: str, **elsewhere: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "archivist", "--home", str(program.home), *arguments]
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=own | elsewhere,
            check=False,
        )

    assert run("import").returncode == 0
    assert run("archive", "--wait").returncode == 0
    link = tmp_path / "linked"
    link.mkdir()
    (link / "archive.db").symlink_to(data / "archive.db")
    (link / "settings.toml").write_text('[cli]\napprove = "always"\n')
    own_folder = ("--profile-dir", str(data))
    for arguments in [*APPROVING, *((*own_folder, *verb) for verb in APPROVING)]:
        for elsewhere in ({}, {"XDG_DATA_HOME": "/nowhere"}, {"HOME": "/nowhere"}):
            if elsewhere and arguments[0] != "--profile-dir":
                continue
            ran = run(*arguments, **elsewhere)
            assert ran.returncode == 1, arguments
            assert "no terminal" in ran.stderr, (arguments, ran.stderr)
    behind = run("--profile-dir", str(link), "lessons", "keep", "1")
    assert behind.returncode == 1
    assert "cannot be made or opened" in behind.stderr
    for arguments in APPROVING:
        ran = run(*arguments)
        assert ran.returncode == 1, arguments
        assert "no terminal" in ran.stderr, (arguments, ran.stderr)
    assert not (data / "settings.toml").exists()
    kept = run("lessons", "list", "--state", "kept", "--json")
    assert kept.stdout.strip() == "[]"


def test_the_person_approves_on_a_terminal(tmp_path: Path) -> None:
    program = demo(tmp_path)
    own = environment(XDG_DATA_HOME=str(tmp_path / "data"))
    base = [sys.executable, "-m", "archivist", "--home", str(program.home)]
    for verb in (("import",), ("archive", "--wait")):
        subprocess.run([*base, *verb], env=own, capture_output=True, check=True)
    for answer, state in (("n", "waiting"), ("y", "kept")):
        output = on_a_terminal([*base, "lessons", "keep", "1"], answer, own)
        assert "Keep this lesson?" in output
        listed = subprocess.run(
            [*base, "lessons", "list", "--json"], env=own, capture_output=True, check=True
        )
        assert json.loads(listed.stdout)[0]["state"] == state


def on_a_terminal(command: list[str], answer: str, own: dict[str, str]) -> str:
    """Run a command on a pseudo terminal, answer its question, return what it showed."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=own)
    os.close(child)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(parent, 4096)
    os.write(parent, f"{answer}\n".encode())
    try:
        while data := os.read(parent, 4096):
            shown += data
    except OSError:  # the other end was closed: the program has ended
        pass
    process.wait(timeout=60)
    os.close(parent)
    return shown.decode("utf-8", "replace")


def test_a_write_that_cannot_be_taken_back_is_passed_over_when_asked(tmp_path: Path) -> None:
    program = demo(tmp_path)
    program.run("import")
    program.run("archive", "--wait")
    target = program.home / "code" / "orders-api" / "MEMORY.md"
    program.run("memory", "enable", str(target))
    lesson = next(x for x in program.ask("lessons", "list") if x["project"] == PROJECT)
    program.run("lessons", "keep", str(lesson["id"]))
    (proposal,) = program.ask("memory", "propose")
    hunk = str(proposal["hunks"][0]["id"])
    program.run("memory", "apply", str(proposal["id"]), "--hunk", hunk)
    line = lesson["text"].encode()
    edited = target.read_bytes().replace(line, line + b" (but not on Fridays)")
    target.write_bytes(edited)
    answer = program.ask("undo", code=1)
    assert answer["error"]["key"] == "memory-conflict"
    assert target.read_bytes() == edited
    (undone,) = program.ask("undo", "--skip")
    assert undone["name"] == "lessons.kept"
    assert target.read_bytes() == edited
