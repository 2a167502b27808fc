from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QSplitter, QWidget

from archivist.gui.remembered import Remembered, onto_screen

LEFT = QRect(0, 0, 1920, 1080)
RIGHT = QRect(1920, 0, 1280, 1024)


@pytest.mark.parametrize(
    "window, screens, placed",
    [
        (QRect(100, 100, 800, 600), [LEFT], QRect(100, 100, 800, 600)),
        # The right screen was unplugged.
        (QRect(2100, 200, 800, 600), [LEFT], QRect(1120, 200, 800, 600)),
        (QRect(2100, 200, 800, 600), [LEFT, RIGHT], QRect(2100, 200, 800, 600)),
        # Larger than any screen.
        (QRect(-300, -300, 4000, 3000), [LEFT, RIGHT], LEFT),
        (QRect(-700, 20, 800, 600), [LEFT], QRect(0, 20, 800, 600)),
        # Wholly outside: any screen will do, but all of it.
        (QRect(9000, 9000, 400, 300), [LEFT], QRect(1520, 780, 400, 300)),
    ],
)
def test_a_window_comes_onto_a_screen_that_is_there(
    window: QRect, screens: list[QRect], placed: QRect
) -> None:
    assert onto_screen(window, screens) == placed


def test_a_window_comes_back_as_it_was(tmp_path: Path) -> None:
    first = QWidget()
    first.setGeometry(40, 50, 420, 330)
    Remembered(tmp_path).keep_window("one", first)
    again = QWidget()
    Remembered(tmp_path).place_window("one", again, usual=QSize(900, 700))
    assert again.size() == QSize(420, 330)


def test_a_new_window_has_the_usual_size(tmp_path: Path) -> None:
    window = QWidget()
    Remembered(tmp_path).place_window("new", window, usual=QSize(500, 400))
    assert window.size() == QSize(500, 400)


def test_a_damaged_file_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "windows.ini").write_bytes(b"\x00[windows\none=@ByteArray(nonsense)\n\xff")
    window = QWidget()
    Remembered(tmp_path).place_window("one", window, usual=QSize(500, 400))
    assert window.size() == QSize(500, 400)
    assert not Remembered(tmp_path).flag("said")


def test_flags_words_and_panes_are_kept(tmp_path: Path) -> None:
    kept = Remembered(tmp_path)
    assert not kept.flag("said")
    assert kept.text("last") == ""
    kept.set_flag("said")
    kept.set_text("last", "cache, 缓存")
    splitter = QSplitter()
    for _ in range(2):
        splitter.addWidget(QWidget())
    splitter.resize(300, 100)
    assert not kept.place_splitter("panes", splitter)
    kept.keep_splitter("panes", splitter)
    del kept
    again = Remembered(tmp_path)
    assert again.flag("said")
    assert again.text("last") == "cache, 缓存"
    assert again.place_splitter("panes", splitter)
