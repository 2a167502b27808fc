"""Signals before the program can take them: noted, and answered as soon as possible."""

import os
import signal

import pytest

from archivist.machine.early import EarlyEnd

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.mark.parametrize(
    "number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 0), (signal.SIGHUP, 0)]
)
def test_a_signal_is_noted_and_nothing_is_torn(number: signal.Signals, code: int) -> None:
    before = signal.getsignal(number)
    early = EarlyEnd()
    try:
        assert early.code is None
        os.kill(os.getpid(), number)
        assert early.code == code
    finally:
        early.give_back()
    assert signal.getsignal(number) == before


def test_what_is_to_be_ignored_stays_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        early = EarlyEnd()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        early.give_back()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
