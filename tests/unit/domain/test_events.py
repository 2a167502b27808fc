import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist import shipped
from archivist.domain.cues import EventKind
from archivist.domain.events import Event, find_events

CUES = shipped.cues()

DECISION, COMMITMENT = EventKind.DECISION, EventKind.COMMITMENT
PREFERENCE, FACT = EventKind.PREFERENCE, EventKind.FACT


def kinds(text: str) -> list[EventKind]:
    return [event.kind for event in find_events(text, CUES)]


def only(text: str) -> Event:
    (event,) = find_events(text, CUES)
    return event


# The 66 patterns of the documents and "i'll make sure", each in a sentence of its own.
PATTERNS = {
    DECISION: [
        "Let's go with Postgres.",
        "lets go with Postgres",
        "I've decided to drop Jenkins.",
        "ive decided to drop Jenkins",
        "I decided to drop Jenkins.",
        "We decided to use v2.1.",
        "We agreed to keep the old endpoint.",
        "The decision is to rewrite the importer.",
        "We're going with Postgres.",
        "We'll use Redis for the queue.",
        "well use redis for the queue",
        "I'll use Redis for the queue.",
        "We have chosen to keep the monorepo.",
        "I choose Svelte.",
        "We choose Svelte.",
    ],
    COMMITMENT: [
        "It has to be ready by Friday.",
        "It has to be ready by Monday.",
        "It has to be ready by Tuesday.",
        "It has to be ready by Wednesday.",
        "It has to be ready by Thursday.",
        "It has to be ready by Saturday.",
        "It has to be ready by Sunday.",
        "The docs are due by tomorrow.",
        "The docs are due by next week.",
        "The docs are due by end of March.",
        "The deadline is 3.5 days away",
        "The due date is the fifth of May.",
        "I will write the release notes.",
        "I'll do the release notes.",
        "ill do the release notes",
        "I promise to write the release notes.",
        "I commit to weekly releases.",
        "We need to finish the importer soon.",
        "The release is scheduled for June.",
        "We plan to ship in June.",
        "We are planning to ship in June.",
        "I'll make sure the release notes are written.",
    ],
    PREFERENCE: [
        "I prefer tabs.",
        "I like turtles.",
        "I love short functions.",
        "I hate long functions.",
        "I dislike long functions.",
        "I always use tabs.",
        "I never use semicolons.",
        "My favorite editor is vim.",
        "My favourite editor is vim.",
        "I usually work at night.",
        "I tend to write long functions.",
        "I'm used to PowerShell.",
        "im used to PowerShell",
    ],
    FACT: [
        "I'm based in Berlin.",
        "im based in Berlin",
        "I live in Berlin.",
        "I work at Acme.",
        "I work for Acme.",
        "My name is Ana.",
        "I'm a nurse.",
        "im a nurse",
        "I am a nurse.",
        "My role is team lead.",
        "I've been a nurse for ten years.",
        "ive been a nurse for ten years",
        "I have been a nurse for ten years.",
        "I'm from Chile.",
        "im from Chile",
        "My timezone is CET.",
        "My time zone is CET.",
    ],
}


def test_there_are_66_patterns_and_one() -> None:
    assert sum(map(len, PATTERNS.values())) == 67


@pytest.mark.parametrize(
    "kind, text", [(kind, text) for kind, texts in PATTERNS.items() for text in texts]
)
def test_every_pattern_of_the_documents_is_seen(kind: EventKind, text: str) -> None:
    event = only(text)
    assert event.kind is kind
    assert event.quote == text
    assert 0 < event.confidence < 1
    assert event.lang == "en"


