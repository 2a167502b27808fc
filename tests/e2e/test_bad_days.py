"""What goes wrong in the world: each ends in a sentence, an advice, and nothing lost."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.claude import Writer, chat, lines, transcript
from helpers.program import Program, demo, environment

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs rights and limits of POSIX")


def small(folder: Path, *prompts: str) -> Program:
    """A home with one session, and an empty profile."""
    writer, records = chat(1, prompts or ("hello there", "and now"))
    transcript(folder / "home", writer, records)
    return Program(folder / "profile", folder / "home")


def test_a_newer_schema_ends_with_one_sentence_and_is_left_as_it_is(tmp_path: Path) -> None:
    program = small(tmp_path)
    program.run("import")
    database = program.profile / "archive.db"
    connection = sqlite3.connect(database)
    connection.execute("pragma user_version = 99")
    connection.execute("pragma journal_mode = delete")
    connection.close()
    before = database.read_bytes()
    for verb in (("status",), ("import",), ("archive", "--wait"), ("run", "--no-gui")):
        answer = json.loads(program.run(*verb, "--json", code=1))
        assert "newer Archivist (schema 99" in answer["error"]["message"]
        assert answer["error"]["advice"]
    assert database.read_bytes() == before
    assert sorted(path.name for path in program.profile.iterdir()) == ["archive.db"]


FILL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from archivist.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@posix_only
@pytest.mark.parametrize("limit", [40_000, 200_000, 260_000])
def test_a_full_disk_is_told_and_the_rest_is_read_when_there_is_room(
    tmp_path: Path, limit: int
) -> None:
    program = demo(tmp_path)
    command = program.command("import", "--json")
    ran = subprocess.run(
        [sys.executable, "-c", FILL, str(limit), *command[3:]],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 1, ran.stdout
    assert "full" in ran.stderr, ran.stderr
    assert "Traceback" not in ran.stderr
    program.run("import")
    status = program.ask("status")
    assert status["sources"]["claude-code"]["user"] + status["sources"]["codex"]["user"] == 137


@posix_only
def test_an_unreadable_transcript_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    program = small(tmp_path)
    writer, records = chat(2, ["locked away"])
    path = transcript(program.home, writer, records)
    path.chmod(0)
    program.profile.mkdir()
    for folder in (tmp_path, program.profile, program.home):
        folder.chmod(0o777)
    answer = json.loads(as_nobody(program, "import", "--json"))
    by_path = {report["path"]: report for report in answer["files"]}
    assert str(path) in by_path[str(path)]["reason"]
    assert answer["new_turns"] == 4


def as_nobody(program: Program, *arguments: str) -> str:
    """Run the program without root's rights, where we have them."""
    user = {"user": 65534, "group": 65534} if os.getuid() == 0 else {}
    # The source tree may lie where nobody may look: the installed copy of the path is enough.
    for folder in [*program.profile.parents, *Path(sys.executable).parents]:
        if user and not folder.stat().st_mode & 0o005:
            pytest.skip(f"{folder} is closed to other users")
    ran = subprocess.run(
        program.command(*arguments),
        capture_output=True,
        text=True,
        env=environment(HOME=str(program.home), PYTHONDONTWRITEBYTECODE="1"),
        check=False,
        **user,  # type: ignore[call-overload]  # user and group are numbers
    )
    assert ran.returncode in {0, 1}, ran.stderr
    return str(ran.stdout)


def test_lines_that_hold_no_record_are_counted_and_the_rest_is_kept(tmp_path: Path) -> None:
    writer = Writer()
    good = [writer.user("before"), writer.assistant(text="ok"), writer.user("after")]
    first, second, third = (lines([record]) for record in good)
    data = b"\xef\xbb\xbf" + first + b"{broken\n" + b"\0" * 64 + second + b"[1, 2]\n" + third[:-1]
    path = transcript(tmp_path / "home", writer, [])
    path.write_bytes(data)
    program = Program(tmp_path / "profile", tmp_path / "home")
    (report,) = program.ask("import", str(path))["files"]
    assert (report["user"], report["assistant"], report["skipped"]) == (2, 1, 2)


def test_a_lone_surrogate_and_a_nul_do_not_stop_the_import(tmp_path: Path) -> None:
    writer = Writer()
    data = lines([writer.user("cut PLACE emoji")]).replace(b"PLACE", b"\\ud83d\\u0000")
    path = transcript(tmp_path / "home", writer, [])
    path.write_bytes(data)
    program = Program(tmp_path / "profile", tmp_path / "home")
    assert program.ask("import")["new_turns"] == 1
    (hit,) = program.ask("search", "emoji")["hits"]
    assert "\ufffd" in hit["snippet"]


@pytest.mark.long
def test_a_line_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    writer = Writer()
    records = [writer.user("small"), writer.user("lorem ipsum " * 4_400_000), writer.user("end")]
    transcript(tmp_path / "home", writer, records)
    program = Program(tmp_path / "profile", tmp_path / "home")
    assert program.ask("import")["new_turns"] == 3
    assert program.ask("search", "+lorem", "--limit", "3")["hits"]


def test_a_file_that_shrank_is_read_again_and_doubles_nothing(tmp_path: Path) -> None:
    writer, records = chat(1, ["one", "two", "three"])
    path = transcript(tmp_path / "home", writer, records)
    program = Program(tmp_path / "profile", tmp_path / "home")
    assert program.ask("import")["new_turns"] == 6
    path.write_bytes(lines(records[:2]))
    assert program.ask("import")["new_turns"] == 0
    path.write_bytes(lines([*records, writer.user("four")]))
    assert program.ask("import")["new_turns"] == 1
    assert program.ask("status")["turns"] == 7


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    program = small(tmp_path)
    answer = json.loads(program.run("import", str(tmp_path / "none.jsonl"), "--json", code=1))
    assert "none.jsonl" in answer["files"][0]["reason"]


@pytest.mark.parametrize(
    "verb",
    [
        ("lessons", "keep", "99"),
        ("segments", "show", "seg-0"),
        ("settings", "get", "no.such"),
        ("undo",),
        ("memory", "apply", "7", "--hunk", "1"),
    ],
)
def test_a_wrong_id_gets_a_sentence_and_an_advice(tmp_path: Path, verb: tuple[str, ...]) -> None:
    program = small(tmp_path)
    answer = json.loads(program.run(*verb, "--json", code=1))
    assert answer["error"]["message"]
    assert answer["error"]["advice"]
