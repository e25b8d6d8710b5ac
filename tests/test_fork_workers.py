"""Processes that share the tests report what one process would, and a test that ends its process fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import os, sys, warnings
import pytest

@pytest.fixture(scope="session")
def place(tmp_path_factory):
    yield tmp_path_factory.mktemp("once")

@pytest.mark.parametrize("number", range(60))
def test_number(number, place, tmp_path):
    assert (place.exists(), place.parent) == (True, tmp_path.parent)
    print("here", number)
    os.system(f"echo there {number}")
    assert number != 33

@pytest.fixture
def broken():
    raise ValueError("of the fixture")

def test_without_a_fixture(broken): ...
def test_skipped(): pytest.skip("no reason")
def test_warns(): warnings.warn("look out")
def test_writes_to_what_was_imported(err=sys.stderr): assert err.fileno() > 2
"""
ENDS = "def test_before(): ...\ndef test_ends_it(): import os; os._exit(3)\ndef test_behind(): ...\n"


def outcomes(folder: Path, *options: str) -> tuple[dict[str, tuple[str, ...]], str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml", folder / "out.xml"]
    done = subprocess.run(
        [*command, "--rootdir", folder, "--basetemp", folder / "base", *options, folder],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
    )
    found = {}
    for case in ElementTree.parse(folder / "out.xml").iter("testcase"):
        found[case.get("name", "")] = tuple(part.tag for part in case)
    return found, done.stdout


@pytest.mark.slow
def test_what_is_reported_is_what_one_process_reports(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"test_{name}.py").write_text(TESTS.replace("test_", f"test_{name}_"))
    alone, _ = outcomes(tmp_path)
    shared, said = outcomes(tmp_path, "-p", "tests.fork_workers", "--processes", "3")
    assert shared == alone
    assert shared["test_one_number[33]"] == ("failure",)
    assert "assert 33 != 33" in said
    assert "here 33" in said
    assert "there 33" in said
    assert "there 32" not in said
    assert "UserWarning: look out" in said


@pytest.mark.slow
def test_a_test_that_ends_its_process_fails_and_so_do_those_that_it_kept_from_running(tmp_path: Path) -> None:
    (tmp_path / "test_ends.py").write_text(ENDS)
    (tmp_path / "test_other.py").write_text(TESTS)
    found, said = outcomes(tmp_path, "-p", "tests.fork_workers", "--processes", "2")
    assert found["test_before"] == ()
    assert found["test_ends_it"] == ("failure",)
    assert found["test_behind"] == ("failure",)
    assert "its process ended before it was over" in said
    assert len(found) == 67
