"""Every error code stands in one table, with one meaning, and is used."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engines.core.error_codes import CODES
from engines.core.errors import DataError, EngineError
from tests.source_trees import ROOMS, read_sources
from workbench.errors import MissingError

ROOT = Path(__file__).resolve().parents[2]


def used() -> dict[str, set[str]]:
    """The codes of the program by the files that raise them."""
    found: dict[str, set[str]] = {}
    for file, tree in read_sources(*(f"E{hundreds}" for hundreds in range(10))):
        if file.endswith("/error_codes.py"):  # the table itself uses none
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and re.fullmatch(r"E\d{3}", str(node.value)):
                found.setdefault(str(node.value), set()).add(file)
    return found


@pytest.mark.slow
def test_the_table_has_every_code_and_no_other() -> None:
    found = used()
    assert {code: sorted(files) for code, files in found.items() if code not in CODES} == {}
    assert sorted(CODES.keys() - found.keys()) == []


def test_no_two_codes_mean_the_same() -> None:
    assert len({meaning for _, meaning in CODES.values()}) == len(CODES)
    assert list(CODES) == sorted(CODES)


def test_the_exit_code_stands_with_the_code() -> None:
    assert {exit_code for exit_code, _ in CODES.values()} == {1, 2, 3, 4, 130}
    assert (EngineError("x", code="E427").exit_code, DataError("x", code="E312").exit_code) == (2, 3)
    assert (DataError("x").exit_code, MissingError("x").exit_code, EngineError("x").exit_code) == (2, 3, 1)
    assert DataError("x", code="E318", exit_code=3).exit_code == 3
    # A paper from outside has codes of its own: they end as those of their class.
    assert MissingError("x", code="X100").exit_code == 3


def test_no_raise_repeats_the_exit_code_of_its_code() -> None:
    repeated = [
        f"{file}:{node.lineno}"
        for file, tree in read_sources("exit_code=")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (given := {each.arg: getattr(each.value, "value", None) for each in node.keywords})
        and given.get("code") in CODES
        and given.get("exit_code") == CODES[str(given["code"])][0]
    ]
    assert repeated == []


def test_commands_that_messages_and_pages_name_exist() -> None:
    """What follows `mathwb` in a remedy or on a page is a command; docs/commands.md is made of all."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    known = set(re.findall(r"^#+ mathwb (.+)$", (ROOT / "docs/commands.md").read_text("utf-8"), re.MULTILINE))
    groups = {name.partition(" ")[0] for name in known if " " in name}
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    unknown = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (*sources, *pages)
        for match in re.finditer(r"mathwb ([a-z]+) ([a-z][a-z-]+)", path.read_text("utf-8"))
        if match[1] in groups and f"{match[1]} {match[2]}" not in known
    ]
    assert unknown == []
