import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist import shipped
from archivist.domain.recaps import extract, limit_for, ungrounded
from archivist.domain.transcripts import Outcome, Role
from archivist.domain.turns import SessionId, ToolCall, Turn, TurnId, failed_tools_line

CUES = shipped.cues()


def turn(number: int, role: Role, text: str, *failed: str) -> Turn:
    line = failed_tools_line(failed)
    return Turn(TurnId(number), SessionId(1), number, role, text, failed_tools=line)


def segment(*texts: str) -> list[Turn]:
    """User and assistant in turns, the user first."""
    roles = (Role.USER, Role.ASSISTANT)
    return [turn(number, roles[number % 2], text) for number, text in enumerate(texts)]


LOG = "\n".join(
    f"2026-03-05 08:{n // 60:02}:{n % 60:02} INFO worker {n} is fine" for n in range(3_000)
)


@given(st.integers(-5, 100_000))
def test_the_limit_is_bounded_by_the_input(characters: int) -> None:
    limit = limit_for(characters)
    assert 0 <= limit <= max(0, characters)
    assert limit <= max(0.35 * characters, 160)
    assert limit <= 1_400


def test_a_recap_says_who_asked_what_and_how_it_ended() -> None:
    turns = segment(
        "Please make the nightly export of src/orders.py faster.",
        "I looked at it. The query has no index.",
        "Let's go with a partial index. It must not lock the table.",
        "Done. The export now takes 3.5 seconds instead of 94.",
    )
    recap = extract(turns, limit=400, cues=CUES)
    lines = recap.split("\n")
    assert lines[0].startswith("User: Please make the nightly export of src/orders.py faster.")
    assert "Decided: Let's go with a partial index." in recap
    assert "Outcome: Done." in recap
    assert "3.5 seconds instead of 94" in recap
    assert ungrounded(recap, turns) == ()


@pytest.mark.parametrize(
    "request_, reply, labels",
    [
        ("请把夜间导出改快一点。", "好的,已经加了索引。", ("用户：", "结果：")),
        (
            "夜間のエクスポートを速くしてください。",
            "索引を追加しました。",
            ("ユーザー：", "結果："),
        ),
        (
            "Mach den nächtlichen Export bitte schneller.",
            "Ich habe einen Index angelegt.",
            ("Nutzer: ", "Ergebnis: "),
        ),
        (
            "Haz más rápida la exportación nocturna, por favor.",
            "He creado un índice.",
            ("Usuario: ", "Resultado: "),
        ),
        (
            "Rends l'export de nuit plus rapide, s'il te plaît.",
            "J'ai créé un index.",
            ("Utilisateur: ", "Résultat: "),
        ),
    ],
)
def test_a_recap_is_in_the_language_of_the_person(
    request_: str, reply: str, labels: tuple[str, str]
) -> None:
    recap = extract(segment(request_, reply), limit=200)
    assert recap.startswith(labels[0] + request_)
    assert labels[1] + reply in recap


def test_one_pasted_log_does_not_take_the_recap() -> None:
    turns = segment(
        f"The importer is slow since Tuesday.\n{LOG}\nCan you find out why?",
        "The worker waits for a lock.",
        "Let's go with a queue.",
        "The queue is in place and the tests pass.",
    )
    recap = extract(turns, limit=limit_for(sum(len(t.text) for t in turns)), cues=CUES)
    assert "INFO" not in recap
    for part in ("The importer is slow", "Can you find out why?", "go with a queue", "tests pass"):
        assert part in recap


def test_of_a_bare_log_the_error_lines_are_told() -> None:
    log = LOG + "\n2026-03-05 09:00:00 ERROR connection refused by db-7"
    recap = extract(segment(log, "The database was down."), limit=400)
    assert "connection refused by db-7" in recap
    assert "worker 17" not in recap


