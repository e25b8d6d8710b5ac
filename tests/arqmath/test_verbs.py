"""The verbs that the package offers: there, light until they are called, their examples right."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

import engines.arqmath

MODULES = ["collection.indexing", "collection.posts", "generation.generate"]
MODULES += [f"ranking.{name}" for name in ("compare", "evaluate", "rank", "search", "topics")]


def test_every_name_is_offered_and_no_other() -> None:
    assert len(engines.arqmath.__all__) == 12
    for name in engines.arqmath.__all__:
        assert getattr(engines.arqmath, name).__name__ == name
        assert getattr(engines.arqmath, name).__doc__
    with pytest.raises(AttributeError):
        _ = engines.arqmath.nothing


def test_importing_them_loads_nothing_heavy() -> None:
    heavy = {"numpy", "torch", "transformers", "scipy", "faiss", "lxml"}
    code = f"from engines.arqmath import *; import sys; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    tried = doctest.testmod(import_module(f"engines.arqmath.{name}"))
    assert (tried.failed, tried.attempted > 0) == (0, True)
