import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from archivist.machine.single import Instance, address
from archivist.paths import Paths

HOLD = """
import sys, pathlib
from archivist.machine.single import Instance
folder = pathlib.Path(sys.argv[1])
with Instance(lock=folder / "app.lock", socket=folder / "app.sock").held() as first:
    print(first, flush=True)
    sys.stdin.read()
"""


def app_of(folder: Path) -> Instance:
    paths = Paths(folder)
    return Instance(lock=paths.lock, socket=paths.socket)


async def echo(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"heard": message}


async def test_a_question_gets_its_answer(tmp_path: Path) -> None:
    app = app_of(tmp_path)
    with app.held() as is_first:
        assert is_first
        async with app.listening(echo):
            assert await app_of(tmp_path).ask({"do": "show"}) == {"heard": {"do": "show"}}
            reader, writer = await asyncio.open_unix_connection(address(tmp_path / "app.sock"))
            writer.write(b"no json\n")
            assert b"unreadable" in await reader.readline()
            writer.close()
        assert await app.ask({"do": "show"}) is None


def test_the_lock_is_one_and_falls_with_its_process(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=-1, stdout=-1, text=True
    )
    assert other.stdout is not None
    assert other.stdin is not None
    try:
        assert other.stdout.readline().strip() == "True"
        with app_of(tmp_path).held() as is_first:
            assert not is_first
    finally:
        other.kill()
        other.wait()
        other.stdin.close()
        other.stdout.close()
    with app_of(tmp_path).held() as is_first:
        assert is_first


async def test_a_socket_left_by_a_crash_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "app.sock").write_bytes(b"")
    app = app_of(tmp_path)
    with app.held():
        async with app.listening(echo):
            assert await app.ask({"n": 1}) == {"heard": {"n": 1}}


def test_the_path_of_a_deep_folder_is_shortened(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120) / "app.sock"
    assert len(address(deep)) <= 100
