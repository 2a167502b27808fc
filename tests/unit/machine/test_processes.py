import os
import subprocess
import sys

from archivist.machine.processes import caller, is_alive, now_ms, owner


def test_this_process_is_alive_and_a_dead_one_is_not() -> None:
    assert is_alive(owner())
    code = "from archivist.machine.processes import owner; print(owner())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not is_alive(ran.stdout.strip())


def test_another_process_with_the_same_number_is_not_taken_for_the_owner() -> None:
    assert not is_alive(f"{os.getpid()}:12345")
    assert not is_alive("nonsense")
    assert not is_alive("")


def test_the_caller_is_named_and_the_clock_is_in_milliseconds() -> None:
    assert caller()
    assert 1_700_000_000_000 < now_ms() < 10_000_000_000_000
