from pathlib import Path

import pytest

from archivist.domain.problems import Problem, Refused
from archivist.settings import (
    Entry,
    Settings,
    SettingsFile,
    entries,
    get,
    load,
    shown,
    variable_of,
    with_value,
)

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
        ("archive.idle_minutes", "soon", "cannot be soon: write a whole number"),
        ("archive.idle_minutes", 0, "between 1 and 1440"),
        ("archive.idle_minutes", True, "cannot be true: write a whole number"),
        ("archive.idle_minutes", 2.5, "cannot be 2.5: write a whole number"),
        ("archive.idle_minutes", float("inf"), "write a whole number"),
        pytest.param("archive.idle_minutes", "9" * 5000, "a whole number", id="too many digits"),
        ("archive.drift", 1.5, "between 0 and 1"),
        ("archive.drift", "much", "write a number"),
        pytest.param("archive.drift", 10**400, "write a number", id="no float is so large"),
        ("archive.drift", float("nan"), "write a number"),
        ("models.summarise", 3, "write a text"),
        ("sources.off", 3, "write names with commas between them"),
        ("models.summarise", "gpt", "one of rules, smollm2"),
        ("sources.off", "netscape", "unknown source: netscape"),
        ("models.vectors", "perhaps", "cannot be perhaps: write true or false"),
        ("no.such", 1, "no setting named no.such"),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence(key: str, value: object, part: str) -> None:
    with pytest.raises(Refused) as caught:
        with_value(Settings(), key, value)
    assert part in caught.value.message
    assert caught.value.advice
    assert "True" not in caught.value.message + caught.value.advice


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


@pytest.mark.parametrize("value", [None, 9])
def test_lines_keep_their_windows_endings(tmp_path: Path, value: int | None) -> None:
    path = tmp_path / "settings.toml"
    before = b"# mine\r\n[archive] # c\r\nidle_minutes = 3\r\nzzz = [1,\r\n2]\r\n"
    path.write_bytes(before)
    SettingsFile(path, {}).change("archive.idle_minutes", value)
    line = b"" if value is None else b"idle_minutes = 9\r\n"
    assert path.read_bytes() == before.replace(b"idle_minutes = 3\r\n", line)
    SettingsFile(path, {}).change("models.vectors", "off")
    data = path.read_bytes()
    assert b"[models]\r\nvectors = false\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_lines_of_mixed_endings_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"# mine\r\n[archive]\nidle_minutes = 3\r\n")
    SettingsFile(path, {}).change("archive.idle_minutes", 4)
    assert path.read_bytes() == b"# mine\r\n[archive]\nidle_minutes = 4\r\n"


@pytest.mark.parametrize("key", ["foo.bar", "foo", "archive", ""])
@pytest.mark.parametrize("value", [None, 1])
def test_an_unknown_key_is_refused_and_nothing_is_written(
    tmp_path: Path, key: str, value: object
) -> None:
    with pytest.raises(Refused, match="no setting named"):
        SettingsFile(tmp_path / "settings.toml", {}).change(key, value)
    assert list(tmp_path.iterdir()) == []


def test_taking_out_what_is_not_there_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("# mine\n", encoding="utf-8")
    SettingsFile(path, {}).change("archive.drift", None)
    assert path.read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.parametrize("text", ["archive = 5\n", "archive = [1]\n", "[[archive]]\ndrift = 1\n"])
def test_a_section_that_is_a_value_is_told_and_never_written_over(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    file = SettingsFile(path, {})
    with pytest.raises(Problem, match="archive is a value; it must be a section"):
        file.change("archive.drift", "0.3")
    assert path.read_text(encoding="utf-8") == text
    settings, troubles = file.read()
    assert settings == Settings()
    assert [trouble.key for trouble in troubles] == ["setting-archive"]


@pytest.mark.parametrize("text", ["archive = { drift = 0.3 }\n", "archive.drift = 0.3\n"])
def test_other_forms_of_a_section_are_sections(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    file = SettingsFile(path, {})
    assert file.change("archive.drift", 0.2) == (0.3, 0.2)
    assert file.read()[0].drift == 0.2


def test_a_file_too_deep_to_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("deep = " + "[" * 20_000 + "]" * 20_000, encoding="utf-8")
    settings, troubles = load(path, {})
    assert settings == Settings()
    assert [trouble.key for trouble in troubles] == ["settings-unreadable"]


def test_a_draft_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / ".settings.toml.new").mkdir()
    with pytest.raises(Problem, match="cannot be written"):
        SettingsFile(tmp_path / "settings.toml", {}).change("archive.drift", 0.2)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.key)
def test_a_value_is_shown_as_it_is_written(entry: Entry) -> None:
    assert get(with_value(Settings(), entry.key, shown(entry.default)), entry.key) == entry.default
