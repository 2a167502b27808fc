import sqlite3
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archivist.domain.query import Query, match_expression, parse_query, snippet
from archivist.domain.stopwords import STOP_WORDS
from archivist.domain.words import index_text

TABLE = (
    "create virtual table f using fts5("
    "words, tools, content='', tokenize='porter unicode61 remove_diacritics 2')"
)
TURNS = (
    "我喜欢用 Rust 写后端服务",
    "I prefer Postgres for new services",
    "call getUserById(42) now",
    "def get_user_by_id(user): ...  # in src/app/main.py",
    "Die Straße über München",
    "C++ and C# and .NET",
    "error: E0499 in v2.1",
    "node.js 20 runs the tests",
    "今天天气很好",
    "データベースはPostgresを使います",
    "한국어 테스트 문서",
    "café naïve",
)


def filled(*texts: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    rows = [(place, index_text(text), "") for place, text in enumerate(texts)]
    connection.executemany("insert into f (rowid, words, tools) values (?, ?, ?)", rows)
    return connection


def asked(connection: sqlite3.Connection, question: str) -> list[int]:
    match = match_expression(parse_query(question))
    if match is None:
        return []
    rows = connection.execute("select rowid from f where f match ? order by rank", (match,))
    return [row for (row,) in rows]


@pytest.fixture(scope="module")
def archive() -> sqlite3.Connection:
    return filled(*TURNS)


@pytest.mark.parametrize(
    "question,best",
    [
        ("What database should I use for my new service?", 1),
        ("getUserById", 2),
        ("get_user_by_id", 3),
        ("user by id", 3),
        ("main.py", 3),
        ("src/app/main.py", 3),
        ("strasse", 4),
        ("STRAßE", 4),
        ("muenchen", 4),
        ("munchen", 4),
        ("München", 4),
        ("C++", 5),
        ("c#", 5),
        (".net", 5),
        ("E0499", 6),
        ("error: E0499", 6),
        ("v2.1", 6),
        ("nodejs", 7),
        ("running", 7),
        ("cafe", 11),
        ("naïve", 11),
        ("后端", 0),
        ("我喜欢", 0),
        ("我之前说过喜欢用什么语言写后端？", 0),
        ("用", 0),
        ("后 端", 0),
        ("天", 8),
        ("天气", 8),
        ("データベース", 9),
        ("どのデータベースを使いますか", 9),
        ("ﾃﾞｰﾀﾍﾞｰｽ", 9),
        ("테스트", 10),
        ("테스", 10),
        ('"for new services"', 1),
        ('"喜欢用 rust"', 0),
        ("„neue“ services", 1),
        ("serv", 1),
        ("+rust 后端", 0),
        ("-rust", 0),
        ("what's up? postgres", 1),
    ],
)
def test_a_question_finds_its_turn(archive: sqlite3.Connection, question: str, best: int) -> None:
    found = asked(archive, question)
    assert found
    assert best in found[:2]


@pytest.mark.parametrize(
    "question,found",
    [
        ("+postgres services", [1, 9]),
        ('"new services for"', []),
        ("postgres -services", [9]),
        ('postgres -"new services"', [9]),
        ("+getUserById", [2, 3]),
        ("+user +main.py", [3]),
        ("+后端 -rust", []),
        ("nothing-of-the-kind-here", []),
    ],
)
def test_what_must_and_must_not_occur(
    archive: sqlite3.Connection, question: str, found: list[int]
) -> None:
    assert sorted(asked(archive, question)) == found


def test_both_fields_are_searched_and_no_other() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("create virtual table f using fts5(words, tools, role, content='')")
    connection.execute("insert into f (rowid, words, tools, role) values (1, 'a', 'grep', 'user')")
    assert asked(connection, "grep") == [1]
    assert asked(connection, "user") == []
    connection.close()


def test_a_question_is_parsed_as_it_is_meant() -> None:
    assert parse_query('what is the "exact words" +must -not') == Query(
        words=(), phrases=("exact words",), required=("must",), excluded=("not",)
    )
    assert parse_query("what is it").words == ("what", "is", "it")
    assert parse_query("where did I put the config").last == "config"
    assert parse_query("where did I put the config?").last == ""
    assert parse_query("mkdir -p foo --help").excluded == ()
    assert parse_query("").words == ()
    assert match_expression(parse_query('" + - ( ) *')) is None


def test_stop_words_of_a_language_go_only_where_it_is_spoken() -> None:
    assert parse_query("red car").words == ("red", "car")
    assert parse_query("when did her son die?").words == ("son", "die?")
    assert parse_query("Was war die Datenbank").words == ("Datenbank",)
    assert parse_query("pourquoi est-ce que le serveur tombe").words == ("serveur", "tombe")
    assert parse_query("cuál es la contraseña de la base").words == ("contraseña", "base")
    assert all(word == word.casefold() for stops in STOP_WORDS.values() for word in stops)


def test_a_very_long_question_keeps_its_longest_words() -> None:
    words = [f"w{place:03}" for place in range(300)] + ["incomprehensibility"]
    query = parse_query(" ".join(words))
    assert len(query.words) == 48
    assert "incomprehensibility" in query.words
    assert match_expression(parse_query("x " * 100_000)) is not None


SIGNS = st.sampled_from(
    [
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        '"',
        "+",
        "-",
        "(",
        ")",
        "*",
        "^",
        "{",
        "}",
        ":",
        "words:",
        "'",
        "a",
    ]
)
SCRIPTS = st.lists(
    st.one_of(
        SIGNS,
        st.sampled_from(["数据", "カ", "한", "ß", "C++", "v2.1", "\ud800", "\x00"]),
        st.text(),
    )
).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda glue: glue.join(parts)))


