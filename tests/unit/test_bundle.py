"""What goes into the bundle: nothing that the program imports is left out of it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from devtools.bundle import MODULES_LEFT_OUT, is_wanted, once, stripped, wanted
from helpers.shared import ROOT


def imported() -> Iterator[str]:
    """Every module that the program names, with those above it."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                parts = name.split(".")
                yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def test_no_imported_module_is_left_out() -> None:
    names = set(imported())
    assert {"PySide6.QtWidgets", "numpy", "asyncio"} <= names
    assert not names & set(MODULES_LEFT_OUT)


def test_the_libraries_of_every_imported_qt_module_stay() -> None:
    modules = {name.split(".")[1] for name in imported() if name.startswith("PySide6.Qt")}
    assert "QtGui" in modules
    for module in modules:
        assert is_wanted(f"PySide6/{module}.abi3.so")
        assert is_wanted(f"PySide6/Qt/lib/libQt6{module.removeprefix('Qt')}.so.6")


QT = "PySide6/Qt/plugins"


@pytest.mark.parametrize(
    "name",
    [
        f"{QT}/platforms/libqxcb.so",
        f"{QT}/platforms/libqwayland.so",
        f"{QT}/platforms/libqoffscreen.so",
        f"{QT}/platformthemes/libqxdgdesktopportal.so",
        f"{QT}/platforminputcontexts/libibusplatforminputcontextplugin.so",
        f"{QT}/iconengines/libqsvgicon.so",
        f"{QT}/imageformats/libqsvg.so",
        f"{QT}/wayland-shell-integration/libxdg-shell.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "archivist/resources/icons/tray-idle.svg",
        "llama_cpp/lib/libllama.so",
    ],
)
def test_what_a_window_and_a_model_need_is_carried(name: str) -> None:
    assert is_wanted(name)


@pytest.mark.parametrize(
    "name",
    [
        f"{QT}/platformthemes/libqgtk3.so",
        f"{QT}/platforminputcontexts/libqtvirtualkeyboardplugin.so",
        f"{QT}/sqldrivers/libqsqlite.so",
        f"{QT}/imageformats/libqpdf.so",
        f"{QT}/platforms/libqvnc.so",
        "PySide6/plugins/platforms/qminimal.dll",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "PySide6/Qt/lib/libQt6WebEngineCore.so.6",
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6/translations/qtbase_de.qm",
        "llama_cpp/lib/libmtmd.so",
    ],
)
def test_what_nothing_uses_stays_out(name: str) -> None:
    assert not is_wanted(name)
    assert not is_wanted(f"/somewhere/site-packages/{name}")
    assert wanted([(name, "", "BINARY"), ("archivist", "", "BINARY")])[0][0] == "archivist"


def test_a_library_under_two_names_is_carried_once(tmp_path: Path) -> None:
    for name, text in (("a", "llama"), ("b", "llama"), ("c", "other")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    entries = [
        ("llama_cpp/lib/libllama.so.0", str(tmp_path / "b"), "BINARY"),
        ("llama_cpp/lib/libllama.so", str(tmp_path / "a"), "BINARY"),
        ("llama_cpp/lib/libggml.so", str(tmp_path / "c"), "BINARY"),
        ("elsewhere/libllama.so", str(tmp_path / "a"), "BINARY"),
    ]
    assert once(entries) == [
        ("elsewhere/libllama.so", str(tmp_path / "a"), "BINARY"),
        ("llama_cpp/lib/libggml.so", str(tmp_path / "c"), "BINARY"),
        ("llama_cpp/lib/libllama.so", str(tmp_path / "a"), "BINARY"),
        ("llama_cpp/lib/libllama.so.0", "libllama.so", "SYMLINK"),
    ]


def test_only_the_python_library_loses_its_symbols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(
        "subprocess.run", lambda command, **_: calls.append([str(word) for word in command])
    )
    python = ("libpython3.11.so.1.0", "/usr/lib/libpython3.11.so.1.0", "BINARY")
    numpy = ("numpy.libs/libopenblas.so", "/venv/libopenblas.so", "BINARY")
    folder = tmp_path / "lean"
    copy = str(folder / "libpython3.11.so.1.0")
    assert stripped([python, numpy], folder) == [(python[0], copy, "BINARY"), numpy]
    assert calls == [["/usr/bin/strip", "--strip-unneeded", "-o", copy, python[1]]]


def test_without_the_tool_it_is_carried_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    python = ("libpython3.11.so.1.0", "/usr/lib/libpython3.11.so.1.0", "BINARY")
    assert stripped([python], tmp_path) == [python]