def test_failed_tools_are_named_once() -> None:
    turns = [
        turn(0, Role.USER, "Run the tests."),
        turn(1, Role.ASSISTANT, "They fail.", "Bash", "Edit", "Bash"),
    ]
    assert "Failed tools: Bash, Edit" in extract(turns, limit=300)


def test_without_turns_or_room_a_recap_is_empty() -> None:
    assert extract([], limit=100) == ""
    assert extract(segment("Please do it.", "Done."), limit=0) == ""
    assert extract(segment("", "   "), limit=100) == ""


WORDS = st.lists(
    st.sampled_from(
        [
            "We use v2.1.",
            "Anna asked for 1,000 rows.",
            "```\ncode()\n```",
            "我喜欢 Rust。",
            "src/app.py",
            "\n\n",
            "No!",
            "getUserById fails",
            "Der Server steht in Graz.",
            "> quoted",
            "x" * 400,
            "\ud800",
            "3,5 ｋｇ",
        ]
    ),
    max_size=8,
).map(" ".join)


@given(st.lists(WORDS, max_size=6), st.integers(0, 500))
def test_a_recap_by_rules_keeps_the_limit_and_is_grounded(texts: list[str], limit: int) -> None:
    turns = segment(*texts)
    recap = extract(turns, limit=limit, cues=CUES)
    assert len(recap) <= limit
    assert ungrounded(recap, turns) == ()
    assert recap == extract(turns, limit=limit, cues=CUES)


SAID = segment(
    "We import 1,000 rows from src/app.py into Postgres with pg_dump v2.1 in 3,5 s. "
    "Ask Anna, port 8443.",
    "Done: edited InvoiceService.ts for 12 000 users on 2026-03-05.",
)


@pytest.mark.parametrize(
    "recap",
    [
        "The user imports 1000 rows into postgres; ANNA knows the port, 8443.",
        "It took 3.5 s with PG_DUMP V2.1.",
        "12.000 users, 12000 users, 12,000 users.",
        "Edited invoiceservice.ts and SRC/APP.PY on 2026-03-05.",
        "Testing was finished. Documentation was updated. They agreed.",
        "用户把1000行从src/app.pyを导入Postgres。",
        "Ｐｏｓｔｇｒｅｓ holds １０００ rows.",
        "",
    ],
)
def test_what_the_segment_holds_is_grounded(recap: str) -> None:
    assert ungrounded(recap, SAID) == ()


@pytest.mark.parametrize(
    "recap, invented",
    [
        ("Marek said so.", ("Marek",)),
        ("It was agreed with Anna Schmidt.", ("Schmidt",)),
        ("They moved to Kafka.", ("Kafka",)),
        ("Port 9000 was opened for 42 users.", ("9000", "42")),
        ("Edited src/other.py and getUserById.", ("src/other.py", "getUserById")),
        ("It took 3.6 s.", ("3.6",)),
        ("It runs v2.2 now.", ("v2.2",)),
        ("HR was told.", ("HR",)),
        (
            "Der Nutzer hat mit Peter Müller die Datei geändert und die Zeilen geladen.",
            ("Peter", "Müller"),
        ),
    ],
)
def test_what_it_does_not_hold_is_named(recap: str, invented: tuple[str, ...]) -> None:
    assert set(invented) <= set(ungrounded(recap, SAID))


def test_german_nouns_are_no_names() -> None:
    recap = "Der Nutzer hat die Zeilen in die Datenbank geladen und den Server geprüft."
    assert ungrounded(recap, SAID) == ()


def test_tools_and_their_failures_count_as_said() -> None:
    call = ToolCall("Bash", '{"command": "pytest tests/test_cart.py"}', Outcome.FAILED, "77 passed")
    spoken = turn(1, Role.ASSISTANT, "Ran it.", "Bash")
    turns = [Turn(spoken.id, spoken.session, 1, Role.ASSISTANT, "Ran it.", tools=(call,))]
    assert ungrounded("Bash ran tests/test_cart.py: 77 passed.", turns) == ()
    assert ungrounded("Tools that failed: Bash.", [spoken]) == ()
