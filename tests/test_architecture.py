"""The rules of the code's shape, checked on the syntax tree: arrows, sizes, banned calls, tests.

Every checker is first shown a sample that breaks its rule: a check that cannot fail says nothing.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "app" / "archivist"
TESTS = ROOT / "tests"

MODULE_LINES = 500
FUNCTION_LINES = 60

# What each part may know of the others, itself apart. A part is a folder or a top-level module.
INSIDE = {"domain", "ports"}
ADAPTER = INSIDE | {"resources", "texts"}
FRONT = INSIDE | {"paths", "resources", "services", "settings", "texts"}
MAY_KNOW: dict[str, set[str]] = {
    "domain": set(),
    "ports": {"domain"},
    "services": INSIDE | {"settings", "texts"},
    **dict.fromkeys(("agentmemory", "machine", "models", "sources", "store"), ADAPTER),
    **dict.fromkeys(("cli", "doors", "gui"), FRONT),
    "paths": {"domain", "texts"},
    "resources": set(),
    "texts": set(),
    "settings": {"domain", "texts"},
    "shipped": {"domain", "resources"},
}
COMPOSING = {"__main__", "compose"}  # they know everything; nobody but `__main__` knows them

# The domain has no files, no clock, no chance and no other process.
IMPURE = {
    *(
        "aiosqlite",
        "asyncio",
        "glob",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "random",
        "secrets",
    ),
    *("shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "uuid"),
}
IMPURE_NAMES = {"Path", "now", "open", "today", "utcnow"}

BROAD_ALLOWED = {"services/supervise.py", "gui/shell.py", "doors/rest.py"}
BROAD = {"Exception", "BaseException"}


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed file; `name` is its path inside the package, with slashes on every system."""

    name: str
    source: str

    @property
    def part(self) -> str:
        """The folder, or the module itself at the top."""
        first, _, rest = self.name.partition("/")
        return first if rest else first.removesuffix(".py")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.name)


