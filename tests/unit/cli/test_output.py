import json
import sys

import pytest

from archivist.cli import output
from archivist.domain.problems import Problem, Refused, Stopped
from archivist.texts import use

EVIL = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb\u200b\r\x08c\td\ne"
SPELT = "a⟪U+001B⟫]0;owned⟪U+0007⟫⟪U+001B⟫[2J⟪U+009B⟫31m⟪U+202E⟫b⟪U+200B⟫⟪U+000D⟫⟪U+0008⟫c\td\ne"


def test_what_steers_a_terminal_or_hides_is_spelt_out(capsys: pytest.CaptureFixture[str]) -> None:
    output.show(None, [EVIL], as_json=False)
    output.note(EVIL)
    output.ask(f"{EVIL}? ")
    output.fail(Problem(EVIL, advice=EVIL), as_json=False)
    told = capsys.readouterr()
    assert told.out == f"{SPELT}\n"
    assert told.err == f"{SPELT}\n{SPELT}? {SPELT}\n  {SPELT}\n"


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    for text in ("grün 先看代码 コード", "می‌خواهم", "👩‍💻 ✔️", "one\r\ntwo\n"):
        assert output.plain(text) == text.replace("\r\n", "\n")


def test_json_holds_the_text_itself(capsys: pytest.CaptureFixture[str]) -> None:
    output.show({"text": EVIL}, ["never shown"], as_json=True)
    told = capsys.readouterr().out
    assert json.loads(told) == {"text": EVIL}
    assert "\x1b" not in told


def test_no_lines_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    output.show([], [], as_json=False)
    assert capsys.readouterr().out == ""


def test_what_was_done_before_it_stopped_is_told_first(capsys: pytest.CaptureFixture[str]) -> None:
    reason = Refused("It has changed.", advice="Look at it.", key="changed")
    output.fail(Stopped(reason, done=("Set a\x1b to 9", "Keep b")), as_json=True)
    told = capsys.readouterr()
    assert json.loads(told.out)["error"] == {
        "message": "It has changed.",
        "advice": "Look at it.",
        "key": "changed",
        "done": ["Set a\x1b to 9", "Keep b"],
    }
    assert told.err.splitlines() == [
        "Done before it stopped:",
        "  - Set a⟪U+001B⟫ to 9",
        "  - Keep b",
        "It has changed.",
        "  Look at it.",
    ]


def test_a_closed_output_is_a_problem_and_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(Problem, match="closed"):
        output.show({}, [], as_json=True)


def test_without_stderr_nothing_is_put_between_the_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    output.note("reading")
    assert capsys.readouterr().out == ""


def test_a_missing_time_has_words_of_the_language() -> None:
    use({"no time": "ohne Zeit"})
    try:
        assert output.local(None) == "ohne Zeit"
    finally:
        use({})
