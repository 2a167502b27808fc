import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archivist.sources import records
from archivist.sources.records import (
    LONGEST,
    SLICE,
    find_newline,
    head_records,
    is_record,
    moment,
    parse_line,
    slices,
)

WHOLE = '{"type":"user","message":{"content":[{"text":"a"},{"text":"b"}]}}'


def line(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "damaged, wanted, bad",
    [
        pytest.param(WHOLE, [WHOLE], 0, id="whole"),
        pytest.param(WHOLE + "\r", [WHOLE], 0, id="carriage return"),
        pytest.param("\ufeff" + WHOLE, [WHOLE], 0, id="byte order mark"),
        pytest.param("", [], 0, id="empty"),
        pytest.param("  ", [], 0, id="blank"),
        pytest.param("\0\0\0", [], 0, id="only NULs"),
        pytest.param("\0\0" + WHOLE[:20] + "\0\0" + WHOLE[20:], [WHOLE], 0, id="NULs within"),
        pytest.param('{"type":"us' + WHOLE, [WHOLE], 0, id="stub cut in a string"),
        pytest.param('{"a":{"b":1},"c":' + WHOLE, [WHOLE], 0, id="stub cut before a value"),
        pytest.param('{"a":[{"b":{"c":2}},' + WHOLE, [WHOLE], 0, id="stub cut in a list"),
        pytest.param('{"a":{"b"' + WHOLE + WHOLE, [WHOLE, WHOLE], 0, id="stub and two records"),
        pytest.param('{"a' + '{"b":"c' + WHOLE, [WHOLE], 0, id="two stubs"),
        pytest.param(WHOLE + WHOLE, [WHOLE, WHOLE], 0, id="two records without a newline"),
        pytest.param(WHOLE + '{"type":"us', [WHOLE], 1, id="record and stub"),
        pytest.param(WHOLE + " tail", [WHOLE], 1, id="record and rubbish"),
        pytest.param(WHOLE[:-4], [], 1, id="cut at its end"),
        pytest.param("rubbish", [], 1, id="rubbish"),
        pytest.param("[1, 2]", [], 1, id="a list is no record"),
        pytest.param("17", [], 1, id="a number is no record"),
        pytest.param('"text"', [], 1, id="a text is no record"),
        pytest.param('{"a":1,"a":2}', ['{"a":2}'], 0, id="repeated key, the last wins"),
        pytest.param('{"a":"x\x07y"}', ['{"a":"x\\u0007y"}'], 0, id="bare control character"),
    ],
)
def test_what_can_be_saved_of_a_line_is_saved(damaged: str, wanted: list[str], bad: int) -> None:
    assert parse_line(line(damaged)) == ([json.loads(text) for text in wanted], bad)


def test_lone_surrogates_and_nuls_become_storable() -> None:
    text = r'{"a":"cut \ud83d","b":["x\u0000y"],"c\udc00":{"d":"\ud83d\ude00"}}'
    found, bad = parse_line(text.encode())
    assert bad == 0
    assert found == [{"a": "cut \ufffd", "b": ["xy"], "c\ufffd": {"d": "\U0001f600"}}]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert parse_line(b'{"a":"caf\xe9"}') == ([{"a": "caf\ufffd"}], 0)


def test_numbers_beyond_64_bits_and_not_a_number_are_accepted() -> None:
    found, bad = parse_line(b'{"a":' + b"9" * 40 + b',"b":NaN}')
    assert bad == 0
    assert found[0]["a"] == pytest.approx(1e40)


@pytest.mark.parametrize("depth", [900, 5000, 200_000])
def test_deep_nesting_never_raises(depth: int) -> None:
    deep = b'{"a":' * depth + b'"\\u0000\\ud800"' + b"}" * depth
    found, bad = parse_line(deep)
    assert len(found) + bad == 1


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    found, bad = parse_line(data.replace(b"\n", b""))
    assert bad in {0, 1}
    assert all(isinstance(record, dict) for record in found)


@given(st.dictionaries(st.text(), st.text()), st.integers(min_value=1))
def test_no_part_of_a_record_is_a_record(record: dict[str, str], cut: int) -> None:
    whole = json.dumps(record).encode()
    assert is_record(whole)
    assert not is_record(whole[: cut % len(whole)])


def test_slices_hold_whole_lines_and_leave_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "SLICE", 16)
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\n" + b"x" * 50 + b"\nthree\nfour")
    pieces = list(slices(path, 0, path.stat().st_size))
    assert (
        b"".join(piece.data or b"" for piece in pieces) == b"one\ntwo\n" + b"x" * 50 + b"\nthree\n"
    )
    assert all(piece.data and piece.data.endswith(b"\n") for piece in pieces)
    assert pieces[-1].end == path.stat().st_size - len("four")


def test_text_separators_do_not_split_lines(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes('{"a":"x\u2028y\u2029z\u0085\x0b\x0c"}\n'.encode())
    (piece,) = slices(path, 0, path.stat().st_size)
    assert piece.data is not None
    assert piece.data.count(b"\n") == 1


def test_a_record_that_is_too_long_is_passed_over_without_loading_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b"{}\n")
        file.seek(LONGEST + SLICE)
        file.write(b"\n{}\n")
    pieces = list(slices(path, 0, path.stat().st_size))
    assert [piece.data for piece in pieces] == [b"{}\n", None, b"{}\n"]
    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]


def test_what_was_searched_for_a_newline_is_not_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"first\nsecond")
    assert list(slices(path, 0, 12, scanned=6)) == []
    assert find_newline(path, 0, 12) == 5
    assert find_newline(path, 6, 12) is None
    assert find_newline(path, 50, 60) is None


@pytest.mark.parametrize(
    "value, wanted",
    [
        ("2026-11-28T10:00:00.123Z", 1795860000123),
        ("2026-11-28T10:00:00.123456+00:00", 1795860000123),
        ("2026-11-28T12:00:00+02:00", 1795860000000),
        ("2026-11-28T10:00:00", 1795860000000),
        (1795860000, 1795860000000),
        (1795860000.5, 1795860000500),
        (1795860000123, 1795860000123),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (float("nan"), None),
        (-5, None),
        ({"a": 1}, None),
        ("1990-01-01T00:00:00Z", 631152000000),
        ("1989-12-31T23:59:59.999Z", None),
        ("2100-12-31T23:59:59.999Z", 4133980799999),
        ("2101-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("1970-01-01T00:00:00Z", None),
        (0, None),
        (1, None),
        (9_999_999_999_999, None),
    ],
)
def test_times_become_utc_milliseconds(value: object, wanted: int | None) -> None:
    assert moment(value) == wanted


@given(
    st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)),  # noqa: DTZ001
    st.integers(-14, 14),
)
def test_no_millisecond_is_lost(when: datetime, hours: int) -> None:
    aware = when.replace(tzinfo=timezone(timedelta(hours=hours)))
    exact = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert moment(aware.isoformat()) == exact


def test_the_head_of_a_file_is_judged_by_its_whole_lines() -> None:
    assert head_records(b'{"a":1}\n{"b":') == [{"a": 1}]
    assert head_records(b'{"a":1}') == [{"a": 1}]
    assert head_records(b'{"a":') == []
    assert len(head_records(b"{}\n" * 100)) == 20
    assert head_records("\ufeff{}\r\n{".encode("utf-16-le")) == [{}]
