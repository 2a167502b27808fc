"""The environment that dev.py makes: once, from the locks, with llama.cpp where it can be built."""

import json
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from devtools import environment, llama
from devtools.console import Halt
from devtools.environment import Checkout, Stamp, is_current, read_stamp, wanted_key, write_stamp


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout whose environment looks made."""
    made = Checkout(tmp_path / "clone")
    for name in environment.INPUTS:
        (made.root / name).parent.mkdir(parents=True, exist_ok=True)
        (made.root / name).write_text(name, encoding="utf-8")
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    (made.venv / "pyvenv.cfg").write_text("home = /usr\nversion = 3.11.7\n", encoding="utf-8")
    return made


def test_a_set_up_is_current_until_an_input_changes(checkout: Checkout) -> None:
    write_stamp(checkout, Stamp(wanted_key(checkout), ("a remark",)))
    assert is_current(checkout, read_stamp(checkout))
    for name in environment.INPUTS:
        (checkout.root / name).write_text("changed", encoding="utf-8")
        assert not is_current(checkout, read_stamp(checkout))
        (checkout.root / name).write_text(name, encoding="utf-8")
    assert is_current(checkout, read_stamp(checkout))


def test_another_python_or_a_missing_one_asks_for_a_set_up(checkout: Checkout) -> None:
    write_stamp(checkout, Stamp(wanted_key(checkout)))
    (checkout.venv / "pyvenv.cfg").write_text("version = 3.13.0\n", encoding="utf-8")
    assert not is_current(checkout, read_stamp(checkout))
    write_stamp(checkout, Stamp(wanted_key(checkout)))
    assert is_current(checkout, read_stamp(checkout))
    checkout.python.unlink()
    assert not is_current(checkout, read_stamp(checkout))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"key": "x", "remarks": 3})])
def test_a_damaged_stamp_counts_as_none(checkout: Checkout, text: str) -> None:
    checkout.stamp.write_text(text, encoding="utf-8")
    assert read_stamp(checkout) is None


def test_a_compiler_that_has_come_since_is_a_reason_to_try(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = Stamp(wanted_key(checkout), ("rules only",), awaits_compiler=True)
    monkeypatch.setattr(llama, "compiler", lambda *_: None)
    assert is_current(checkout, stamp)
    monkeypatch.setattr(llama, "compiler", lambda *_: "/usr/bin/c++")
    assert not is_current(checkout, stamp)


def test_set_up_runs_once_and_its_remark_is_said_each_time(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = []

    def set_up(place: Checkout) -> Stamp:
        runs.append(place)
        stamp = Stamp(wanted_key(place), ("llama.cpp is missing",))
        write_stamp(place, stamp)
        return stamp

    monkeypatch.setattr(environment, "_set_up", set_up)
    environment.prepare(checkout)
    environment.prepare(checkout)
    assert len(runs) == 1
    assert capsys.readouterr().out.count("llama.cpp is missing") == 2


def test_a_failed_pip_shows_the_end_of_its_log(checkout: Checkout) -> None:
    broken = SimpleNamespace(python=Path(sys.executable), log=checkout.log)
    with pytest.raises(Halt, match=r"pip failed; this is the end of .*setup\.log:\n"):
        environment._pip(broken, "no-such-verb")  # type: ignore[arg-type]  # a real pip, a mild stand-in


# llama.cpp


@pytest.mark.parametrize(
    "system, environ, expected",
    [
        ("linux", {}, "h/.cache/archivist"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "h/.cache/archivist"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "h/Library/Caches/archivist"),
        ("win32", {"LOCALAPPDATA": "l"}, "l/archivist/Cache"),
        ("win32", {}, "h/AppData/Local/archivist/Cache"),
    ],
)
def test_the_cache_lies_where_the_system_wants_it(
    system: str, environ: dict[str, str], expected: str
) -> None:
    assert llama.cache_folder(system, environ, Path("h")) == Path(expected)


def test_an_absolute_xdg_folder_is_used(tmp_path: Path) -> None:
    found = llama.cache_folder("linux", {"XDG_CACHE_HOME": str(tmp_path)}, Path("h"))
    assert found == tmp_path / "archivist"


def test_a_build_is_named_after_all_that_decides_about_it() -> None:
    parts = (b"lock", "3.11 linux", "avx2", "-DX=1")
    keys = {llama.build_key(*parts)}
    keys.add(llama.build_key(b"other", *parts[1:]))
    keys.add(llama.build_key(b"lock", "3.12 linux", *parts[2:]))
    keys.add(llama.build_key(b"lock", "3.11 linux", "avx2 fma", "-DX=1"))
    keys.add(llama.build_key(b"lock", "3.11 linux", "avx2", "-DX=2"))
    assert len(keys) == 5
    assert llama.build_key(*parts) in keys


def test_amx_is_left_out_and_the_developers_options_are_kept() -> None:
    assert llama.build_options("x86_64 avx2 fma", {}) == "-DGGML_NATIVE=ON"
    assert "GGML_NATIVE=OFF" in llama.build_options("x86_64 amx_int8 amx_tile avx512f", {})
    assert llama.build_options("x86_64 amx_tile", {"CMAKE_ARGS": "-DY"}) == "-DY"


def test_the_processor_is_named() -> None:
    assert llama.processor() == llama.processor()
    assert len(llama.processor()) > len("x86_64 ")


@pytest.mark.skipif(os.name != "posix", reason="makes an executable by its mode bits")
def test_a_compiler_is_looked_for_on_the_path(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    assert llama.compiler("linux", environ) is None
    for name in ("clang++", "my-c++"):
        (tmp_path / name).touch(mode=0o755)
    assert llama.compiler("linux", environ) == str(tmp_path / "clang++")
    chosen = {**environ, "CXX": "my-c++ -O2"}
    assert llama.compiler("linux", chosen) == str(tmp_path / "my-c++")


def test_visual_studio_counts_as_a_compiler(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path / "none"), "ProgramFiles(x86)": str(tmp_path)}
    assert llama.compiler("win32", environ) is None
    asked = tmp_path / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    asked.parent.mkdir(parents=True)
    asked.touch()
    assert llama.compiler("win32", environ) == str(asked)


class Children:
    """Stands in for `quietly`: notes the commands, answers with statuses, makes what pip would."""

    def __init__(self, *, build: int = 0, verify: int = 0) -> None:
        self.build = build
        self.verify = verify
        self.verbs: list[str] = []

    def __call__(self, command: Sequence[str | Path], log: Path, **_: object) -> int:
        words = [str(word) for word in command]
        verb = words[3] if words[1:3] == ["-m", "pip"] else "verify"
        self.verbs.append(verb)
        if verb == "wheel" and not self.build:
            folder = Path(words[words.index("-w") + 1])
            folder.mkdir()
            (folder / "llama_cpp_python-1-py3-none-any.whl").touch()
        return {"wheel": self.build, "verify": self.verify}.get(verb, 0)


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of its own, an empty cache, and a compiler."""
    monkeypatch.setattr(llama, "cache_folder", lambda *_: tmp_path / "cache")
    monkeypatch.setattr(llama, "compiler", lambda *_: "c++")
    made = tmp_path / "llama.lock"
    made.write_text("llama-cpp-python==1", encoding="utf-8")
    return made


