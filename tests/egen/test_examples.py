"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name", ["evaluations.check", "evaluations.evaluate", "models.embed", "models.nearest"]
)
def test_examples(name: str) -> None:
    done = doctest.testmod(import_module(f"engines.egen.{name}"))
    assert done.attempted > 2
    assert done.failed == 0
