"""Only this user may speak to the running app."""

import os
from pathlib import Path

import pytest

from archivist.machine.single import Instance, Message

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")


async def test_the_socket_is_for_this_user_alone(tmp_path: Path) -> None:
    async def answer(message: Message) -> Message:
        return message

    before = os.umask(0)  # whatever the person's own umask allows
    try:
        instance = Instance(lock=tmp_path / "app.lock", socket=tmp_path / "app.sock")
        async with instance.listening(answer):
            assert (tmp_path / "app.sock").stat().st_mode & 0o777 == 0o600
            assert await instance.ask({"do": "status"}) == {"do": "status"}
    finally:
        os.umask(before)
