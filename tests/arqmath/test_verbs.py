"""The examples of operations that are no verbs of the package, and the lightness of all its specs."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest


def test_importing_them_loads_nothing_heavy() -> None:
    heavy = {"numpy", "torch", "transformers", "scipy", "faiss", "lxml"}
    code = f"from engines.arqmath import *; import sys; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", ["collection.posts", "ranking.overview"])
def test_the_examples_hold(name: str) -> None:
    tried = doctest.testmod(import_module(f"engines.arqmath.{name}"))
    assert (tried.failed, tried.attempted > 0) == (0, True)
