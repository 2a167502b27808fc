"""What was copied goes through the gate into turns that no lesson is ever drawn from."""

from pathlib import Path

import pytest

from archivist.domain.problems import Refused
from archivist.domain.redaction import Cleaned, Gate
from archivist.domain.segments import CloseReason
from archivist.services.archive import Done
from archivist.services.bus import SegmentsChanged, TurnsArrived
from archivist.services.capture import (
    MOST_BYTES,
    Capture,
    Captured,
    ClipKind,
    answered,
    piped,
    told,
)
from archivist.services.undo import Undo
from archivist.shipped import chat_labels, gate
from archivist.store.captures import CaptureStore
from archivist.store.command_store import CommandStore
from helpers.archiving import archive_over
from helpers.stored import Stored, said, stored

TOKEN = "ghp_" + "aZ3x9Q" * 6
CHAT = f"You said:\nI prefer tabs over spaces. {TOKEN}\nChatGPT said:\nTabs it is.\n"
WISH = "I prefer tabs over spaces. Always run the tests before you commit."
DERIVED = ("event", "facet", "lesson", "evidence")


def capture_over(archive: Stored, *, allowed: bool = True, through: Gate | None = None) -> Capture:
    return Capture(
        CaptureStore(archive.database, caller="test"),
        (lambda: through) if through else gate,
        chat_labels,
        allowed=lambda: allowed,
        bus=archive.bus,
        clock=archive.clock,
    )


def undo_over(archive: Stored, capture: Capture) -> Undo:
    commands = CommandStore(archive.database, caller="test")
    return Undo(commands, {"capture": capture.restore}, clock=archive.clock)


async def count(archive: Stored, table: str) -> int:
    ((rows,),) = await archive.rows(f"select count(*) from {table}")
    return int(str(rows))


async def found(archive: Stored, word: str) -> int:
    query = "select count(*) from episode_fts where episode_fts match ?"
    ((rows,),) = await archive.rows(query, word)
    return int(str(rows))


async def pause() -> None:
    raise AssertionError("there is nothing to wait for")


