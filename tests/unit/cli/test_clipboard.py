"""What was copied, saved by a command: from standard input, or by the app that runs."""

import asyncio
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from archivist import compose
from archivist.cli.main import Options, main
from archivist.domain.problems import Refused
from archivist.services.capture import MOST_BYTES
from helpers.console import Console
from helpers.program import holding

TOKEN = "ghp_" + "aZ3x9Q" * 6
CHAT = f"你说：\n我的钥匙 {TOKEN}\nChatGPT 说：\n请换掉。\n"


class Stdin:
    """Standard input as it is piped in."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def allowed(console: Console) -> Console:
    """A throw-away profile in which saving is allowed."""
    console.throw_away("settings", "set", "clipboard.allowed", "true")
    return console


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(data))


def test_what_is_piped_in_is_saved_without_an_app(
    allowed: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped(monkeypatch, b"\xef\xbb\xbf" + CHAT.encode())
    saved = allowed.ask("capture-clipboard", "--stdin")
    session = saved.pop("session")
    assert saved == {"kind": "chat", "turns": 2, "redacted": ["github token"], "known": False}
    allowed.throw_away("archive", "--wait")
    (segment,) = allowed.ask("segments", "list")
    assert (segment["session"], segment["turns"], segment["reason"]) == (session, 2, "end")
    assert len(allowed.ask("search", "钥匙")["hits"]) == 1
    assert holding(allowed.folder / "profile", [TOKEN.encode()]) == []
    piped(monkeypatch, CHAT.encode())
    again = allowed.throw_away("capture-clipboard", "--stdin")
    assert again.out == "This text was saved before; nothing was added.\n"


def test_undo_takes_a_clip_out_again(allowed: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, CHAT.encode())
    assert allowed.throw_away("capture-clipboard", "--stdin").code == 0
    assert allowed.throw_away("archive", "--wait").code == 0
    (command,) = allowed.ask("undo")
    assert command["name"] == "capture.save"
    status = allowed.ask("status")
    assert (status["turns"], status["segments"], status["sources"]) == (0, 0, {})
    assert allowed.ask("search", "钥匙")["hits"] == []


@pytest.mark.parametrize("way", [(), ("--stdin",)], ids=["app", "stdin"])
def test_it_is_off_until_it_is_allowed(
    console: Console, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...]
) -> None:
    piped(monkeypatch, CHAT.encode())
    ran = console.throw_away("capture-clipboard", *way)
    assert ran.code == 1
    assert "archivist settings set clipboard.allowed true" in ran.err
    assert console.ask("status")["turns"] == 0


@pytest.mark.parametrize(
    "data, sentence",
    [
        (b"", "no text to save"),
        (b" \n", "no text to save"),
        (b"x" * (MOST_BYTES + 1), "1 MB"),
        (b"\xef\xbb\xbf" + b"x" * (MOST_BYTES + 9), "1 MB"),  # else it would be cut, unsaid
    ],
    ids=["nothing", "blank", "large", "large with a mark before it"],
)
def test_what_cannot_be_saved_is_told(
    allowed: Console, monkeypatch: pytest.MonkeyPatch, data: bytes, sentence: str
) -> None:
    piped(monkeypatch, data)
    ran = allowed.throw_away("capture-clipboard", "--stdin")
    assert ran.code == 1
    assert sentence in ran.err


def test_a_closed_standard_input_holds_no_text(
    allowed: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert "no text to save" in allowed.throw_away("capture-clipboard", "--stdin").err


def test_without_an_app_the_other_way_is_told(allowed: Console) -> None:
    ran = allowed.throw_away("capture-clipboard", "--json")
    assert ran.code == 1
    error = json.loads(ran.out)["error"]
    assert error["key"] == "clipboard-no-app"
    assert "| archivist capture-clipboard --stdin" in error["advice"]


def asked(folder: Path, answer: Mapping[str, Any] | Refused) -> tuple[int, list[Mapping[str, Any]]]:
    """Run the command beside an app that answers so; give its code and what the app was asked."""
    options = Options(folder / "profile", folder / "home")
    heard: list[Mapping[str, Any]] = []

    async def answering(message: Mapping[str, Any]) -> Mapping[str, Any]:
        heard.append(message)
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def story() -> int:
        arguments = ["--profile-dir", str(options.profile), "--home", str(options.home)]
        async with compose.opened(options.profile, options.home) as services:
            with services.instance.held():
                async with services.instance.listening(answering):
                    command = [*arguments, "capture-clipboard"]
                    return await asyncio.to_thread(main, command, _opened)

    return asyncio.run(story()), heard


def _opened(options: Options) -> Any:  # noqa: ANN401 - what the program itself opens with
    return compose.opened(options.profile, options.home)


def test_the_app_that_runs_is_asked(allowed: Console, capsys: pytest.CaptureFixture[str]) -> None:
    answer = {"ok": True, "session": "clip-1", "message": "Saved the clipboard as one text."}
    assert asked(allowed.folder, answer) == (0, [{"do": "capture-clipboard"}])
    assert capsys.readouterr().out.endswith("Saved the clipboard as one text.\n")


def test_what_the_app_refuses_is_told_with_its_advice(
    allowed: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = asked(allowed.folder, Refused("It is marked.", advice="Leave it."))
    assert code == 1
    assert capsys.readouterr().err.endswith("It is marked.\n  Leave it.\n")


def test_an_app_without_window_sees_no_clipboard(
    allowed: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = asked(allowed.folder, {"ok": False, "error": "unknown request"})
    assert code == 1
    assert "has no window, so it sees no clipboard" in capsys.readouterr().err
