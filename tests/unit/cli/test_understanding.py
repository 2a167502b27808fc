from helpers.console import Console

SAID = ("I prefer tabs to spaces in this project.", "Let's go with Postgres 16 for the service.")
EVENT = ["id", "kind", "quote", "turn", "session", "at", "confidence", "lang"]
FACET = ["kind", "slot", "value", "confidence", "evidence", "first", "last", "project"]


def test_events_are_listed_with_the_words_they_stand_on(console: Console) -> None:
    console.learn(*SAID)
    events = console.ask("events", "list")
    assert all(list(event) == EVENT for event in events)
    assert {event["kind"] for event in events} >= {"preference", "decision"}
    assert {event["quote"] for event in events} >= set(SAID)
    parts = [
        console.ask("events", "list", "--segment", segment["id"][:12])
        for segment in console.ask("segments", "list")
    ]
    assert [event for part in parts for event in part] == events
    shown = console.throw_away("events", "list").out
    assert f"“{SAID[0]}”" in shown
    assert f"turn {events[0]['turn']}" in shown


def test_an_unknown_segment_is_refused(console: Console) -> None:
    ran = console.throw_away("events", "list", "--segment", "seg-" + "0" * 36)
    assert ran.code == 1
    assert "seg-0" in ran.err


def test_facets_are_listed_with_how_often_they_were_said(console: Console) -> None:
    console.learn(*SAID)
    facets = console.ask("facets", "list")
    assert facets
    assert all(list(facet) == FACET for facet in facets)
    assert any(SAID[0] in facet["value"] for facet in facets)
    assert "said 1 time, last 20" in console.throw_away("facets", "list").out


def test_nothing_understood_is_said_so(console: Console) -> None:
    assert console.throw_away("events", "list").out == "No events yet.\n"
    assert console.throw_away("facets", "list").out == "Nothing is known yet.\n"
    assert console.ask("facets", "list") == []