NOTHING = [
    # W18: what others or logs say
    "The log says: 'user: I like turtles'",
    "> I like turtles",
    "```\nI prefer tabs\n```",
    "[10:00:01] I will retry",
    "`I prefer tabs` is the default text",
    # W19: inside words
    "wifi will reconnect",
    "a skill document",
    "Hawaii will host it",
    "claim a refund",
    "maxim a lot",
    "swim all day",
    "API live in staging",
    "Multi like ascii",
    "farewell use case",
    # W20: what goes on right now
    "I'm adding a column",
    "I'm annoyed by this",
    "I've been getting this error since noon",
    "I'm a bit lost here",
    "I like it!",
    "I always get this error",
    # W21: negation, question, supposition
    "I wouldn't say I prefer tabs",
    "Do I always need sudo",
    "Do I always need sudo?",
    "if I like this page it breaks",
    "it breaks if I always save",
    "What would I prefer?",
    "Suppose I prefer tabs",
    # W22
    "I never said that",
    # third persons
    "Tom says I prefer tabs",
    "She said that we decided to use Kafka",
    "If we had users I'd say I always cache",
    # zh, ja, de, es, fr
    "我应该一直用 Redis 吗？",
    "如果我喜欢这个页面",
    "同事说我喜欢用制表符",
    "Redisを使いますか？",
    "Soll ich sagen, ich mag Tabs?",
    "Wenn ich Tabs mag, geht es kaputt",
    "¿Prefiero tabuladores?",
    "Si yo prefiero tabuladores falla",
    "Est-ce que je préfère les tabulations ?",
    "",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_stated_is_no_event(text: str) -> None:
    assert find_events(text, CUES) == ()


@pytest.mark.parametrize(
    "text, quote",
    [
        ("We decided to use v2.1", "We decided to use v2.1"),  # W23
        ("Done. The deadline is 3.5 days away! Hurry", "The deadline is 3.5 days away!"),
        (
            "See a.py. I prefer config.toml over config.yaml.",
            "I prefer config.toml over config.yaml.",
        ),
    ],
)
def test_the_quote_is_not_cut_at_numbers_versions_and_file_names(text: str, quote: str) -> None:
    assert only(text).quote == quote


@pytest.mark.parametrize(
    "text, kind, lang",
    [
        ("Let’s go with Postgres", DECISION, "en"),  # W24
        ("我喜欢用 Rust 写后端", PREFERENCE, "zh"),  # W24
        ("我们决定用 Redis 做缓存。", DECISION, "zh"),
        ("我住在上海。", FACT, "zh"),
        ("截止日期是五月三号。", COMMITMENT, "zh"),
        ("データベースはPostgreSQLを使います。", DECISION, "ja"),
        ("短い回答のほうが好きです。", PREFERENCE, "ja"),
        ("大阪に住んでいます。", FACT, "ja"),
        ("締め切りは五月三日です。", COMMITMENT, "ja"),
        ("Wir bleiben bei Postgres.", DECISION, "de"),
        ("Ich bevorzuge kurze Antworten.", PREFERENCE, "de"),
        ("Ich wohne in Graz.", FACT, "de"),
        ("Das muss bis Freitag fertig sein.", COMMITMENT, "de"),
        ("Nos quedamos con Postgres.", DECISION, "es"),
        ("Prefiero respuestas cortas.", PREFERENCE, "es"),
        ("Vivo en Quito.", FACT, "es"),
        ("La fecha límite es el lunes.", COMMITMENT, "es"),
        ("On a décidé de garder Postgres.", DECISION, "fr"),
        ("Je préfère des réponses courtes.", PREFERENCE, "fr"),
        ("J'habite à Lyon.", FACT, "fr"),
        ("Il faut finir avant lundi.", COMMITMENT, "fr"),
    ],
)
def test_events_in_six_languages(text: str, kind: EventKind, lang: str) -> None:
    event = only(text)
    assert (event.kind, event.lang) == (kind, lang)


def test_a_sentence_in_two_languages_is_read_in_either() -> None:
    assert only("I prefer 深色模式").lang == "en"


def test_two_statements_in_one_sentence_are_quoted_apart() -> None:
    events = find_events("I live in Berlin and I prefer tabs.", CUES)
    assert [(event.kind, event.quote) for event in events] == [
        (FACT, "I live in Berlin"),
        (PREFERENCE, "I prefer tabs."),
    ]


def test_after_a_but_the_person_speaks_again() -> None:
    assert kinds("Tom says we always use Kafka, but I prefer Redis") == [PREFERENCE]


def test_the_cue_says_what_a_fact_is_about() -> None:
    assert only("I'm based in Paris.").cue == "location: i'm based in"
    assert only("I prefer tabs.").cue == "i prefer"


def test_a_long_sentence_is_quoted_around_the_cue() -> None:
    filler = ", ".join(f"and then item {n} of the list" for n in range(40))
    event = only(f"{filler}, I prefer tabs in every file, {filler}.")
    assert "I prefer tabs" in event.quote
    assert len(event.quote) <= 300


# W25: a yes to a proposal
PROPOSAL = "I looked at the queue. We could use Redis for the cache. Want me to?"


@pytest.mark.parametrize("text", ["yes, do that", "Sounds good!", "ok, let's do it", "Agreed."])
def test_a_yes_adopts_the_proposal(text: str) -> None:
    (event,) = find_events(text, CUES, proposal=PROPOSAL)
    assert event.kind is DECISION
    assert event.quote == text
    assert event.adopted == "We could use Redis for the cache."


@pytest.mark.parametrize(
    "text, proposal, adopted",
    [
        ("好的，就这样", "我看了一下。建议用 Redis 做缓存。", "建议用 Redis 做缓存。"),
        ("Ja, mach das", "Ich schlage vor, Redis zu nehmen.", "Ich schlage vor, Redis zu nehmen."),
        (
            "はい、お願いします",
            "キャッシュにはRedisを推奨します。",
            "キャッシュにはRedisを推奨します。",
        ),
        ("Sí, hazlo", "Sugiero usar Redis para la caché.", "Sugiero usar Redis para la caché."),
        ("Oui, vas-y", "Je propose d'utiliser Redis.", "Je propose d'utiliser Redis."),
    ],
)
def test_adoption_in_other_languages(text: str, proposal: str, adopted: str) -> None:
    (event,) = find_events(text, CUES, proposal=proposal)
    assert event.adopted == adopted


@pytest.mark.parametrize(
    "text, proposal",
    [
        ("yes, do that", ""),
        ("yes, do that", "The tests are green now."),
        ("yes, but use Kafka", PROPOSAL),
        ("yes?", PROPOSAL),
        ("no", PROPOSAL),
        ("yes " * 40, PROPOSAL),
    ],
)
def test_without_a_proposal_or_a_plain_yes_nothing_is_adopted(text: str, proposal: str) -> None:
    assert find_events(text, CUES, proposal=proposal) == ()


@given(
    st.lists(
        st.sampled_from(
            [text for texts in PATTERNS.values() for text in texts]
            + NOTHING
            + ["\n", " ", "我喜欢 ", "“"]
        ),
        max_size=6,
    ).map(" ".join)
)
def test_every_quote_is_an_exact_part_of_the_text(text: str) -> None:
    for event in find_events(text, CUES):
        assert text[event.start : event.end] == event.quote
        assert event.quote