async def test_a_pasted_chat_is_stored_as_its_turns_without_its_secrets(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        heard: list[TurnsArrived] = []
        archive.bus.listen(TurnsArrived, heard.append)
        done = await capture_over(archive).save(CHAT)
        assert (done.kind, done.turns, done.known) == (ClipKind.CHAT, 2, False)
        assert done.redacted == ("github token",)
        rows = await archive.rows(
            "select s.source, s.native_id, e.role, e.text, e.redacted, e.at, e.project"
            " from episode e join session s on s.id = e.session_id order by e.seq"
        )
        now = archive.clock()
        wish = "I prefer tabs over spaces. [redacted: github token]"
        assert rows == [
            ("clipboard", done.session, "task", wish, "github token", now, None),
            ("clipboard", done.session, "assistant", "Tabs it is.", None, now, None),
        ]
        assert heard == [TurnsArrived("clipboard", f"clipboard:{done.session}", 2)]


async def test_other_text_is_stored_as_one_turn(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        done = await capture_over(archive).save("\n  Notes of today:\n  - one\n\n")
        assert (done.kind, done.turns, done.redacted) == (ClipKind.TEXT, 1, ())
        rows = await archive.rows("select role, text from episode")
        assert rows == [("task", "Notes of today:\n  - one")]


@pytest.mark.parametrize("text", [WISH, f"User: {WISH}\nAssistant: As you like.\nUser: yes"])
async def test_what_was_pasted_is_never_taken_for_the_person_s_own_words(
    tmp_path: Path, text: str
) -> None:
    async with stored(tmp_path / "pasted") as archive:
        await capture_over(archive).save(text)
        done = Done()
        await archive_over(archive).finish(done, pause=pause)
        assert (done.closed, done.recapped, done.lessons, done.failed) == (1, 1, 0, 0)
        assert [await count(archive, table) for table in DERIVED] == [0, 0, 0, 0]
    async with stored(tmp_path / "said") as archive:  # the same words of the person teach
        await archive.take_in(said("u1", WISH, at=1))
        archive.clock.tick(seconds=3600)
        await archive_over(archive).finish(done, pause=pause)
        assert await count(archive, "lesson") > 0
        assert await count(archive, "event") > 0


async def test_a_clip_is_a_segment_at_once_and_closed_by_its_end(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await capture_over(archive).save(CHAT)
        await archive_over(archive).finish(Done(), pause=pause)
        (row,) = await archive.rows(
            "select state, reason, exchanges, start_at, end_at from segment"
        )
        now = archive.clock()
        assert row == ("recapped", CloseReason.END, 1, now, now)
        assert await count(archive, "episode where segment_id is null") == 0


async def test_the_last_exchange_of_a_session_that_goes_on_still_waits(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "hello", at=archive.clock()))
        await archive_over(archive).finish(Done(), pause=pause)
        assert await count(archive, "segment") == 0


@pytest.mark.parametrize("text", [CHAT, "one text\nof two lines"])
async def test_the_same_text_twice_adds_nothing(tmp_path: Path, text: str) -> None:
    async with stored(tmp_path) as archive:
        capture = capture_over(archive)
        first = await capture.save(text)
        before = await count(archive, "episode")
        again = await capture.save(f"\n{text}\n".replace("\n", "\r\n"))
        assert again == Captured(first.session, first.kind, first.turns, first.redacted, known=True)
        assert [await count(archive, t) for t in ("episode", "session", "command")] == [
            before,
            1,
            1,
        ]
        assert told(again) == "This text was saved before; nothing was added."


async def test_the_same_words_in_two_chats_are_kept_in_both(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        capture = capture_over(archive)
        await capture.save("User: hi\nAssistant: yes\nUser: really?\nAssistant: yes")
        await capture.save("User: hi\nAssistant: yes")
        assert await count(archive, "episode") == 6


async def test_undo_takes_everything_of_a_clip_out_and_nothing_else(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await archive.take_in(said("u1", "tabs of the person", at=1))
        capture = capture_over(archive)
        await capture.save(CHAT)
        await archive_over(archive).finish(Done(), pause=pause)
        async with archive.database.write() as connection:
            await connection.execute(
                "insert into vector select 'recap', segment_id, 'm', 1, x'00' from recap"
            )
        tables = ("episode", "session", "segment", "recap", "vector", "job", "source_file")
        assert await found(archive, "tabs") == 3
        both = [await count(archive, table) for table in tables]
        heard: list[SegmentsChanged] = []
        archive.bus.listen(SegmentsChanged, heard.append)
        (command,) = await undo_over(archive, capture).undo()
        assert command.label == "Save 2 turns from the clipboard"
        assert heard == [SegmentsChanged()]
        one = [await count(archive, table) for table in tables]
        assert both == [3, 2, 2, 2, 2, 10, 2]
        assert one == [1, 1, 1, 1, 1, 5, 1]
        assert await found(archive, "tabs") == 1


async def test_after_undo_the_same_text_can_be_saved_again(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        capture = capture_over(archive)
        await capture.save(CHAT)
        await undo_over(archive, capture).undo()
        assert (await capture.save(CHAT)).known is False
        assert await count(archive, "episode") == 2


async def test_a_clip_that_is_gone_cannot_be_taken_out(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        with pytest.raises(Refused, match="no longer in the archive"):
            await capture_over(archive).restore({"session": "clip-0"})


async def test_nothing_is_saved_until_it_is_allowed(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        capture = capture_over(archive, allowed=False)
        with pytest.raises(Refused, match="not allowed") as refusal:
            await capture.save("text")
        assert "archivist settings set clipboard.allowed true" in refusal.value.advice
        with pytest.raises(Refused):
            await capture.permit()
        assert await count(archive, "episode") == 0


@pytest.mark.parametrize("text", ["", " \n\t", "\x00"])
async def test_blank_text_is_refused(tmp_path: Path, text: str) -> None:
    async with stored(tmp_path) as archive:
        with pytest.raises(Refused, match="no text to save"):
            await capture_over(archive).save(text)
        assert await count(archive, "session") == 0


async def test_more_than_one_megabyte_is_refused(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        capture = capture_over(archive)
        with pytest.raises(Refused, match="longer than 1 MB"):
            await capture.save("字" * (MOST_BYTES // 3 + 1))
        assert await count(archive, "session") == 0


async def test_text_that_no_archive_can_hold_is_mended(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await capture_over(archive).save("half \ud83d and \x00nul")
        assert await archive.rows("select text from episode") == [("half ? and nul",)]


class TiredGate(Gate):
    """Gives up on one text."""

    def __init__(self) -> None:
        pass

    def clean(self, text: str) -> Cleaned:
        if "deep" in text:
            raise RecursionError
        return Cleaned(text)


async def test_a_turn_that_cannot_be_cleaned_is_kept_without_its_text(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        await capture_over(archive, through=TiredGate()).save("User: deep\nAssistant: fine")
        rows = await archive.rows("select text, withheld from episode order by seq")
        assert rows == [("", 1), ("fine", 0)]


def test_what_became_of_a_clip_is_told() -> None:
    clip = Captured("clip-1", ClipKind.CHAT, 2, (), known=False)
    assert told(clip) == "Saved a chat of 2 turns from the clipboard."
    text = Captured("clip-2", ClipKind.TEXT, 1, ("github token",), known=False)
    message = "Saved the clipboard as one text. Secrets were taken out: github token."
    assert told(text) == message
    assert answered(text) == {
        "ok": True,
        "session": "clip-2",
        "kind": "text",
        "turns": 1,
        "redacted": ["github token"],
        "known": False,
        "message": message,
    }


@pytest.mark.parametrize(
    "system, paste",
    [("linux", "wl-paste"), ("darwin", "pbpaste"), ("win32", "powershell -c Get-Clipboard")],
)
def test_the_way_without_the_app_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, system: str, paste: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    assert piped() == f"{paste} | archivist capture-clipboard --stdin"


async def test_line_ends_of_windows_make_no_difference(tmp_path: Path) -> None:
    async with stored(tmp_path) as archive:
        done = await capture_over(archive).save("User: a\r\nb\r\nAssistant: c\r\n")
        assert done.kind is ClipKind.CHAT
        rows = await archive.rows("select text from episode order by seq")
        assert rows == [("a\nb",), ("c",)]
