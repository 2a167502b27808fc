import tomllib

import pytest

from archivist import resources, shipped
from archivist.domain.cues import CueError, EventKind, parse_cues, phrase_pattern

LANGUAGES = {"en", "zh", "de", "ja", "es", "fr"}


def matches(phrase: str, text: str, *, spaced: bool = True) -> bool:
    return phrase_pattern([phrase], spaced=spaced).search(text) is not None


@pytest.mark.parametrize(
    "phrase, text, expected",
    [
        ("i like", "i like turtles", True),
        ("i like", "multi like ascii", False),
        ("i'm a", "i'm adding", False),
        ("I’m a", "i'm a cook", True),
        ("(do|does) not", "it does not", True),
        ("(the )?default", "default", True),
        ("(the )?default", "the default", True),
        ("comment*", "comments", True),
        ("comment*", "recomments", False),
        ("no _ in", "no emojis in commits", True),
        ("no _ in", "no in", False),
        ("wir haben uns ... entschieden", "wir haben uns gestern für rust entschieden", True),
        ("wir haben uns ... entschieden", "wir haben uns, ja, entschieden", False),
        (", not _", "use a, not b", True),
        ("c++", "in c++ only", True),
        ("a.b", "axb", False),
        ("i like", "i   like it", True),
    ],
)
def test_a_phrase_matches_whole_words(phrase: str, text: str, expected: bool) -> None:  # noqa: FBT001
    assert matches(phrase, text) is expected


def test_where_words_are_not_spaced_a_phrase_matches_inside() -> None:
    assert matches("我喜欢", "说实话我喜欢用", spaced=False)
    assert matches("我在...工作", "我在上海的一家公司工作", spaced=False)
    assert not matches("我在...工作", "我在上海,后来工作", spaced=False)


def test_no_phrases_match_nothing() -> None:
    assert phrase_pattern([], spaced=True).search("anything") is None


def test_the_shipped_tables_cover_the_six_languages() -> None:
    cues = shipped.cues()
    assert set(cues.languages) >= LANGUAGES
    for language in cues.languages.values():
        assert {cue.kind for cue in language.events} == set(EventKind), language.lang
        assert language.topics
        assert {cue.name for cue in language.signals} >= {"standing", "ban", "once", "denial"}


def test_every_shipped_signal_is_weighed_and_the_languages_know_the_same_ones() -> None:
    cues = shipped.cues()
    known = {name for name in cues.signals if not name.startswith("event_")}
    for language in cues.languages.values():
        assert {cue.name for cue in language.signals} == known, language.lang
    for pair in cues.together:
        assert pair.names <= cues.signals.keys()


def test_no_shipped_phrase_stands_twice_in_one_list() -> None:
    def lists(value: object) -> list[list[str]]:
        if isinstance(value, dict):
            return [found for item in value.values() for found in lists(item)]
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return [found for item in value for found in lists(item)]
        return [value] if isinstance(value, list) else []

    for name in resources.names("cues", ".toml"):
        for phrases in lists(tomllib.loads(resources.text(name))):
            assert len(phrases) == len(set(phrases)), (name, phrases[:3])


@pytest.mark.parametrize(
    "table, message",
    [
        ({"lang": "xx", "lead": "word"}, "xx: lead is not a list"),
        ({"lang": "xx", "spaced": "yes"}, "xx: spaced is not true or false"),
        ({"lang": "xx", "guard": []}, "xx: guard is not a table"),
        ({"lang": "xx", "event": {}}, "xx: event is not a list"),
        ({"lang": "xx", "event": [{"kind": "wish"}]}, "xx, event 1"),
        (
            {"lang": "xx", "event": [{"kind": "fact", "confidence": True}]},
            "confidence is not a number",
        ),
        ({"lang": "xx", "event": [{"kind": 1}]}, "kind is not a word"),
        ({"lang": "xx", "lead": ["(a"]}, "a phrase of lead does not hold together"),
        ({"lang": "xx", "cue": [{"signal": "odd"}]}, "xx: the signal odd has no weight"),
    ],
)
def test_a_bad_table_is_refused_with_its_name(table: dict[str, object], message: str) -> None:
    with pytest.raises(CueError, match=message.replace("(", r"\(")):
        parse_cues([table])


def test_no_tables_are_no_cues() -> None:
    cues = parse_cues([])
    assert cues.languages == {}
    assert cues.canned.search("anything") is None