def modules(folder: Path) -> Iterator[Module]:
    """Every Python file under a folder; none when the folder is not there yet."""
    for path in sorted(folder.rglob("*.py")):
        yield Module(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, also inside functions."""
    package = ["archivist", *module.name.split("/")[:-1]]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            # `from archivist import store` names the part after the import.
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def top(name: str) -> str:
    return name.partition(".")[0]


def calls(module: Module) -> Iterator[tuple[ast.Call, str, str]]:
    """Each call with the name that is called and what stands before the dot."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield node, node.func.id, ""
        elif isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield node, node.func.attr, owner.id if isinstance(owner, ast.Name) else "?"


# The checkers: each yields one sentence for each breach.


def wrong_arrows(module: Module) -> Iterator[str]:
    if module.part in COMPOSING:
        return
    known = MAY_KNOW.get(module.part)
    if known is None and module.part != "__init__":
        yield f"{module.name}: {module.part!r} has no place in the layout"
        return
    for line, name in imports(module):
        part = name.split(".")[1] if name.startswith("archivist.") else ""
        if part in MAY_KNOW.keys() | COMPOSING and part not in {module.part, *(known or ())}:
            yield f"{module.name}:{line}: {module.part} must not know {name}"


def misplaced_libraries(module: Module) -> Iterator[str]:
    places = {
        "PySide6": {"gui"},
        "qasync": {"gui"},
        "shiboken6": {"gui"},
        "aiosqlite": {"store"},
        "sqlite3": {"store", "sources"},  # sources read the databases of some assistants
        "llama_cpp": {"models"},
    }
    for line, name in imports(module):
        allowed = places.get(top(name))
        if allowed is not None and module.part not in allowed:
            yield f"{module.name}:{line}: {name} belongs in {' or '.join(sorted(allowed))}/"


def impurities(module: Module) -> Iterator[str]:
    if module.part not in INSIDE:
        return
    for line, name in imports(module):
        library = top(name)
        if library not in {"archivist", "numpy"} | set(sys.stdlib_module_names):
            yield f"{module.name}:{line}: {name} is neither standard library nor numpy"
        if module.part == "domain" and library in IMPURE:
            yield f"{module.name}:{line}: the domain must not import {name}"
    if module.part == "domain":
        for call, name, _ in calls(module):
            if name in IMPURE_NAMES:
                yield f"{module.name}:{call.lineno}: the domain must not call {name}()"


def long_module(module: Module) -> Iterator[str]:
    lines = len(module.source.splitlines())
    if lines > MODULE_LINES:
        yield f"{module.name}: {lines} lines"


def long_functions(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{module.name}:{node.lineno}: {node.name} has {lines} lines"


def broad_handlers(module: Module) -> Iterator[str]:
    """Handlers that could swallow a bug. One that ends in a bare `raise` only tidies up."""
    if module.name in BROAD_ALLOWED:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _reraises(node):
            yield f"{module.name}:{node.lineno}: catches everything"
    for call, name, _ in calls(module):
        if name == "suppress" and any(_is_broad(kind) for kind in call.args):
            yield f"{module.name}:{call.lineno}: suppresses everything"


def _is_broad(kind: ast.expr | None) -> bool:
    match kind:
        case None:
            return True
        case ast.Tuple(elts=kinds):
            return any(_is_broad(one) for one in kinds)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in BROAD
        case _:
            return False


def _reraises(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    leaves = any(
        isinstance(node, ast.Return | ast.Continue | ast.Break) for node in ast.walk(handler)
    )
    return isinstance(last, ast.Raise) and last.exc is None and not leaves


def banned_calls(module: Module) -> Iterator[str]:
    for call, name, owner in calls(module):
        where = f"{module.name}:{call.lineno}"
        if name == "print" and not owner and module.part != "cli":
            yield f"{where}: only the command line prints"
        if module.part == "gui" and owner and name in {"exec", "exec_", "processEvents"}:
            yield f"{where}: {name}() runs an event loop inside the other"
        if module.part == "gui" and owner and name in {"popup", "setFixedSize"}:
            yield f"{where}: {name}() fails on Wayland, or at another size of text"
        if name in {"quit", "exit"} and _is_application(call.func):
            yield f"{where}: {name}() ends the loop under what still awaits"
        if name == "ensure_future" or (name == "create_task" and owner == "asyncio"):
            yield f"{where}: a task needs an owner; the supervisor starts it"


def _is_application(called: ast.expr) -> bool:
    """Whether a method is called on Qt's application, by whatever name it is held."""
    owner = ast.unparse(called.value) if isinstance(called, ast.Attribute) else ""
    name = owner.rpartition(".")[2].strip("_").removesuffix("()").casefold()
    return name in {"app", "qapp", "application", "instance"} or name.endswith("application")


def banned_names(module: Module) -> Iterator[str]:
    """Decorators of qasync: one spins the loop while a window closes, the other loses arguments."""
    for node in ast.walk(module.tree):
        names: list[str] = []
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                names = [name]
            case ast.ImportFrom(names=imported):
                names = [alias.name for alias in imported]
        for name in names:
            if name in {"asyncClose", "asyncSlot"}:
                yield f"{module.name}:{getattr(node, 'lineno', 0)}: {name} is not to be used"


def untested(package: Path, tests: Path) -> Iterator[str]:
    """Services and windows without a test file of their name."""
    names = {path.stem for path in tests.rglob("test_*.py")}
    needed = [(path, path.stem) for path in sorted((package / "services").glob("[!_]*.py"))]
    needed += [(path, path.parent.name) for path in sorted(package.glob("gui/*/window.py"))]
    for path, name in needed:
        if not any(test == f"test_{name}" or test.startswith(f"test_{name}_") for test in names):
            yield f"{path.relative_to(package).as_posix()}: no tests/**/test_{name}.py"


CHECKERS: list[Callable[[Module], Iterator[str]]] = [
    wrong_arrows,
    misplaced_libraries,
    impurities,
    long_module,
    long_functions,
    broad_handlers,
    banned_calls,
    banned_names,
]


@pytest.mark.parametrize("checker", CHECKERS, ids=lambda checker: checker.__name__)
def test_the_package_keeps_the_rule(checker: Callable[[Module], Iterator[str]]) -> None:
    breaches = [breach for module in modules(PACKAGE) for breach in checker(module)]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize("folder", ["packaging", "tests"])
def test_tools_and_tests_keep_the_sizes(folder: str) -> None:
    found = [*modules(ROOT / folder)]
    breaches = [
        line for module in found for line in (*long_module(module), *long_functions(module))
    ]
    assert not breaches, "\n".join(breaches)


def test_llama_cpp_is_imported_in_one_file() -> None:
    files = {
        module.name
        for module in modules(PACKAGE)
        for _, name in imports(module)
        if top(name) == "llama_cpp"
    }
    assert len(files) <= 1, files


def test_services_and_windows_have_tests() -> None:
    breaches = [*untested(PACKAGE, TESTS)]
    assert not breaches, "\n".join(breaches)


def test_packaging_is_no_package() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists(), "it would hide the library packaging"


LONG_FUNCTION = "def long():\n" + "    x = 1\n" * FUNCTION_LINES

BROKEN = [
    (wrong_arrows, "domain/turns.py", "from archivist.store.database import Database"),
    (wrong_arrows, "domain/turns.py", "import archivist.services.bus"),
    (wrong_arrows, "domain/turns.py", "from archivist import settings"),
    (wrong_arrows, "domain/turns.py", "from ..store import database"),
    (wrong_arrows, "ports/stores.py", "from archivist.services import bus"),
    (wrong_arrows, "services/ingest.py", "from archivist.store.database import Database"),
    (wrong_arrows, "services/ingest.py", "def f():\n    from archivist.machine import files"),
    (wrong_arrows, "services/ingest.py", "from archivist.compose import running"),
    (wrong_arrows, "store/jobs.py", "from archivist.services.bus import Bus"),
    (wrong_arrows, "store/jobs.py", "from archivist.sources import tail"),
    (wrong_arrows, "cli/search.py", "from archivist.store.search import find"),
    (wrong_arrows, "gui/tray.py", "from archivist.cli import search"),
    (wrong_arrows, "texts.py", "from archivist.services import bus"),
    (wrong_arrows, "utils/many.py", "x = 1"),
    (wrong_arrows, "helpers.py", "x = 1"),
    (misplaced_libraries, "services/bus.py", "from PySide6.QtCore import QObject"),
    (misplaced_libraries, "cli/search.py", "import qasync"),
    (misplaced_libraries, "cli/search.py", "import sqlite3"),
    (misplaced_libraries, "sources/cursor.py", "import aiosqlite"),
    (misplaced_libraries, "services/recap.py", "def f():\n    from llama_cpp import Llama"),
    (impurities, "domain/turns.py", "import orjson"),
    (impurities, "ports/models.py", "import aiosqlite"),
    (impurities, "domain/turns.py", "from time import monotonic"),
    (impurities, "domain/turns.py", "import os.path"),
    (impurities, "domain/turns.py", "open('x')"),
    (impurities, "domain/turns.py", "datetime.now(UTC)"),
    (impurities, "domain/turns.py", "Path('x')"),
    (long_module, "domain/turns.py", "x = 1\n" * (MODULE_LINES + 1)),
    (long_functions, "domain/turns.py", LONG_FUNCTION),
    (long_functions, "services/bus.py", "async " + LONG_FUNCTION),
    (broad_handlers, "services/bus.py", "try:\n    x\nexcept Exception:\n    pass"),
    (broad_handlers, "services/bus.py", "try:\n    x\nexcept:\n    pass"),
    (broad_handlers, "services/bus.py", "try:\n    x\nexcept (OSError, BaseException):\n    pass"),
    (
        broad_handlers,
        "services/bus.py",
        "try:\n    x\nexcept builtins.Exception as e:\n    raise X from e",
    ),
    (
        broad_handlers,
        "services/bus.py",
        "try:\n    x\nexcept Exception:\n    if y:\n        return\n    raise",
    ),
    (broad_handlers, "services/bus.py", "with contextlib.suppress(Exception):\n    x"),
    (banned_calls, "services/bus.py", "print(1)"),
    (banned_calls, "gui/shell.py", "dialog.exec()"),
    (banned_calls, "gui/shell.py", "QApplication.processEvents()"),
    (banned_calls, "gui/tray.py", "self._menu.popup(where)"),
    (banned_calls, "gui/room.py", "button.setFixedSize(20, 20)"),
    (banned_calls, "gui/program.py", "app.quit()"),
    (banned_calls, "gui/program.py", "self._application.quit()"),
    (banned_calls, "gui/program.py", "QApplication.instance().quit()"),
    (banned_calls, "gui/program.py", "QCoreApplication.exit(1)"),
    (banned_names, "gui/room.py", "from qasync import asyncClose"),
    (banned_names, "gui/room.py", "@asyncSlot()\ndef f(): ..."),
    (banned_names, "gui/room.py", "@qasync.asyncClose\nasync def closeEvent(self, event): ..."),
    (banned_calls, "services/bus.py", "asyncio.create_task(work())"),
    (banned_calls, "services/bus.py", "asyncio.ensure_future(work())"),
]


@pytest.mark.parametrize("checker, name, source", BROKEN)
def test_a_breach_is_found(
    checker: Callable[[Module], Iterator[str]], name: str, source: str
) -> None:
    assert len([*checker(Module(name, source))]) >= 1


FINE = [
    (wrong_arrows, "compose.py", "from archivist.store.database import open_database"),
    (wrong_arrows, "services/ingest.py", "from archivist.ports.stores import Turns"),
    (wrong_arrows, "store/jobs.py", "from archivist.store.database import Database"),
    (wrong_arrows, "cli/show.py", "from archivist import __version__"),
    (wrong_arrows, "__init__.py", "__version__ = '1'"),
    (wrong_arrows, "models/process.py", "import archivist"),
    (misplaced_libraries, "gui/tray.py", "from PySide6.QtGui import QIcon"),
    (misplaced_libraries, "sources/cursor.py", "import sqlite3"),
    (impurities, "domain/turns.py", "import re\nimport numpy as np\nfrom datetime import datetime"),
    (impurities, "services/bus.py", "import asyncio\nopen('x')"),
    (long_module, "domain/turns.py", "x = 1\n" * MODULE_LINES),
    (long_functions, "domain/turns.py", "def fits():\n" + "    x = 1\n" * (FUNCTION_LINES - 1)),
    (broad_handlers, "services/supervise.py", "try:\n    x\nexcept Exception:\n    pass"),
    (broad_handlers, "services/bus.py", "try:\n    x\nexcept OSError:\n    pass"),
    (
        broad_handlers,
        "services/bus.py",
        "try:\n    x\nexcept BaseException:\n    undo()\n    raise",
    ),
    (banned_calls, "cli/show.py", "print(1)"),
    (banned_calls, "gui/tray_help.py", "self._desk.quit()"),
    (banned_names, "gui/shell.py", "from qasync import QEventLoop"),
    (banned_calls, "services/supervise.py", "self._group.create_task(work())"),
]


@pytest.mark.parametrize("checker, name, source", FINE)
def test_good_code_passes(
    checker: Callable[[Module], Iterator[str]], name: str, source: str
) -> None:
    assert [*checker(Module(name, source))] == []


def test_a_service_or_window_without_tests_is_found(tmp_path: Path) -> None:
    package, tests = tmp_path / "archivist", tmp_path / "tests"
    for name in ("services/bus.py", "services/ingest.py", "services/__init__.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    (package / "gui" / "notes").mkdir(parents=True)
    (package / "gui" / "notes" / "window.py").touch()
    (tests / "unit").mkdir(parents=True)
    (tests / "unit" / "test_ingest_faults.py").touch()
    assert [*untested(package, tests)] == [
        "services/bus.py: no tests/**/test_bus.py",
        "gui/notes/window.py: no tests/**/test_notes.py",
    ]


def test_folders_that_do_not_exist_are_no_fault(tmp_path: Path) -> None:
    assert [*modules(tmp_path / "none")] == []
    assert [*untested(tmp_path / "none", tmp_path)] == []
