"""Docs that cannot rot: every setting, command and path of the program stands in them."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from archivist.cli.main import build_parser
from archivist.paths import Paths
from archivist.settings import Entry, entries
from helpers.shared import ROOT

SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
FOLDER = (ROOT / "docs" / "data-folder.md").read_text(encoding="utf-8")


def leaves(parser: argparse.ArgumentParser, above: str = "") -> Iterator[str]:
    """Yield every command with its words."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        yield above
    for group in groups:
        for name, child in group.choices.items():
            yield from leaves(child, f"{above} {name}".strip())


@pytest.mark.parametrize("command", list(leaves(build_parser())))
def test_every_command_is_described(command: str) -> None:
    assert f"`{command}" in COMMANDS


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.key)
def test_every_setting_is_described_with_its_help(entry: Entry) -> None:
    assert f"| `{entry.key}` |" in SETTINGS
    assert entry.help in SETTINGS


def test_every_path_of_the_data_folder_is_described() -> None:
    paths = Paths(Path("data"))
    for name in ("database", "settings", "lock", "socket", "log"):
        assert f"`{getattr(paths, name).name}`" in FOLDER
    assert "`backups/" in FOLDER


def test_the_readme_s_first_five_minutes_use_real_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    known = set(leaves(build_parser()))
    lines = [line for line in readme.split("\n") if line.startswith("archivist ")]
    assert len(lines) >= 8
    for line in lines:
        words = line.split("#")[0].split()[1:]
        assert words[0] in known or " ".join(words[:2]) in known, line
