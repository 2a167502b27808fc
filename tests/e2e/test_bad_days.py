"""What goes wrong in the world: each ends in a sentence, an advice, and nothing lost."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.claude import Writer, chat, lines, transcript
from helpers.program import Program, demo, environment

pytestmark = pytest.mark.long

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


@pytest.fixture
def shared_place() -> Iterator[Path]:
    """A folder that other users may look into; pytest's own are closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="archivist-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@posix_only
def test_an_unreadable_transcript_is_named_and_the_others_are_read(shared_place: Path) -> None:
    program = small(shared_place)
    writer, records = chat(2, ["locked away"])
    path = transcript(program.home, writer, records)
    path.chmod(0)
    program.profile.mkdir()
    program.home.chmod(0o777)
    if os.getuid() == 0:
        os.chown(program.profile, 65534, 65534)
    answer = json.loads(as_nobody(program, "import", "--json"))
    by_path = {report["path"]: report for report in answer["files"]}
    assert str(path) in by_path[str(path)]["reason"]
    assert answer["new_turns"] == 4


AS_NOBODY = """
import contextlib, io, os, sys, tempfile
from archivist.__main__ import main
# Python itself may lie where nobody may look: all that is needed of it is loaded before.
with tempfile.TemporaryDirectory() as other, contextlib.redirect_stdout(io.StringIO()):
    main(["--profile-dir", other, *sys.argv[3:5], "import", "--json"])
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


def as_nobody(program: Program, *arguments: str) -> str:
    """Run the program without root's rights, where we have them; give what it printed."""
    ran = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, *program.command(*arguments)[3:]],
        capture_output=True,
        text=True,
        env=environment(HOME=str(program.home)),
        check=False,
    )
    assert ran.returncode in {0, 1}, ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stdout


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


@posix_only
def test_a_profile_of_another_user_is_told(shared_place: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make a folder of another user")
    program = small(shared_place)
    program.profile.mkdir()
    program.profile.chmod(0o777)
    answer = json.loads(as_nobody(program, "status", "--json"))
    assert "cannot be made or made private" in answer["error"]["message"]
    assert "--profile-dir" in answer["error"]["advice"]
    closed = shared_place / "closed"
    closed.mkdir(mode=0o755)
    answer = json.loads(as_nobody(Program(closed / "p", program.home), "status", "--json"))
    assert answer["error"]["key"] == "data-folder"


@posix_only
@pytest.mark.parametrize("name", ["app.lock", "app.sock", "archive.db"])
def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path, name: str) -> None:
    program = small(tmp_path)
    (program.profile / name).mkdir(parents=True)
    answer = json.loads(program.run("run", "--no-gui", "--json", code=1))
    assert name in answer["error"]["message"]
    assert answer["error"]["advice"]


@posix_only
def test_without_a_place_for_its_log_it_works_and_lists_why(tmp_path: Path) -> None:
    program = small(tmp_path)
    (program.profile / "archivist.log").mkdir(parents=True)
    child = program.start("run", "--no-gui")
    try:
        while not [p for p in program.ask("problems", "list") if p["key"] == "log-file"]:
            assert child.poll() is None
        assert json.loads(answer_to(program, b'{"do":"quit"}\n'))["ok"] is True
        _, told = child.communicate(timeout=30)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode == 0
    assert "Traceback" not in told


def test_windows_and_json_do_not_go_together(tmp_path: Path) -> None:
    for words in (("run",), ("run", "--background")):
        error = small(tmp_path).ask(*words, code=1)["error"]
        assert "takes no --json" in error["message"]
        assert "archivist run --no-gui --json" in error["advice"]


@posix_only
def test_a_lock_that_may_not_be_opened_is_told(shared_place: Path) -> None:
    program = small(shared_place)
    program.run("status")
    lock = program.profile / "app.lock"
    lock.touch()
    lock.chmod(0o400)
    if os.getuid() == 0:
        for path in (program.profile, program.profile / "archive.db"):
            os.chown(path, 65534, 65534)
    answer = json.loads(as_nobody(program, "run", "--no-gui", "--json"))
    assert "app.lock cannot be locked" in answer["error"]["message"]


@posix_only
def test_the_running_app_survives_what_is_no_request(tmp_path: Path) -> None:
    program = small(tmp_path)
    child = program.start("run", "--no-gui")
    try:
        while not (program.profile / "app.sock").exists():
            assert child.poll() is None
            time.sleep(0.05)
        deep = b"[" * 60_000 + b"\n"
        odd = (deep, b'{"a":' * 10_000 + b"\n", b"x" * 70_000 + b"\n", b"[]\n", b"\xff\n", b"\n")
        for line in odd:
            assert b"unreadable" in answer_to(program, line), line[:20]
        assert json.loads(answer_to(program, b'{"do":{}}\n'))["ok"] is False
        assert json.loads(answer_to(program, b'{"do":"quit"}\n'))["ok"] is True
        _, told = child.communicate(timeout=30)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode == 0
    assert "Traceback" not in told
    assert "Error" not in told


def answer_to(program: Program, line: bytes) -> bytes:
    """Send a line to the running app; return its answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(program.profile / "app.sock"))
        client.sendall(line)
        return client.recv(4096)
