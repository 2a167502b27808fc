"""The icon and its menu, without any tray: order of calls, words, colours."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage, QPalette
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from archivist import resources
from archivist.domain.activity import Idle
from archivist.domain.waiting import Waiting
from archivist.gui.application import Application
from archivist.gui.contrast import contrast
from archivist.gui.tray import Tray, TrayActions, tray_picture
from archivist.services.pause import PauseFor
from archivist.services.tray_state import Mark, starting, tray_state

pytestmark = pytest.mark.gui

BUSY = tray_state(Waiting(3, 12, 1), Idle(), is_paused=False)
PAUSED = tray_state(Waiting(), Idle(), is_paused=True)


class Calls:
    """Notes what the menu called."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def actions(self) -> TrayActions:
        def note(name: str) -> Callable[[], None]:
            return lambda: self.names.append(name)

        return TrayActions(
            segments=note("segments"),
            lessons=note("lessons"),
            memory=note("memory"),
            problems=note("problems"),
            archive_now=note("archive"),
            pause=lambda length: self.names.append(f"pause {length}"),
            resume=note("resume"),
            save_clipboard=note("clipboard"),
            quit=note("quit"),
            refresh=note("refresh"),
        )


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def tray(qapp: Application, calls: Calls) -> Iterator[Tray]:
    made = Tray(calls.actions(), starting())
    yield made
    made.hide()


def menu_of(tray: Tray) -> QMenu:
    return tray._icon.contextMenu()


def lines(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isVisible()]


def line(menu: QMenu, text: str) -> QAction:
    (found,) = [action for action in menu.actions() if action.text() == text]
    return found


def test_the_menu_says_how_things_stand(tray: Tray) -> None:
    tray.show_state(BUSY)
    assert lines(menu_of(tray)) == [
        "Open segments",
        "Review lessons (3)…",
        "Memory changes (9+)…",
        "",
        "Waiting for the next conversation.",
        "Archive now",
        "Pause",
        "Save clipboard now",
        "",
        "Problems (1)…",
        "Quit",
    ]
    assert not line(menu_of(tray), BUSY.status).isEnabled()


def test_in_a_pause_the_menu_offers_to_resume_and_without_problems_it_has_no_such_line(
    tray: Tray, calls: Calls
) -> None:
    tray.show_state(BUSY)
    tray.show_state(PAUSED)
    shown = lines(menu_of(tray))
    assert "Pause" not in shown
    assert not [text for text in shown if text.startswith("Problems")]
    line(menu_of(tray), "Resume").trigger()
    assert calls.names == ["resume"]


def test_every_line_calls_what_it_says(tray: Tray, calls: Calls) -> None:
    tray.show_state(BUSY)
    menu = menu_of(tray)
    for text in (
        "Open segments",
        "Review lessons (3)…",
        "Memory changes (9+)…",
        "Archive now",
        "Save clipboard now",
        "Problems (1)…",
        "Quit",
    ):
        line(menu, text).trigger()
    (pause,) = [action.menu() for action in menu.actions() if action.text() == "Pause"]
    assert isinstance(pause, QMenu)
    for action in pause.actions():
        action.trigger()
    rooms = ["segments", "lessons", "memory"]
    pauses = [f"pause {length}" for length in PauseFor]
    assert calls.names == [*rooms, "archive", "clipboard", "problems", "quit", *pauses]


def test_an_ampersand_in_the_status_is_shown(tray: Tray) -> None:
    tray.show_state(replace(BUSY, status="R&D"))
    assert "R&&D" in lines(menu_of(tray))


def test_the_texts_are_set_again_before_the_menu_is_shown(tray: Tray, calls: Calls) -> None:
    tray.show_state(BUSY)
    menu = menu_of(tray)
    line(menu, "Review lessons (3)…").setText("stale")
    menu.aboutToShow.emit()
    assert "Review lessons (3)…" in lines(menu)
    assert calls.names == ["refresh"]


@pytest.mark.parametrize(
    "reason, opens",
    [
        (QSystemTrayIcon.ActivationReason.Trigger, True),
        (QSystemTrayIcon.ActivationReason.DoubleClick, True),
        (QSystemTrayIcon.ActivationReason.Context, False),
        (QSystemTrayIcon.ActivationReason.MiddleClick, False),
    ],
)
def test_a_click_opens_the_segments(
    tray: Tray, calls: Calls, reason: QSystemTrayIcon.ActivationReason, *, opens: bool
) -> None:
    tray._icon.activated.emit(reason)
    assert calls.names == (["segments"] if opens else [])