def install(lock: Path, monkeypatch: pytest.MonkeyPatch, children: Children) -> llama.Outcome:
    monkeypatch.setattr(llama, "quietly", children)
    return llama.install(Path(sys.executable), lock, lock.with_name("setup.log"))


def test_llama_is_built_once_and_then_taken_from_the_cache(
    lock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Children(), Children()
    assert install(lock, monkeypatch, first) == llama.Outcome()
    assert "building llama.cpp, about 5 minutes on two cores" in capsys.readouterr().out
    assert install(lock, monkeypatch, second) == llama.Outcome()
    assert first.verbs == ["wheel", "install", "verify"]
    assert second.verbs == ["install", "verify"]


def test_without_a_compiler_the_rest_goes_on(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "compiler", lambda *_: None)
    children = Children()
    outcome = install(lock, monkeypatch, children)
    assert outcome.awaits_compiler
    assert "runs by rules only" in outcome.remark
    assert children.verbs == []


def test_a_failed_build_leaves_nothing_in_the_cache(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = install(lock, monkeypatch, Children(build=1))
    assert "could not be built" in outcome.remark
    assert not outcome.awaits_compiler
    assert [*(lock.parent / "cache" / "wheels").iterdir()] == []


def test_a_build_that_dies_here_is_taken_out_again(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = Children(verify=-4)
    outcome = install(lock, monkeypatch, children)
    assert "does not run here (status -4)" in outcome.remark
    assert children.verbs == ["wheel", "install", "verify", "uninstall"]
    assert [*(lock.parent / "cache").rglob("*.whl")] == []


# MiniLM


def test_word_pieces_are_spelt_as_llama_cpp_wants_them() -> None:
    pytest.importorskip("gguf", reason="gguf is not installed")
    from gguf import TokenType

    from devtools import minilm

    pieces, kinds = minilm.vocabulary(["[PAD]", "[", "bread", "##ing", "##"])
    assert pieces == ["[PAD]", "\u2581[", "\u2581bread", "ing", "\u2581##"]
    assert kinds == [TokenType.CONTROL, *[TokenType.NORMAL] * 4]


def test_tensors_are_read_from_a_safetensors_file(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="gguf is not installed")
    from devtools import minilm

    table = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }
    head = json.dumps(table).encode()
    numbers = np.arange(6, dtype="<f4")
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(8) + numbers.tobytes())
    ((name, found),) = minilm.read_tensors(path)
    assert name == "w"
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]
