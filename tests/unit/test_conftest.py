"""What tests/conftest.py promises to every test, tried on small test files in runs of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.shared import ROOT

SAMPLES = """
import logging
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

log = logging.getLogger("archivist.x")

def test_that_logs_a_warning():
    log.warning("disk %s", "slow")

def test_that_logs_at_ease():
    log.info("fine")

def test_that_looks_at_the_log(caplog):
    log.warning("expected")

def test_that_asks_to_log(allow_logs):
    log.error("expected")

@pytest.mark.allow_logs
def test_that_is_marked():
    log.error("expected")

async def test_that_is_a_coroutine(tmp_path):
    assert tmp_path.exists()

async def test_that_is_a_coroutine_and_fails(tmp_path):
    assert not tmp_path.exists()

def test_that_uses_old_ways():
    warnings.warn("old", DeprecationWarning)

@given(st.integers())
def test_that_tries_many(n):
    assert n == n
"""
FAILING = {
    "test_that_logs_a_warning",
    "test_that_is_a_coroutine_and_fails",
    "test_that_uses_old_ways",
}


def run(tmp_path: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Run one test file under the project's settings and its conftest."""
    (tmp_path / "test_samples.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-rA"]
    command += ["--rootdir", str(tmp_path), "-p", "conftest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )


def outcomes(output: str) -> dict[str, set[str]]:
    """The names of the tests under the word that the summary says of each."""
    found: dict[str, set[str]] = {"PASSED": set(), "FAILED": set(), "ERROR": set()}
    for line in output.splitlines():
        verdict, _, rest = line.partition(" ")
        if verdict in found and "::" in rest:
            found[verdict].add(rest.split("::")[1].split(" ")[0])
    return found


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of one run of all samples."""
    return run(tmp_path_factory.mktemp("samples"), SAMPLES).stdout


def test_what_must_fail_fails_and_what_may_pass_passes(samples: str) -> None:
    found = outcomes(samples)
    # The log is judged when the test is over, so that one failure is an error of the clean-up.
    assert found["FAILED"] | found["ERROR"] == FAILING, samples
    assert len(found["PASSED"] - FAILING) == SAMPLES.count("def test_") - len(FAILING), samples


def test_the_line_that_was_logged_is_shown(samples: str) -> None:
    assert "WARNING archivist.x: disk slow" in samples


def test_an_unknown_mark_stops_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, "import pytest\n\n@pytest.mark.slwo\ndef test_it(): ...\n")
    assert done.returncode != 0
    assert "slwo" in done.stdout