@settings(max_examples=500)
@given(SCRIPTS)
def test_no_question_is_a_syntax_error(question: str) -> None:
    connection = filled("some text", "数据库")
    asked(connection, question)
    connection.close()


CJK = st.text(
    alphabet=st.one_of(
        st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5),
        st.characters(min_codepoint=0x3042, max_codepoint=0x3093),
        st.characters(min_codepoint=0x30A2, max_codepoint=0x30F3),
        st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    ),
    min_size=1,
    max_size=12,
)


@given(CJK, st.integers(0, 11), st.integers(1, 3))
def test_every_short_piece_of_a_cjk_text_finds_it(text: str, start: int, length: int) -> None:
    start %= len(text)
    wanted = text[start : start + length]
    connection = filled("unrelated", f"before {text} after")
    assert asked(connection, wanted) == [1]
    assert asked(connection, f"+{wanted}") == [1]
    connection.close()


@given(st.text(alphabet="abcdefgXYZ019_-./ÄÖÜéß", min_size=1, max_size=20))
def test_a_name_finds_the_text_it_stands_in(name: str) -> None:
    connection = filled("unrelated", f"see {name} there")
    if index_text(name):
        assert 1 in asked(connection, name)
        assert 1 in asked(connection, f"+{name}" if name[0] not in "+-" else name)
    connection.close()


def test_a_snippet_shows_the_place_with_the_most_of_the_question() -> None:
    text = "The dog barked. " * 40 + "Our dog sleeps in the red kennel.\n\nMore " + "of it. " * 60
    shown = snippet(text, parse_query("where does the dog sleep, which kennel?"), width=80)
    assert "dog sleeps in the red kennel." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 80


@pytest.mark.parametrize(
    "text,question,part",
    [
        ("x " * 200 + "die STRASSE am Café" + " y" * 200, "straße cafe", "STRASSE am Café"),
        ("字" * 300 + "数据库密码" + "字" * 300, "数据库", "数据库"),
        ("z " * 300 + "ＷＩＤＥ ﾃﾞｰﾀ" + " z" * 300, "wide データ", "ＷＩＤＥ"),
        ("z " * 300 + "get_user_by_id(7)" + " z" * 300, "getUserById", "get_user_by_id"),
        ("z " * 300 + "cafe\u0301 au lait" + " z" * 300, "café", "cafe\u0301 au lait"),
        ("z " * 300 + "한국어 문서" + " z" * 300, "한국어", "한국어"),
    ],
)
def test_a_snippet_ignores_case_width_and_accents(text: str, question: str, part: str) -> None:
    assert part in snippet(text, parse_query(question), width=60)


def test_a_snippet_without_a_match_is_the_beginning() -> None:
    assert snippet("one two three", parse_query("zebra"), width=40) == "one two three"
    assert snippet("one\n  two\tthree " * 20, parse_query("zebra"), width=20) == "one two three…"
    assert snippet("", parse_query("zebra"), width=20) == ""
    assert snippet("abc", parse_query(""), width=0) == ""


@given(st.text(max_size=300), SCRIPTS, st.integers(0, 90))
def test_any_text_and_question_have_a_snippet_that_fits(
    text: str, question: str, width: int
) -> None:
    shown = snippet(text, parse_query(question), width=width)
    assert len(shown) <= width
    assert "\n" not in shown
    bare = "".join(shown.strip("…").split())
    assert bare in "".join(text.split()) or "…" in text


def test_a_snippet_of_a_long_text_comes_at_once() -> None:
    text = unicodedata.normalize("NFD", "Übergrößenträger ") * 60_000
    assert len(snippet(text, parse_query("übergrößenträger"), width=100)) <= 100
