"""One frozen value for all settings; each entry carries its key, default, check, label and help.

The file is TOML. Writing one key keeps comments, order and keys that this version does not know.
An environment variable `ARCHIVIST_<KEY WITH _ FOR .>` wins over the file.
"""

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import tomlkit
from tomlkit.exceptions import TOMLKitError

from archivist.domain.problems import Problem, Refused
from archivist.domain.transcripts import Source
from archivist.texts import tr

Value: TypeAlias = str | int | float | bool | tuple[str, ...]
Check: TypeAlias = Callable[[Value], str | None]

_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_SETTING: Final = "setting-"
_UNREADABLE: Final = "settings-unreadable"
"""How problems about settings begin, or are named, in the list of problems."""


def _within(low: float, high: float) -> Check:
    def check(value: Value) -> str | None:
        fits = isinstance(value, int | float) and low <= value <= high
        return None if fits else tr("it must lie between {low:g} and {high:g}", low=low, high=high)

    return check


def _one_of(*choices: str) -> Check:
    return lambda value: (
        None if value in choices else tr("it must be one of {choices}", choices=", ".join(choices))
    )


def _sources(value: Value) -> str | None:
    known = set(Source)
    unknown = [name for name in value if name not in known] if isinstance(value, tuple) else []
    return tr("unknown source: {names}", names=", ".join(unknown)) if unknown else None


def _any(_value: Value) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one setting. `restart`: a running app takes it up at its next start."""

    key: str
    default: Value
    check: Check
    label: str
    help: str
    restart: bool = False
    from_environment: bool = True


def _entry(
    key: str,
    default: Any,  # noqa: ANN401 - any of the types of a Value
    check: Check,
    label: str,
    text: str,
    *,
    restart: bool = False,
    from_environment: bool = True,
) -> Any:  # noqa: ANN401 - dataclasses.field is typed by its default
    entry = Entry(key, default, check, label, text, restart, from_environment)
    return field(default=default, metadata={"entry": entry})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. The order here is the order of the settings window and of the docs."""

    language: str = _entry(
        "general.language", "en", _one_of("en"), "Language", "Language of windows and messages."
    )
    notifications: str = _entry(
        "general.notifications",
        "daily",
        _one_of("none", "daily"),
        "Notifications",
        "At most one a day, when new lessons wait; never with words of a conversation.",
        restart=True,
    )
    sources_off: tuple[str, ...] = _entry(
        "sources.off", (), _sources, "Sources switched off", "Names of sources that are not read."
    )
    poll_seconds: int = _entry(
        "sources.poll_seconds",
        30,
        _within(5, 3600),
        "Look again every (seconds)",
        "How often folders are looked at where the system tells of no change.",
        restart=True,
    )
    clipboard_allowed: bool = _entry(
        "clipboard.allowed",
        False,
        _any,
        "Save clipboard",
        "Lets “Save clipboard now” keep what you have copied; off until you allow it.",
    )
    idle_minutes: int = _entry(
        "archive.idle_minutes",
        10,
        _within(1, 1440),
        "Close after quiet minutes",
        "A segment is closed when nothing was said for so long.",
    )
    max_exchanges: int = _entry(
        "archive.max_exchanges",
        20,
        _within(1, 1000),
        "Exchanges a segment",
        "A segment is cut after so many prompts with their answers.",
    )
    gap_seconds: int = _entry(
        "archive.gap_seconds",
        600,
        _within(1, 86400),
        "Gap that cuts (seconds)",
        "A new segment starts when the next prompt comes later than this after the last reply.",
    )
    drift: float = _entry(
        "archive.drift",
        0.4,
        _within(0.0, 1.0),
        "Likeness below which to cut",
        "A new segment starts when a prompt is less like the segment than this (cosine); 0 is off.",
    )
    summarise: str = _entry(
        "models.summarise",
        "rules",
        _one_of("rules", "smollm2"),
        "Recaps by",
        "Rules quote what was said; smollm2 is a small local model that writes freely.",
    )
    vectors: bool = _entry(
        "models.vectors",
        True,
        _any,
        "Vectors",
        "Compute vectors with the local encoder.",
    )
    unload_minutes: float = _entry(
        "models.unload_minutes",
        5.0,
        _within(0.05, 1440),
        "Unload models after (minutes)",
        "Memory is given back when a model was not used for so long.",
    )
    recap_seconds: int = _entry(
        "models.recap_seconds",
        90,
        _within(5, 3600),
        "Deadline of a recap (seconds)",
        "A model that takes longer is stopped and the recap is made by rules.",
    )
    approve: str = _entry(
        "cli.approve",
        "ask",
        _one_of("ask", "always"),
        "Approve on the command line",
        "ask: keeping lessons and writing files asks on a terminal and is refused without one.",
        from_environment=False,  # else any program with a shell could approve for the person
    )


