"""What the tray was asked for and could not be done is told where the person looks."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from archivist.domain.problems import Problem
from archivist.gui.application import Application
from archivist.gui.places import Room
from archivist.services.bus import AskedFailed
from archivist.services.pause import PauseFor
from archivist.services.tray_state import Mark
from gui.test_program import running
from helpers.windows import Profile, until

pytestmark = [pytest.mark.gui, pytest.mark.allow_logs]

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, qapp: Application) -> Iterator[None]:
    """Else the last resort would end the tests, and ended programs would go on listening."""
    monkeypatch.setattr("faulthandler.dump_traceback_later", lambda _seconds, **_: None)
    yield
    for signal in (qapp.palette_changed, qapp.quit_asked, qapp.commitDataRequest):
        signal.disconnect()


def test_in_a_deleted_archive_a_pause_says_that_it_failed(
    qrun: Run, qapp: Application, empty_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with running(qapp, empty_profile) as it:
            told: list[str] = []
            monkeypatch.setattr(
                it.tray, "tell", lambda title, text: told.append(f"{title}: {text}")
            )
            for path in empty_profile.folder.glob("archive.db*"):
                path.unlink()
            it.program.pause(PauseFor.HOUR)
            await until(lambda: told)
            assert told[0].startswith("Pause: ")
            assert "was deleted or replaced" in told[0]
            await until(lambda: it.tray._state.mark is Mark.PROBLEM)
            assert it.tray._state.status.startswith("Not up to date")
            await until(lambda: it.tray._state.problems == "Problems (1)…")

            it.program.go(Room.PROBLEMS)
            parts = it.program._parts
            assert parts is not None
            (window,) = parts.rooms.shown
            it.program.resume()
            await until(lambda: "was deleted or replaced" in window.banner.message)
            it.services.bus.tell(AskedFailed(Problem("It broke.", advice="Mend it.", key="x")))
            assert window.banner.message == "It broke. Mend it."
            assert len(told) == 1

    qrun(story())
