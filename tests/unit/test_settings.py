from pathlib import Path

import pytest

from archivist.domain.problems import Problem, Refused
from archivist.settings import Settings, SettingsFile, entries, get, load, variable_of, with_value

HAND_WRITTEN = """\
# my settings
[archive]
idle_minutes = 25   # I think slowly
unknown_key = "kept"

[future]
thing = 1
"""


def test_every_entry_has_words_and_a_default_that_passes_its_own_check() -> None:
    keys = [entry.key for entry in entries()]
    assert len(keys) == len(set(keys))
    for entry in entries():
        assert entry.label
        assert entry.help
        assert entry.check(entry.default) is None
        assert get(Settings(), entry.key) == entry.default


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path / "settings.toml", {}) == (Settings(), [])


def test_changing_one_key_keeps_comments_and_unknown_keys(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(HAND_WRITTEN, encoding="utf-8")
    file = SettingsFile(path, {})
    assert file.change("archive.max_exchanges", "12") == (None, 12)
    assert file.change("archive.idle_minutes", 30) == (25, 30)
    text = path.read_text(encoding="utf-8")
    for kept in (
        "# my settings",
        "# I think slowly",
        'unknown_key = "kept"',
        "[future]\nthing = 1",
    ):
        assert kept in text
    settings, troubles = file.read()
    assert (settings.idle_minutes, settings.max_exchanges, troubles) == (30, 12, [])
    assert list(tmp_path.iterdir()) == [path]


def test_taking_a_key_out_brings_the_default_back(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "settings.toml", {})
    file.change("sources.off", "codex, claude-code")
    assert file.read()[0].sources_off == ("codex", "claude-code")
    before, now = file.change("sources.off", None)
    assert (before, now) == (["codex", "claude-code"], ())
    file.change("sources.off", before)
    assert file.read()[0].sources_off == ("codex", "claude-code")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(HAND_WRITTEN, encoding="utf-8")
    settings, _ = load(
        path, {"ARCHIVIST_ARCHIVE_IDLE_MINUTES": "7", "ARCHIVIST_MODELS_VECTORS": "off"}
    )
    assert (settings.idle_minutes, settings.vectors) == (7, False)


def test_no_program_can_approve_through_the_environment(tmp_path: Path) -> None:
    entry = next(entry for entry in entries() if entry.key == "cli.approve")
    settings, _ = load(tmp_path / "none.toml", {variable_of(entry): "always"})
    assert settings.approve == "ask"


@pytest.mark.parametrize(
    "key, value, part",
    [
        ("archive.idle_minutes", "soon", "wrong type"),
        ("archive.idle_minutes", 0, "between 1 and 1440"),
        ("archive.idle_minutes", True, "wrong type"),
        ("archive.drift", 1.5, "between 0 and 1"),
        ("models.summarise", "gpt", "one of rules, smollm2"),
        ("sources.off", "netscape", "unknown source: netscape"),
        ("models.vectors", "perhaps", "wrong type"),
        ("no.such", 1, "no setting named no.such"),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence(key: str, value: object, part: str) -> None:
    with pytest.raises(Refused) as caught:
        with_value(Settings(), key, value)
    assert part in caught.value.message
    assert caught.value.advice


def test_a_bad_value_in_the_file_is_told_and_its_default_used(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[archive]\nidle_minutes = 'x'\nmax_exchanges = 5\n", encoding="utf-8")
    settings, troubles = load(path, {})
    assert (settings.idle_minutes, settings.max_exchanges) == (10, 5)
    assert [trouble.key for trouble in troubles] == ["setting-archive.idle_minutes"]


def test_a_broken_file_is_told_and_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[archive\nidle", encoding="utf-8")
    settings, troubles = load(path, {})
    assert settings == Settings()
    assert [trouble.key for trouble in troubles] == ["settings-unreadable"]
    with pytest.raises(Problem):
        SettingsFile(path, {}).change("archive.idle_minutes", 5)
    assert path.read_text(encoding="utf-8") == "[archive\nidle"
