"""For every test: coroutines are run, unexpected warnings in the log fail, real inputs if any."""

import asyncio
import inspect
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from helpers.shared import shared_folder, why_missing

# CI must not fail by chance on a slow machine; at home new examples are tried at each run.
hypothesis.settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("home", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "home")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests in a loop of their own. Fixtures stay synchronous: no plugin needed."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    wanted = {name: value for name, value in pyfuncitem.funcargs.items() if name in names}
    asyncio.run(pyfuncitem.obj(**wanted))
    return True


@pytest.fixture
def shared() -> Path:
    """The folder of real inputs; without it the test is skipped and says so."""
    found = shared_folder()
    if found is None:
        pytest.skip(why_missing())
    return found


class _Unexpected(logging.Handler):
    """Collects what the program logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line for the verdict at the end of the test."""
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _quiet_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose code warned, unless it is about that: the mark or fixture `allow_logs`."""
    handler = _Unexpected()
    logger = logging.getLogger("archivist")
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)
    expected = (
        request.node.get_closest_marker("allow_logs") is not None
        or "allow_logs" in request.fixturenames
        or "caplog" in request.fixturenames
    )
    if handler.lines and not expected:
        pytest.fail("unexpected in the log:\n" + "\n".join(handler.lines), pytrace=False)


@pytest.fixture
def allow_logs() -> None:
    """Ask for this where warnings in the log belong to the case."""
