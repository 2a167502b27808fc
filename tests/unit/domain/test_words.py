import sqlite3
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.domain.words import INDEX_VERSION, index_text, pieces

TABLE = (
    "create virtual table f using fts5("
    "words, tools, content='', tokenize='porter unicode61 remove_diacritics 2')"
)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "text,normal",
    [
        ("The quick BROWN Fox.", "the quick brown fox"),
        ("getUserById", "getuserbyid get user by id"),
        ("get_user_by_id", "getuserbyid get user by id"),
        ("get-user-by-id", "getuserbyid get user by id"),
        ("parseHTMLNow HTTPServer", "parsehtmlnow parse html now httpserver http server"),
        ("src/app/main.py", "srcappmainpy mainpy src app main py"),
        ("C:\\work\\main.py", "c workmainpy mainpy work main py"),
        ("os.path.join", "ospathjoin os path join"),
        ("std::vector", "stdvector std vector"),
        ("C++", "cqplusqqplusq c"),
        ("c#, F#!", "cqsharpq c fqsharpq f"),
        (".NET and ASP.NET", "qdotqnet net and aspnet asp net"),
        ("node.js NodeJS", "nodejs node js nodejs node js"),
        ("error[E0499]", "error e0499"),
        ("v2.1", "v2qdotq1 v2 1"),
        ("Python 3.11.4", "python 3qdotq11qdotq4 3qdotq11 3 11 4"),
        ("2024-11-30", "2024qdotq11qdotq30 2024qdotq11 2024 11 30"),
        ("utf-8 e-mail", "utf8 utf 8 email e mail"),
        ("Straße", "strasse"),
        ("über Ærø", "über ueber ærø aeroe"),
        ("ＦＵＬＬ ｗｉｄｔｈ ｶﾞ", "full width ガ"),
        ("我喜欢用 Rust", "我喜 喜欢 欢用 我 喜 欢 用 rust"),
        ("用Rust写", "用 rust 写"),
        ("한국어", "한국 국어 한 국 어"),
        ("天", "天"),
        ("😀 👩\u200d👩 ☃", ""),
        ("a\x00b\ud800c", "a b c"),
        ("", ""),
    ],
)
def test_the_normal_form(text: str, normal: str) -> None:
    assert index_text(text) == normal


def test_data_that_is_no_word_is_left_out() -> None:
    assert index_text("a" * 129) == ""
    assert index_text("a" * 128) == "a" * 128
    assert index_text("iVBOR" * 4000 + " word") == "word"


def test_the_pieces_tell_wholes_parts_and_pairs_apart() -> None:
    name, run = pieces("getUser 数据库")
    assert (name.wholes, name.parts, name.pairs) == (("getuser",), ("get", "user"), ())
    assert (run.wholes, run.parts, run.pairs) == ((), ("数", "据", "库"), ("数据", "据库"))


@given(st.text())
def test_any_text_has_a_normal_form_that_sqlite_takes_and_that_never_changes(text: str) -> None:
    normal = index_text(text)
    assert index_text(text) == normal
    assert normal.encode("utf-8").decode("utf-8") == normal
    assert '"' not in normal
    assert "\x00" not in normal


@given(st.lists(st.text(alphabet="aZ数カ한ß_-./:+#1 \ud800😀", max_size=12), max_size=6))
def test_what_was_seen_before_does_not_change_a_normal_form(words: list[str]) -> None:
    text = " ".join(words)
    once = index_text(text)
    for word in words:
        index_text(word)
    assert index_text(text) == once
    assert index_text(" ".join(index_text(word) for word in words)) is not None


@given(st.text(alphabet="abcÜß数据用カ_-. 12C#+😀", max_size=40))
def test_a_row_can_be_taken_out_of_a_contentless_table_again(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    row = (1, index_text(text), index_text(text))
    connection.execute("insert into f (rowid, words, tools) values (?, ?, ?)", row)
    connection.execute("insert into f (f, rowid, words, tools) values ('delete', ?, ?, ?)", row)
    connection.execute("insert into f (f) values ('integrity-check')")
    connection.execute("create virtual table v using fts5vocab(f, 'row')")
    assert connection.execute("select count(*) from v").fetchone() == (0,)
    connection.close()


def test_private_spellings_are_one_token_for_sqlite(db: sqlite3.Connection) -> None:
    db.execute(
        "insert into f (rowid, words, tools) values (1, ?, '')", (index_text("C++ v2.1 .NET"),)
    )
    db.execute("create virtual table v using fts5vocab(f, 'row')")
    terms = {term for (term,) in db.execute("select term from v")}
    assert {"cqplusqqplusq", "v2qdotq1", "qdotqnet"} <= terms


def test_prose_is_normalised_at_the_speed_of_the_disk() -> None:
    text = "The archive keeps every conversation, once each, and finds it again. " * 30_000
    began = time.process_time()
    index_text(text)
    assert len(text) / (time.process_time() - began) > 5_000_000


def test_there_is_a_version_of_the_index() -> None:
    assert INDEX_VERSION >= 1