def entries() -> list[Entry]:
    """Return all entries in order."""
    return [_entry_of(item) for item in fields(Settings)]


def _entry_of(item: Any) -> Entry:  # noqa: ANN401 - dataclasses.Field of any type
    entry = item.metadata["entry"]
    assert isinstance(entry, Entry)  # noqa: S101 - every field above is made by _entry
    return entry


def get(settings: Settings, key: str) -> Value:
    """Return the value of a key. Raises Refused for an unknown key."""
    value: Value = getattr(settings, _name(key))
    return value


def with_value(settings: Settings, key: str, value: object) -> Settings:
    """Return the settings with one key changed. Raises Refused with what is wrong."""
    name = _name(key)
    entry = next(e for e in entries() if e.key == key)
    fit = _fit(entry, value)
    changed: dict[str, Any] = {name: fit}
    return replace(settings, **changed)


def _name(key: str) -> str:
    for item in fields(Settings):
        if _entry_of(item).key == key:
            return item.name
    raise Refused(
        tr("There is no setting named {key}.", key=key),
        advice=tr("`archivist settings list` shows them all."),
    )


def _fit(entry: Entry, value: object) -> Value:
    """Bring a value from TOML, the environment or the command line to the entry's type."""
    parsed = _parse(entry.default, value)
    wrong = _wanted(entry.default) if parsed is None else entry.check(parsed)
    if parsed is None or wrong:
        given = shown(value) if isinstance(value, bool | int | float | list | tuple) else value
        raise Refused(
            tr("{key} cannot be {value}: {wrong}.", key=entry.key, value=given, wrong=wrong),
            advice=tr("The default is {value}.", value=shown(entry.default) or tr("nothing")),
            key=f"{_SETTING}{entry.key}",
        )
    return parsed


def shown(value: object) -> str:
    """Return a value as a person writes it on the command line."""
    match value:
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return ",".join(map(str, value))
        case _:
            return str(value)


def _wanted(default: Value) -> str:
    match default:
        case bool():
            return tr("write true or false")
        case int():
            return tr("write a whole number")
        case float():
            return tr("write a number")
        case tuple():
            return tr("write names with commas between them")
        case _:
            return tr("write a text")


def _parse(default: Value, value: object) -> Value | None:
    match default:
        case bool():
            return _truth(value)
        case int():
            return _number(value, int)
        case float():
            return _number(value, float)
        case tuple():
            parts = value.split(",") if isinstance(value, str) else value
            if not isinstance(parts, list | tuple):
                return None
            return tuple(str(part).strip() for part in parts if str(part).strip())
        case _:
            return str(value) if isinstance(value, str) else None


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    return True if text in _YES else False if text in _NO else None


def _number(value: object, kind: type[int] | type[float]) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = kind(value)
    except (ValueError, OverflowError):  # no number, not a number, without end
        return None
    return None if isinstance(value, float) and number != value else number