def test_the_tooltip_is_set_again_after_the_icon_was_shown(
    tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    icon = tray._icon
    monkeypatch.setattr(icon, "show", lambda: order.append("show"))
    monkeypatch.setattr(icon, "setToolTip", lambda _: order.append("tooltip"))
    tray.show()
    assert order == ["show", "tooltip"]


def test_a_hidden_icon_is_put_up_again(tray: Tray) -> None:
    tray.show()
    tray._icon.hide()
    tray.beat()
    assert tray._icon.isVisible()


def test_it_looks_after_the_icon_seldom_and_not_after_the_end(
    tray: Tray, monkeypatch: pytest.MonkeyPatch
) -> None:
    tray.show()
    assert tray._heart.isActive()
    tray.beat()
    assert tray._heart.interval() == 5_000  # a late tray need not wait long
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    tray.beat()
    assert tray._heart.interval() == 60_000
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    tray.beat()
    assert tray._heart.interval() == 5_000
    tray.hide()
    assert not tray._heart.isActive()


def test_a_tray_that_comes_late_gets_the_icon(tray: Tray, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    tray.availability_changed.connect(told.append)
    tray.show()
    before = tray._icon
    assert not tray.is_available
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    tray.beat()
    tray.beat()
    assert told == [True]
    assert tray._icon is not before
    assert tray._icon.isVisible()
    assert tray._icon.contextMenu() is menu_of(tray)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    tray.beat()
    assert told == [True, False]


SIZES = (16, 22, 24, 32, 48)
PANELS = ("black", "white")


@pytest.mark.parametrize("mark, size, panel", list(product(Mark, SIZES, PANELS)))
def test_each_picture_stands_out_on_every_panel(
    qapp: Application, mark: Mark, size: int, panel: str
) -> None:
    image = tray_picture(mark, qapp.palette()).pixmap(QSize(size, size)).toImage()
    inked = [color for color in pixels(image) if color.alpha() > 200]
    assert len(inked) > size * size * 0.05
    assert min(contrast(QColor(c.rgb()), QColor(panel)) for c in inked) >= 3.8


@pytest.mark.parametrize("accent", ["white", "black", "#308cc6", "#ffff00", "#202020"])
def test_whatever_the_accent_the_icon_is_readable(qapp: Application, accent: str) -> None:
    palette = QPalette(qapp.palette())
    palette.setColor(QPalette.ColorRole.Accent, QColor(accent))
    image = tray_picture(Mark.IDLE, palette).pixmap(QSize(24, 24)).toImage()
    inked = [QColor(c.rgb()) for c in pixels(image) if c.alpha() > 200]
    assert min(contrast(c, QColor(panel)) for c in inked for panel in PANELS) >= 3.8


@pytest.mark.parametrize("size", SIZES)
def test_no_two_states_look_alike(qapp: Application, size: int) -> None:
    """Told by shape alone, without a colour."""
    shapes = {
        mark: [
            color.alpha() > 127
            for color in pixels(
                tray_picture(mark, qapp.palette()).pixmap(QSize(size, size)).toImage()
            )
        ]
        for mark in Mark
    }
    for one, other in product(Mark, Mark):
        if one < other:
            differing = sum(a != b for a, b in zip(shapes[one], shapes[other], strict=True))
            assert differing > size * size * 0.02, (one, other)


def test_it_is_a_mask_that_macos_colours_itself(qapp: Application) -> None:
    assert all(tray_picture(mark, qapp.palette()).isMask() for mark in Mark)


def test_a_new_palette_is_taken_up(tray: Tray, qapp: Application) -> None:
    before = QGuiApplication.palette()
    image = tray._icon.icon().pixmap(24).toImage()
    other = QPalette(before)
    other.setColor(QPalette.ColorRole.Accent, QColor("#b05500"))
    try:
        qapp.setPalette(other)
        tray.follow_look()
        assert tray._icon.icon().pixmap(24).toImage() != image
    finally:
        qapp.setPalette(before)


def pixels(image: QImage) -> list[QColor]:
    return [image.pixelColor(x, y) for x, y in product(range(image.width()), range(image.height()))]


ICONS = sorted(resources.path("icons").glob("*.svg"))


@pytest.mark.parametrize("path", ICONS, ids=lambda path: path.stem)
def test_every_icon_is_drawn_in_one_style(qapp: Application, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert 'viewBox="0 0 24 24"' in text
    if path.stem == "archivist":  # launchers show it as it is
        return
    assert 'stroke-width="2"' in text
    assert "currentColor" in text
    assert "#" not in text, "a colour of its own"
