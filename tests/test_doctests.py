"""The examples of docstrings print what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("engines", "mathwb", "screens", "workbench")
    for path in (_ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