def load(path: Path, environment: Mapping[str, str]) -> tuple[Settings, list[Problem]]:
    """Read the file and the environment; a bad value is reported and its default used."""
    troubles: list[Problem] = []
    settings = Settings()
    try:
        given = dict(_given(_document(path)[0]))
    except Problem as problem:
        troubles.append(problem)
        given = {}
    sections = {entry.key.partition(".")[0] for entry in entries()}
    troubles += [_no_section(path, key) for key in given if key in sections]
    for entry in entries():
        value = given.get(entry.key)
        if entry.from_environment:
            value = environment.get(variable_of(entry), value)
        if value is None:
            continue
        try:
            settings = with_value(settings, entry.key, value)
        except Problem as problem:
            troubles.append(problem)
    return settings, troubles


def variable_of(entry: Entry) -> str:
    """Return the environment variable that wins over the file for an entry."""
    return f"ARCHIVIST_{entry.key.upper().replace('.', '_')}"


def _document(path: Path) -> tuple[tomlkit.TOMLDocument, str]:
    """Return the parsed file and its text as it is, line endings included."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        return tomlkit.parse(text), text
    except FileNotFoundError:
        return tomlkit.document(), ""
    except (OSError, ValueError, TOMLKitError, RecursionError) as error:
        raise Problem(
            tr("{path} cannot be read as settings ({why}).", path=path, why=_why(error)),
            advice=tr("Mend the file or move it away; until then the defaults are used."),
            key=_UNREADABLE,
        ) from error


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _given(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _given(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def changed_text(path: Path, key: str, value: Value | None) -> str:
    """Return the file's text with one key set, or taken out for None; the rest stays as it is.

    Raises Problem when the file cannot be read or changed: it is never written over then.
    """
    document, text = _document(path)
    section, name = key.split(".", 1)
    if value is None and section not in document:
        return text
    table: Any = document.setdefault(section, tomlkit.table())
    if not isinstance(table, MutableMapping):
        raise _no_section(path, section)
    if value is None:
        table.pop(name, None)
    else:
        table[name] = list(value) if isinstance(value, tuple) else value
    return _with_endings_of(text, tomlkit.dumps(document))


def _no_section(path: Path, section: str) -> Problem:
    return Problem(
        tr("In {path}, {section} is a value; it must be a section.", path=path, section=section),
        advice=tr("Write [{section}] on a line, and its settings below.", section=section),
        key=f"{_SETTING}{section}",
    )


def _with_endings_of(before: str, after: str) -> str:
    """Give new lines the ending of the old ones, where those are all CRLF."""
    crlf = before.count("\r\n")
    if not crlf or crlf != before.count("\n"):
        return after
    return after.replace("\r\n", "\n").replace("\n", "\r\n")


class SettingsFile:
    """The settings on disk. Reading merges the environment; writing changes one key."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment

    def read(self) -> tuple[Settings, list[Problem]]:
        """Return the settings in force and what was wrong with the given ones."""
        return load(self._path, self._environment)

    def change(self, key: str, value: object | None) -> tuple[object | None, object]:
        """Set a key, or take it out for None; return the value it had in the file and the new one.

        Raises Refused for an unknown key or a bad value, Problem when the file cannot be written.
        """
        default = get(Settings(), key)
        fit = None if value is None else get(with_value(Settings(), key, value), key)
        before = dict(_given(_document(self._path)[0])).get(key)
        text = changed_text(self._path, key, fit)
        _write(self._path, text)
        plain = list(before) if isinstance(before, list | tuple) else _plain(before)
        return plain, default if fit is None else fit


def _plain(value: object) -> object | None:
    """Take a value out of its TOML wrapper, so that it can be stored as JSON."""
    unwrap = getattr(value, "unwrap", None)
    return unwrap() if callable(unwrap) else value


def _write(path: Path, text: str) -> None:
    """Replace the settings file as a whole, so that a crash leaves the old or the new one."""
    draft = path.with_name(f".{path.name}.new")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise Problem(
            tr("{path} cannot be written ({why}).", path=path, why=error.strerror),
            advice=tr("Check the rights of the data folder and the free space."),
            key="settings-unwritable",
        ) from error
