"""packaging/dev.py: the commands do what they say, failures are sentences."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from devtools import commands, console, environment
from devtools.console import Halt, quietly, tail
from devtools.desktop import desktop
from devtools.environment import Checkout
from devtools.gates import Gate, gates, pass_all
from helpers.shared import ROOT, shared_folder, why_missing

DEV = ROOT / "packaging" / "dev.py"


# Starting it


def test_an_old_python_reads_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, this is 3\.8"):
        runpy.run_path(str(DEV))


def test_dev_py_itself_can_be_read_by_an_old_python() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_the_commands_are_those_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*commands.COMMANDS] == [
        "demo",
        "run",
        "test",
        "check",
        "bench",
        "shots",
        "build",
        "doctor",
    ]
    assert commands.main(["help"]) == commands.main([]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in commands.COMMANDS)


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["tset"]) == 2
    assert "no command 'tset'" in capsys.readouterr().out


@pytest.mark.parametrize("name, file", [("shots", "tests/gui/shots.py"), ("build", "build.spec")])
def test_a_command_whose_file_is_missing_says_so_before_any_set_up(
    name: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.main([name], tmp_path) == 2
    assert f"needs {file}" in capsys.readouterr().out
    assert not (tmp_path / ".venv").exists()


def test_a_halt_is_a_sentence_and_a_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def halted(_checkout: Checkout) -> None:
        message = "no room"
        raise Halt(message)

    monkeypatch.setattr(commands, "prepare", halted)
    assert commands.main(["test"], tmp_path) == 1
    assert capsys.readouterr().out == "no room\n"


# Children, displays, gates


def test_a_quiet_child_writes_to_the_log_only(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    code = "import os, sys; print(os.environ['WORD'], repr(sys.stdin.read())); sys.exit(3)"
    assert quietly([sys.executable, "-c", code], log, more={"WORD": "hello"}) == 3
    assert capfd.readouterr() == ("", "")
    assert "hello ''" in tail(log, 1)


def test_a_child_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "import time; time.sleep(60)"
    assert quietly([sys.executable, "-c", code], log, timeout=0.5) == 124
    assert tail(log, 1) == "ended after 0.5 s"
    assert tail(tmp_path / "none") == ""


def test_a_step_tells_what_and_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    with console.step("weighing"):
        assert capsys.readouterr().out == "weighing ..."
    assert re.fullmatch(r" \d+ s\n", capsys.readouterr().out)


TRAY_TOOLS = {"gdbus", "trayer", "xdotool", "xwininfo"}
TOOLS = {"dbus-run-session", "xvfb-run", "xauth"} | TRAY_TOOLS


@pytest.mark.parametrize(
    "system, environ, tools, prefix, without",
    [
        ("darwin", {}, set(), (), ()),
        ("win32", {}, set(), (), ()),
        ("linux", {"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "x"}, TOOLS, (), ()),
        ("linux", {}, TOOLS, ("dbus-run-session", "--", "xvfb-run", "-a"), ()),
        ("linux", {"DISPLAY": ":0"}, TOOLS, ("dbus-run-session", "--"), ()),
        ("linux", {}, TOOLS - {"xauth"}, ("dbus-run-session", "--"), ("gui",)),
        ("linux", {"WAYLAND_DISPLAY": "w"}, set(), (), ("tray",)),
        ("linux", {}, set(), (), ("tray", "gui")),
    ],
)
def test_what_tests_of_windows_need_is_brought_or_left_out(
    system: str,
    environ: dict[str, str],
    tools: set[str],
    prefix: tuple[str, ...],
    without: tuple[str, ...],
) -> None:
    found = desktop(system, environ, lambda name: name if name in tools else None)
    assert found.prefix[: len(prefix)] == prefix
    assert bool(found.prefix) == bool(prefix)
    assert found.without == without
    assert len(found.remarks) == len(without)


def test_a_missing_tray_is_told_and_leaves_out_nothing_else() -> None:
    found = desktop("linux", {}, lambda name: name if name in TOOLS - {"trayer"} else None)
    assert found.without == ()
    (remark,) = found.remarks
    assert "trayer is missing" in remark


def test_slow_tests_run_only_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout(tmp_path)
    monkeypatch.setattr(commands, "desktop", lambda *_: desktop("darwin", {}, lambda _: None))
    quick = commands.pytest_command(checkout, ["-k", "x"], leaving_out=["slow", "long"])
    marks = "not slow and not long"
    assert quick == [str(checkout.python), "-m", "pytest", "-m", marks, "-k", "x"]
    assert commands.pytest_command(checkout, [], leaving_out=[]) == [*quick[:3]]


def test_coverage_is_counted_only_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(commands, "desktop", lambda *_: desktop("darwin", {}, lambda _: None))

    def call(command: list[str | Path], **_: object) -> int:
        called.append([str(word) for word in command[1:]])
        return 0

    monkeypatch.setattr(subprocess, "call", call)
    assert commands._test(Checkout(tmp_path), ["--cover", "--slow", "-x"]) == 0
    assert called == [["-m", "coverage", "run", "-m", "pytest", "-x"], ["-m", "coverage", "report"]]
    called.clear()
    assert commands._test(Checkout(tmp_path), []) == 0
    assert called == [["-m", "pytest", "-m", "not slow"]]


def test_all_gates_run_also_after_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = Gate("good", (sys.executable, "-c", "print('quiet')"))
    bad = Gate("bad", (sys.executable, "-c", "print('the reason'); raise SystemExit(1)"))
    assert not pass_all([bad, good], tmp_path)
    said = capsys.readouterr().out
    assert re.search(
        r"^bad +FAILED .*\nthe reason\ngood +ok .* s\nfailed: bad$", said, re.MULTILINE
    )
    assert pass_all([good], tmp_path)
    assert "quiet" not in capsys.readouterr().out


def test_the_gates_are_those_of_the_readme() -> None:
    names = [gate.name for gate in gates(Path("python"), ["pytest"])]
    assert names == ["ruff check", "ruff format", "mypy", "import-linter", "vulture", "tests"]


def test_benchmarks_are_found_by_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tests" / "bench"
    folder.mkdir(parents=True)
    (folder / "files.py").write_text("def main(argv): ...", encoding="utf-8")
    (folder / "_common.py").write_text("def main(argv): ...", encoding="utf-8")
    (folder / "figures.py").write_text("x = 1", encoding="utf-8")
    assert commands.benchmarks(tmp_path) == ["files"]
    assert commands._bench(Checkout(tmp_path), ["nothing"]) == 2
    assert "one of: files" in capsys.readouterr().out


# The locks


@pytest.mark.parametrize(
    "name", ["requirements.lock", "packaging/weights.lock", "packaging/llama.lock"]
)
def test_each_lock_pins_by_hash_and_names_no_index(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    entries = re.findall(r"^[a-z0-9].*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"].values()
    wanted = [
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
        *(line for group in groups for line in group if isinstance(line, str)),
    ]
    names = {re.split(r"[\[<>=]", line)[0].strip() for line in wanted}
    text = "\n".join((ROOT / name).read_text("utf-8") for name in environment.INPUTS[1:3])
    locked = set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))
    assert names - {"archivist"} <= locked


def test_the_shared_inputs_are_found_beside_the_checkout(tmp_path: Path) -> None:
    root = tmp_path / "clone"
    root.mkdir()
    assert shared_folder(root) is None
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert shared_folder(root) == tmp_path / "shared"
    assert why_missing("data/locomo").startswith("../shared/data/locomo is not beside")
