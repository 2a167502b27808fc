from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist import shipped
from archivist.domain.cues import EventKind
from archivist.domain.events import Event, find_events
from archivist.domain.facets import FacetState, Observation, merge, observe

CUES = shipped.cues()


def seen(text: str) -> Observation:
    (event,) = find_events(text, CUES)
    observation = observe(event)
    assert observation is not None
    return observation


def weak(value: str, confidence: float = 0.5) -> Observation:
    return Observation(EventKind.PREFERENCE, "indentation", value, confidence)


@pytest.mark.parametrize(
    "one, other",
    [
        ("I prefer dark mode", "I prefer light mode"),
        ("我更喜欢深色模式", "我更喜欢浅色模式"),
        ("I prefer 深色模式", "我喜欢浅色模式"),
        ("I prefer tabs for indentation.", "I prefer two spaces for indentation, everywhere."),
        ("Prefiero el modo oscuro", "Prefiero el modo claro"),
        ("Ich bevorzuge kurze Antworten", "Ich mag lange Antworten"),
        ("I live in Berlin", "I'm based in Paris."),
        ("変数名は英語で書くほうが好きです。", "変数名は日本語で書くほうが好きです。"),
        ("J'aime les réponses courtes", "Je préfère les réponses longues"),
    ],
)
def test_two_values_of_one_thing_share_a_slot(one: str, other: str) -> None:
    assert seen(one).slot == seen(other).slot
    assert seen(one).value != seen(other).value


@pytest.mark.parametrize(
    "one, other",
    [
        ("I prefer 深色模式", "I prefer 中文回答"),  # W26
        ("我喜欢深色模式", "我喜欢中文回答"),
        ("I prefer short answers", "I prefer English answers"),
        ("I prefer vim for editing", "I prefer PyCharm for debugging"),
        ("I like turtles", "I like short functions"),
        ("I live in Berlin", "I work at Acme"),
        ("I'm a nurse", "I'm a vegetarian"),
        ("短い回答のほうが好きです。", "短いコミットのほうが好きです。"),
    ],
)
def test_two_things_never_share_a_slot(one: str, other: str) -> None:
    assert (seen(one).kind, seen(one).slot) != (seen(other).kind, seen(other).slot)


@pytest.mark.parametrize(
    "text, slot, value",
    [
        ("I live in Berlin", "location", "Berlin"),
        ("I work at Acme since May", "employer", "Acme"),
        ("My name is Ana.", "name", "Ana"),
        ("我住在上海", "location", "上海"),
        ("私は大阪に住んでいます", "location", "大阪"),
        ("Me llamo Ana", "name", "Ana"),
        ("I prefer tabs for indentation.", "indentation", "I prefer tabs for indentation."),
    ],
)
def test_slot_and_value(text: str, slot: str, value: str) -> None:
    assert (seen(text).slot, seen(text).value) == (slot, value)


def test_an_event_read_back_from_the_store_is_observed_alike() -> None:
    (event,) = find_events("Well, I'm based in Paris now.", CUES)
    stored = Event(event.kind, event.quote, 0, len(event.quote), event.cue, 0.7, event.lang)
    again = observe(stored)
    assert again is not None
    assert again.slot == "location"


def test_only_preferences_and_facts_are_observed() -> None:
    for text in ("We decided to use Rust.", "The deadline is on Friday."):
        (event,) = find_events(text, CUES)
        assert observe(event) is None


def test_an_unknown_language_or_a_cue_that_is_not_in_the_quote_is_not_observed() -> None:
    assert observe(Event(EventKind.FACT, "I live in Rome", 0, 14, "i live in", 0.7, "xx")) is None
    assert observe(Event(EventKind.FACT, "I live in Rome", 0, 14, "i dwell", 0.7, "en")) is None


def test_the_first_observation_makes_the_state() -> None:
    assert merge(None, weak("tabs"), 5) == FacetState("tabs", 0.5, 1, 5, 5, 5)


@pytest.mark.parametrize(
    "confidence, at, value",
    [
        (0.4, 20, "tabs"),  # weaker, newer
        (0.5, 5, "tabs"),  # equal, older
        (0.5, 10, "tabs"),  # equal, at the same time
        (0.5, None, "tabs"),  # equal, of unknown age
        (0.5, 20, "spaces"),  # equal, newer
        (0.6, 5, "spaces"),  # stronger
    ],
)
def test_only_a_stronger_or_an_equal_newer_value_replaces(
    confidence: float, at: int | None, value: str
) -> None:
    after = merge(merge(None, weak("tabs"), 10), weak("spaces", confidence), at)
    assert after.value == value
    assert after.evidence_count == 2


def test_a_weak_newer_sighting_does_not_shield_an_old_value() -> None:
    state = merge(merge(None, weak("tabs"), 10), weak("none", 0.3), 50)
    assert state.last_at == 50
    assert merge(state, weak("spaces"), 30).value == "spaces"


def test_a_state_without_the_age_of_its_value_uses_when_it_was_last_seen() -> None:
    state = FacetState("tabs", 0.5, 3, 1, 40)
    assert merge(state, weak("spaces"), 30).value == "tabs"
    assert merge(state, weak("spaces"), 41).value == "spaces"


def test_times_are_the_first_and_the_last() -> None:
    state = merge(merge(merge(None, weak("a"), None), weak("b"), 9), weak("c"), 3)
    assert (state.first_at, state.last_at, state.evidence_count) == (3, 9, 3)


HISTORY = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from([0.4, 0.6]), st.integers(0, 99)),
    min_size=1,
    max_size=4,
    unique_by=lambda one: one[2],
)


@given(HISTORY)
def test_the_order_in_which_sightings_arrive_does_not_matter(
    history: list[tuple[str, float, int]],
) -> None:
    ends = set()
    for order in permutations(history):
        state: FacetState | None = None
        for value, confidence, at in order:
            state = merge(state, weak(value, confidence), at)
        ends.add(state)
    assert len(ends) == 1
